#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/core/coupled_systems.h"
#include "solvers/core/method.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

namespace {

/// Its grid is around the fluid at the start, no larger than GridBounds makes it.
void estimate(const SystemState& system, double spacing, SystemEstimate& made) {
  constexpr double cell_bytes = 92;  // with the coarser grids
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
  expect_coupled(fluid, fluid.parameters.of<FlipParameters>().coupled_to, {"rigid"}, initial);
  const std::vector<int> together = coupled_indices_of_flip(fluid, initial);
  const auto fluids = std::count_if(together.begin(), together.end(),
                                    [&](int s) { return is_fluid(initial.systems[size_t(s)]); });
  if (fluids > most_flip_fluids)
    throw InputError("systems." + fluid.name + ": is one of " + std::to_string(fluids) +
                     " FLIP fluids that are solved together, and no more than " +
                     std::to_string(most_flip_fluids) + " can be; make bodies of one fluid of some of them");
}

}  // namespace

Method flip_method() {
  return {
      .word = "flip",
      .parameters = MethodParameters(FlipParameters{}),
      .is_fluid = true,
      .keys = {fluid_keys(), {&FlipParameters::table()}},
      .bodies = FluidBody::kinds(),
      .bodies_meaning = "Initial fluid",
      .emits = true,
      .bound_step =
          [](const SystemState& system, const InitialState& initial, double speed, const StepBound& bound) {
            const auto& p = system.parameters.of<FlipParameters>();
            const Point3& g = initial.gravity;
            bound(p.cfl / flip_crossing_rate(speed, std::hypot(g[0], g[1], g[2]),
                                             p.cell_size * 2 * system.fluid.particle_radius),
                  "cfl of " + system.name);
          },
      .estimate = estimate,
      .expect_start = expect_coupling,
      .refuse_period = refuse_period,
      .solved_with = coupled_indices_of_flip,
      .least_room = 0.8,
      .may_overlap = true,
      .stabilizer = "a smaller cfl"};
}

}  // namespace merganser
