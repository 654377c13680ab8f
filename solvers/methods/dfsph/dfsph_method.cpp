#include <algorithm>

#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

namespace {

/// Rows of neighbors have room for a quarter more than a ball of support radius holds.
void estimate(const SystemState& system, double, SystemEstimate& made) {
  constexpr PieceBytes particle{290, 290}, neighbor{5, 5};
  made.add(made.all_particles(), particle);
  const double forces = system.parameters.of<DfsphParameters>().forces.bytes_per_particle();
  made.add(made.all_particles(), {forces, forces});
  made.neighbors =
      made.all_particles() * ball_volume(2 * system.parameters.of<DfsphParameters>().smoothing_length_factor);
  made.add(made.neighbors, neighbor);
}

/// A period holds three supports; a wall puts all particles behind it on its surface in the first step, and
/// of a deep layer so many lie on one another.
void expect_start(const SystemState& system, const InitialState& initial) {
  const double factor = system.parameters.of<DfsphParameters>().smoothing_length_factor;
  const float h = static_cast<float>(2 * system.fluid.particle_radius * factor);
  expect_three_cells(initial, 2 * h, "the kernel's support of system '" + system.name + "'");
  expect_before_walls(system, initial);
}

}  // namespace

Method dfsph_method() {
  return {.word = "dfsph",
          .parameters = MethodParameters(DfsphParameters{}),
          .is_fluid = true,
          .keys = {fluid_keys(), {&DfsphParameters::table()}},
          .bodies = FluidBody::kinds(),
          .bodies_meaning = "Initial fluid",
          .emits = true,
          .has_pressure = true,
          .bound_step =
              [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
                const auto& p = system.parameters.of<DfsphParameters>();
                if (speed > 0)
                  bound(std::max(p.min_time_step, p.cfl * 2 * system.fluid.particle_radius / speed),
                        "cfl of " + system.name);
              },
          .estimate = estimate,
          .expect_start = expect_start};
}

}  // namespace merganser
