#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/core/start_period.h"
#include "solvers/methods/fluid/fluid_body.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "solvers/methods/sph/viscous_step.h"

namespace merganser {

namespace {

void estimate(const SystemState& system, double, SystemEstimate& made) {
  constexpr PieceBytes neighbor{33, 36};
  const PieceBytes particle{204, 156 + spare_bytes(made.all_particles())};
  const auto& p = system.parameters.of<SphParameters>();
  made.add(made.all_particles(), particle);
  const double forces = p.forces.bytes_per_particle();
  made.add(made.all_particles(), {forces, forces});
  if (p.neighborhood != Neighborhood::topological) return;
  made.neighbors = made.all_particles() * ball_volume(2 * p.smoothing_length_factor);
  made.add(made.neighbors, neighbor);
}

/// A period holds three supports, and walls fit into it; a wall puts all particles behind it on its surface
/// in the first step, and of a deep layer so many lie on one another, as particles in one place do from the
/// beginning.
void expect_start(const SystemState& system, const InitialState& initial) {
  const double factor = system.parameters.of<SphParameters>().smoothing_length_factor;
  const double support = 4 * system.fluid.particle_radius * factor;
  expect_three_cells(initial, static_cast<float>(support),
                     "the kernel's support of system '" + system.name + "'");
  expect_walls_in_period(system, initial, support);
  expect_before_walls(system, initial);
  expect_apart({static_cast<int>(&system - initial.systems.data())}, initial);
}

double sound_speed_of(const SystemState& system, const InitialState& initial) {
  const auto& p = system.parameters.of<SphParameters>();
  return p.sound_speed > 0 ? p.sound_speed : expected_sound_speed(system, initial);
}

/// With less viscosity than 0.002 h c walls give energy to a fluid whose densities are by continuity
/// (tools/benchmark/results/notebook_sph_walls.md).
std::string note_on_thin_fluid(const SystemState& system, const InitialState& initial) {
  const auto& p = system.parameters.of<SphParameters>();
  if (initial.walls.empty() || p.density != DensityMethod::continuity) return "";
  constexpr double least_alpha = 0.02;
  const double h = p.smoothing_length_factor * 2 * system.fluid.particle_radius,
               c = sound_speed_of(system, initial);
  const double nu = kinematic_viscosity(p, h, c) + p.forces.implicit_viscosity / system.fluid.density0;
  const double least = least_alpha * h * c / 10;
  if (nu >= least * (1 - 1e-6)) return "";
  std::ostringstream text;
  text << std::setprecision(3) << "systems." << system.name << ".viscosity: the fluid has " << nu
       << " m^2/s, and walls give energy to a fluid of type sph with less than " << least
       << " m^2/s at this resolution: at rest it begins to boil; set viscosity to " << least_alpha
       << " or more with the artificial model, or use type dfsph, which needs none";
  return text.str();
}

/// Sph::time_step_limit() at that speed.
void bound_sph_step(const SystemState& system, const InitialState& initial, double speed,
                    const StepBound& bound) {
  const auto& p = system.parameters.of<SphParameters>();
  const double sound = sound_speed_of(system, initial);
  const double h = p.smoothing_length_factor * 2 * system.fluid.particle_radius;
  bound(p.cfl * h / (sound + speed), "sound speed of " + system.name);
  const Point3& g = initial.gravity;
  if (const double gravity = std::hypot(g[0], g[1], g[2]); gravity > 0)
    bound(p.cfl * std::sqrt(h / gravity), "gravity on " + system.name);
  if (const double nu = kinematic_viscosity(p, h, sound); nu > 0)
    bound(longest_viscous_step(p.viscosity_model) * h * h / nu, "viscosity of " + system.name);
  bound(p.forces.longest_step(system.fluid.density0, h), "forces of " + system.name);
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
          .bound_step = bound_sph_step,
          .estimate = estimate,
          .expect_start = expect_start,
          .refuse_period = refuse_period,
          .least_room = 0.9,
          .sticks_to_walls =
              [](const SystemState& system) {
                const auto& p = system.parameters.of<SphParameters>();
                return (p.viscosity_model != ViscosityModel::none && p.viscosity > 0) ||
                       p.forces.wall_viscosity > 0;
              },
          .note = note_on_thin_fluid,
          .stabilizer = "more viscosity"};
}

}  // namespace merganser
