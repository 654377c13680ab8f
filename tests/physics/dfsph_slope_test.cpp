/// DFSPH along walls that drive nothing: what slides on them without friction falls freely along them.
#include <gtest/gtest.h>

#include "solvers/methods/dfsph/dfsph_parameters.h"
#include "tests/support/driven_fluids.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace dfsph_slope_test {

using namespace sph_test;

/// Mean acceleration [m/s^2] along a slope of 20 degrees, without friction and periodic along it and across,
/// of a layer of ten particles over 0.3 s.
double acceleration_on_slope(DfsphWallPressure walls, double viscosity) {
  const double d = 0.01, until = 0.3, angle = 20 * 3.14159265358979 / 180;
  const int n = 8, layers = 10;
  InitialState state;
  state.systems = {new_system("dfsph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = d / 2;
  fluid.parameters.of<DfsphParameters>().wall_pressure = walls;
  fluid.parameters.of<DfsphParameters>().viscosity = viscosity;
  add_block(fluid, {0, 0, 0}, n, n, layers);
  state.walls.push_back({.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}});
  state.gravity = {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)};
  state.periodic_length = {n * d, n * d, 0};
  state.max_time_step = 2e-3;
  Driver driver(state);
  driver.run_until(until);
  double speed = 0;
  for (const Vec3& v : driver.store.velocity.to_host()) speed += double(v.x) / driver.store.count();
  note("%.4f m/s^2 of %.4f\n", speed / until, state.gravity[0]);
  return speed / until / state.gravity[0];
}

/// Measured: 0.998 with and without viscosity (CarriedAlongWalls; 0.983 where the pressure is hydrostatic
/// along walls whatever the fluid does), 1.000 with conservative walls and with images.
TEST(DfsphSlope, ALayerWithoutFrictionFallsFreely) {
  EXPECT_NEAR(acceleration_on_slope(DfsphWallPressure::mirrored, 0), 1, 0.004);
  EXPECT_NEAR(acceleration_on_slope(DfsphWallPressure::mirrored, 2e-3), 1, 0.004);
  EXPECT_NEAR(acceleration_on_slope(DfsphWallPressure::conservative, 0), 1, 5e-4);
  EXPECT_NEAR(acceleration_on_slope(DfsphWallPressure::images, 0), 1, 5e-4);
}

}  // namespace dfsph_slope_test
MERGANSER_END
