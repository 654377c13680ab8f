/// DFSPH with conservative walls: a tank without viscosity keeps its energy.
#include <gtest/gtest.h>

#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "tests/support/driven_fluids.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace dfsph_conservative_walls_test {

using namespace sph_test;

constexpr double g = 9.81, spacing = 0.01;

struct Energies {
  double highest, lowest, end;  ///< kinetic and potential less that at the start, share of m g H
  double kinetic;               ///< mean of the second half, share of m g H
  double compression;           ///< greatest density error of the second half
};

/// A tank of n x n x layers particles on their lattice, without viscosity, for `until` [s].
Energies of_tank(DfsphWallPressure walls, DfsphKernel kernel, double factor, double max_step, double until) {
  const int n = 6, layers = 12;
  InitialState state;
  state.systems = {new_system("dfsph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = spacing / 2;
  auto& parameters = fluid.parameters.of<DfsphParameters>();
  parameters.wall_pressure = walls;
  parameters.kernel = kernel;
  parameters.smoothing_length_factor = factor;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * spacing, n * spacing, 1}});
  state.max_time_step = max_step;
  Driver driver(state);
  const double mass = 1000 * std::pow(spacing, 3) * n * n * layers, scale = mass * g * layers * spacing;
  const auto potential = [&] {
    double height = 0;
    for (const Vec3& x : driver.store.position.to_host()) height += x.z;
    return mass * g * height / driver.store.count();
  };
  const double start = potential();
  Energies found{0, 0, 0, 0, 0};
  int count = 0;
  driver.run_until(until, [&](Driver& now) {
    const double kinetic = sums_of(now).kinetic_energy, rise = (kinetic + potential() - start) / scale;
    found.highest = std::max(found.highest, rise);
    found.lowest = std::min(found.lowest, rise);
    found.end = rise;
    if (now.time < until / 2) return;
    found.kinetic += kinetic / scale, ++count;
    found.compression = std::max(found.compression, now.system->statistics(now.store).density_error);
  });
  found.kinetic /= count;
  note("energy %+.5f to %+.5f, at the end %+.5f, kinetic %.5f of m g H, compression %.4f\n", found.lowest,
       found.highest, found.end, found.kinetic, found.compression);
  return found;
}

/// What a solve leaves within its tolerance, 1e-4 of the volume, is 1e-4 of m g H in a step, and it does not
/// add up. The lattice is no equilibrium: what it gives when it gives way is 1e-3 of m g H, and stays as
/// heat. The energy does not depend on the step: what an explicit first-order pump gains falls with it, what
/// a wrong force gains does not.
TEST(DfsphConservativeWalls, ATankWithoutViscosityGainsNoEnergy) {
  for (const double max_step : {2e-3, 5e-4}) {
    const Energies found =
        of_tank(DfsphWallPressure::conservative, DfsphKernel::cubic_spline, 1, max_step, 0.6);
    EXPECT_LT(found.highest, 5e-4) << max_step;
    EXPECT_GT(found.lowest, -5e-3) << max_step;
    EXPECT_LT(found.kinetic, 2.5e-3) << max_step;
    EXPECT_LT(found.compression, 0.012) << max_step;
  }
}
/// With more neighbors lattices are further from rest at walls, where they settle by up to 4 % of a column of
/// 12 layers; no energy is gained.
TEST(DfsphConservativeWalls, NoKernelGainsEnergy) {
  for (const auto kernel : {DfsphKernel::cubic_spline, DfsphKernel::wendland_c2})
    for (const double factor : {1.2, 1.5}) {
      const Energies found = of_tank(DfsphWallPressure::conservative, kernel, factor, 2e-3, 0.4);
      EXPECT_LT(found.highest, 1e-3) << int(kernel) << " " << factor;
      EXPECT_GT(found.lowest, -0.04) << int(kernel) << " " << factor;
      EXPECT_LT(found.end, found.lowest + 1e-3) << int(kernel) << " " << factor;  // never comes back
    }
}
/// What walls that mirror do instead, in the same tank: the shorter the step, the more they heat it.
TEST(DfsphConservativeWalls, MirroredWallsHeatATank) {
  const Energies found = of_tank(DfsphWallPressure::mirrored, DfsphKernel::cubic_spline, 1, 5e-4, 0.4);
  EXPECT_GT(found.highest, 0.005);
  EXPECT_GT(found.kinetic, 0.01);
}

}  // namespace dfsph_conservative_walls_test
MERGANSER_END
