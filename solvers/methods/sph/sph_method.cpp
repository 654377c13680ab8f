#include <algorithm>

#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/methods/fluid/fluid_body.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

namespace {

void estimate(const SystemState& system, double, SystemEstimate& made) {
  constexpr PieceBytes neighbor{33, 36};
  const PieceBytes particle{188, 140 + spare_bytes(made.all_particles())};
  const auto& p = system.parameters.of<SphParameters>();
  made.add(made.all_particles(), particle);
  const double forces = p.forces.bytes_per_particle();
  made.add(made.all_particles(), {forces, forces});
  if (p.neighborhood != Neighborhood::topological) return;
  made.neighbors = made.all_particles() * ball_volume(2 * p.smoothing_length_factor);
  made.add(made.neighbors, neighbor);
}

/// A period holds three supports; a wall puts all particles behind it on its surface in the first step, and
/// of a deep layer so many lie on one another.
void expect_start(const SystemState& system, const InitialState& initial) {
  const double factor = system.parameters.of<SphParameters>().smoothing_length_factor;
  const float h = static_cast<float>(2 * system.fluid.particle_radius * factor);
  expect_three_cells(initial, 2 * h, "the kernel's support of system '" + system.name + "'");
  expect_before_walls(system, initial);
}

std::string refuse_period(const SystemState& system, const std::string& length) {
  if (system.parameters.of<SphParameters>().neighborhood != Neighborhood::topological) return "";
  return "systems." + system.name +
         ".neighborhood: is \"topological\", which knows no periodic domain, but simulation.periodic.length "
         "is " +
         length + "; use euclidean or an open domain";
}

}  // namespace

Method sph_method() {
  return {.word = "sph",
          .parameters = MethodParameters(SphParameters{}),
          .is_fluid = true,
          .keys = {fluid_keys(), {&SphParameters::table()}},
          .bodies = FluidBody::kinds(),
          .bodies_meaning = "Initial fluid",
          .emits = true,
          .bound_step =
              [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
                const auto& p = system.parameters.of<SphParameters>();
                const double sound = p.sound_speed > 0 ? p.sound_speed : std::max(10.0 * speed, 10.0);
                const double h = p.smoothing_length_factor * 2 * system.fluid.particle_radius;
                bound(p.cfl * h / (sound + speed), "sound speed of " + system.name);
              },
          .estimate = estimate,
          .expect_start = expect_start,
          .refuse_period = refuse_period,
          .stabilizer = "more viscosity"};
}

}  // namespace merganser
