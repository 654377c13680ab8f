#include <algorithm>
#include <cmath>

#include "solvers/core/coupled_systems.h"
#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/core/start_period.h"
#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "solvers/methods/dfsph/image_walls.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

namespace {

/// Rows of neighbors have room for a quarter more than a ball of support radius holds, of two bytes each as
/// long as neighbors are less than 2^15 particles apart: in a cube the particles of a layer of cells; with
/// images, which stand behind all particles, those of all. Images: of a cube between six walls.
void estimate(const SystemState& system, double, SystemEstimate& made) {
  constexpr PieceBytes near_neighbor{2.5, 2.5}, far_neighbor{5, 5};
  const PieceBytes particle{266, 218 + spare_bytes(made.all_particles())};
  made.add(made.all_particles(), particle);
  const double forces = system.parameters.of<DfsphParameters>().forces.bytes_per_particle();
  made.add(made.all_particles(), {forces, forces});
  const double reach = 2 * system.parameters.of<DfsphParameters>().smoothing_length_factor;
  made.neighbors = made.all_particles() * ball_volume(reach);
  const double layer = std::pow(made.all_particles(), 2.0 / 3);
  const bool images = system.parameters.of<DfsphParameters>().wall_pressure == DfsphWallPressure::images;
  constexpr PieceBytes image{180, 180};
  if (images) made.add(6 * reach * layer, image);
  const bool near = (images ? made.all_particles() + 6 * reach * layer : reach * layer) < 32768;
  made.add(made.neighbors, near ? near_neighbor : far_neighbor);
}

const char* word_of(DfsphWallPressure walls) {
  switch (walls) {
    case DfsphWallPressure::mirrored:
      return "mirrored";
    case DfsphWallPressure::conservative:
      return "conservative";
    case DfsphWallPressure::images:
      break;
  }
  return "images";
}

/// What a fluid may share its pressure solve with: every system in one solve at most, and particles of one
/// volume, so that the solve counts volumes whatever the densities are.
void expect_coupling(const SystemState& fluid, const InitialState& initial) {
  const auto& own = fluid.parameters.of<DfsphParameters>();
  expect_coupled(fluid, own.coupled_to, {"elasticSph", "rigid", "dfsph"}, initial);
  for (const int s : coupled_indices(fluid, initial)) {
    const SystemState& other = initial.systems[size_t(s)];
    if (const auto* theirs = other.parameters.find<DfsphParameters>();
        theirs && theirs->wall_pressure != own.wall_pressure)
      throw InputError("systems." + fluid.name + ".coupledTo: '" + other.name + "' has \"wallPressure\": \"" +
                       word_of(theirs->wall_pressure) + "\" and '" + fluid.name + "' \"" +
                       word_of(own.wall_pressure) +
                       "\", they must be equal in one pressure solve; give both the same");
  }
}

/// [m^2/s^2] |g| H of the fluid at its start, 0 without.
double head_at_start(const SystemState& system, const Point3& gravity) {
  double least = 1e300, most = -1e300;
  for (const Float3& x : system.position) {
    const double fall = gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2];
    least = std::min(least, fall), most = std::max(most, fall);
  }
  return std::max(0.0, most - least);
}

/// Dfsph::time_step_limit() at that speed, of this fluid without those of its solve.
void bound_dfsph_step(const SystemState& system, const InitialState& initial, double speed,
                      const StepBound& bound) {
  const auto& p = system.parameters.of<DfsphParameters>();
  const Point3& g = initial.gravity;
  const double spacing = 2 * system.fluid.particle_radius, reach = p.cfl * spacing;
  const double root = speed + std::sqrt(speed * speed + 4 * std::hypot(g[0], g[1], g[2]) * reach);
  if (root > 0) bound(std::max(p.min_time_step, 2 * reach / root), "cfl of " + system.name);
  if (const double head = head_at_start(system, g); head > 0)
    bound(std::max(p.min_time_step, dfsph_depth_bound * spacing / std::sqrt(head)),
          "depth of " + system.name);
  const double h = p.smoothing_length_factor * spacing;
  if (p.viscosity > 0) bound(0.125 * h * h / p.viscosity, "viscosity of " + system.name);
  bound(p.forces.longest_step(system.fluid.density0, h), "forces of " + system.name);
}

/// A period holds three supports, and walls fit into it; a wall puts all particles behind it on its surface
/// in the first step, and of a deep layer so many lie on one another, as particles in one place do from the
/// beginning.
void expect_start(const SystemState& system, const InitialState& initial) {
  const double factor = system.parameters.of<DfsphParameters>().smoothing_length_factor;
  const double support = 4 * system.fluid.particle_radius * factor;
  expect_three_cells(initial, static_cast<float>(support),
                     "the kernel's support of system '" + system.name + "'");
  expect_walls_in_period(system, initial, support);
  expect_before_walls(system, initial);
  expect_coupling(system, initial);
  std::vector<int> fluids{static_cast<int>(&system - initial.systems.data())};
  for (const int other : coupled_indices(system, initial))
    if (other != fluids[0] && is_fluid(initial.systems[size_t(other)])) fluids.push_back(other);
  expect_apart(fluids, initial);
  if (system.parameters.of<DfsphParameters>().wall_pressure == DfsphWallPressure::images)
    expect_image_walls(system, initial);
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
          .bound_step = bound_dfsph_step,
          .estimate = estimate,
          .expect_start = expect_start,
          .solved_with = coupled_indices,
          .least_room = 0.95,
          .sticks_to_walls =
              [](const SystemState& system) {
                const auto& p = system.parameters.of<DfsphParameters>();
                return p.viscosity > 0 || p.forces.wall_viscosity > 0;
              },
          .stabilizer = "more viscosity or implicitViscosity"};
}

}  // namespace merganser
