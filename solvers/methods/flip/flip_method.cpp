#include <algorithm>
#include <cmath>

#include "solvers/core/method.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

namespace {

/// Its grid is around the fluid at the start, no larger than GridBounds makes it.
void estimate(const SystemState& system, double spacing, SystemEstimate& made) {
  constexpr double cell_bytes = 88;  // with the coarser grids
  const double all = made.all_particles();
  made.add(all, {178, 215 + spare_bytes(all)});
  double cells = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    double low = 1e300, high = -1e300;
    for (const BodyEstimate& body : made.bodies) {
      low = std::min(low, body.low[axis]);
      high = std::max(high, body.high[axis]);
    }
    cells *= std::max(0.0, high - low) / (spacing * system.parameters.of<FlipParameters>().cell_size) + 8;
  }
  made.device_bytes += cell_bytes * std::min({cells, std::max(double(1 << 22), 16 * all), double(1 << 29)});
}

std::string refuse_period(const SystemState& system, const std::string& length) {
  return "simulation.periodic.length: is " + length + ", but systems." + system.name +
         " is of type \"flip\", which knows no periodic domain; set it to [0, 0, 0] or use type \"sph\"";
}

void expect_coupling(const SystemState& fluid, const InitialState& initial) {
  const auto& names = fluid.parameters.of<FlipParameters>().coupled_to;
  const std::string path = "systems." + fluid.name + ".coupledTo: ";
  for (const std::string& name : names) {
    const auto found = std::find_if(initial.systems.begin(), initial.systems.end(),
                                    [&](const SystemState& other) { return other.name == name; });
    if (found == initial.systems.end() || name == fluid.name)
      throw InputError(path + "no other system is called '" + name + "'; leave it out");
    if (found->method->word != "rigid")
      throw InputError(path + "'" + name + "' is of type \"" + found->method->word +
                       "\", allowed is rigid; leave it out, and it meets the fluid by coupling.method");
    for (const SystemState& other : initial.systems) {
      if (&other == &fluid || !other.method->solved_with) continue;
      const std::vector<int> theirs = other.method->solved_with(other, initial);
      if (std::find(theirs.begin(), theirs.end(), static_cast<int>(found - initial.systems.begin())) !=
          theirs.end())
        throw InputError(path + "'" + name + "' takes part in the pressure solve of '" + other.name +
                         "' as well; let one fluid list it");
    }
    const double radius = fluid.fluid.particle_radius;
    for (const float r : found->radius)
      if (std::abs(double(r) - radius) > 1e-4 * radius)
        throw InputError(path + "particles of '" + name + "' and of '" + fluid.name +
                         "' must have equal radii; give both the same particle spacing");
  }
}

}  // namespace

Method flip_method() {
  return {.word = "flip",
          .parameters = MethodParameters(FlipParameters{}),
          .is_fluid = true,
          .keys = {fluid_keys(), {&FlipParameters::table()}},
          .bodies = FluidBody::kinds(),
          .bodies_meaning = "Initial fluid",
          .emits = true,
          .bound_step =
              [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
                const auto& p = system.parameters.of<FlipParameters>();
                bound(p.cfl * p.cell_size * 2 * system.fluid.particle_radius / speed,
                      "cfl of " + system.name);
              },
          .estimate = estimate,
          .expect_start = expect_coupling,
          .refuse_period = refuse_period,
          .solved_with = coupled_indices_of_flip,
          .least_room = 0.8,
          .stabilizer = "a smaller cfl"};
}

}  // namespace merganser
