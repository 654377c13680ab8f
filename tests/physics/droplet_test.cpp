/// Surface tension at work on an SPH fluid without gravity: a cube becomes a ball.
#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace droplet_test {

using namespace sph_test;

/// A box of nx x nx x nz particles of 1 mm with the tension of water.
InitialState drop(int nx, int nz, double viscosity) {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 5e-4;
  auto& parameters = fluid.parameters.of<SphParameters>();
  parameters.viscosity_model = ViscosityModel::none;
  parameters.sound_speed = 2;
  parameters.forces.surface_tension = 0.072;
  parameters.forces.implicit_viscosity = viscosity;
  add_block(fluid, {0, 0, 0}, nx, nx, nz);
  state.max_time_step = 1;
  return state;
}
std::vector<Vec3d> from_centre(const Driver& driver) {
  std::vector<Vec3d> x;
  Vec3d centre{0, 0, 0};
  for (const Vec3& p : driver.positions()) x.push_back(to_double(p)), centre += x.back();
  for (Vec3d& p : x) p -= centre * (1 / double(x.size()));
  return x;
}
/// Radius of a ball with as many particles [m].
double ball_radius(const Driver& driver) { return 1e-3 * std::cbrt(driver.store.count() * 3 / (4 * sph_pi)); }

/// How far the drop reaches along the axes and along the diagonals of space, over the ball's radius; a cube
/// has 0.81 and 1.40. Outermost particles lie up to half a spacing, 7 % of the radius, below the surface.
TEST(Droplet, CubeBecomesABall) {
  Driver driver(drop(12, 12, 0.03));
  driver.run_until(0.12);
  double along_axes = 0, along_diagonals = 0;
  for (const Vec3d& x : from_centre(driver)) {
    const Vec3d a{std::abs(x.x), std::abs(x.y), std::abs(x.z)};
    along_axes = std::max({along_axes, a.x, a.y, a.z});
    along_diagonals = std::max(along_diagonals, (a.x + a.y + a.z) / std::sqrt(3.0));
  }
  along_axes /= ball_radius(driver);
  along_diagonals /= ball_radius(driver);
  Vec3d momentum{0, 0, 0};
  for (const Vec3& v : driver.velocities()) momentum += to_double(v);
  note("reaches %.3f R along axes, %.3f R along diagonals, %lld steps\n", along_axes, along_diagonals,
       driver.steps);
  EXPECT_NEAR(along_axes, 0.97, 0.04);
  EXPECT_NEAR(along_diagonals, along_axes, 0.04);
  EXPECT_LT(norm(momentum), 1e-3 * 0.1 * driver.store.count());  // 0.1 m/s: the speed on the way
}

/// A period of the lowest oscillation, over which the drop is as long as it is wide three times:
/// omega^2 = 8 sigma/(rho R^3) (Rayleigh 1879). 8 particles across, R = 4.7 h. Drops of R = 4.7, 6.6 and 9.5
/// h have shown 2.0, 1.7 and 1.6 times the given tension, which tends to 1.1 in large ones: the range of
/// cohesion, 2 h, is not small beside R.
TEST(Droplet, OscillatesByItsTension) {
  Driver driver(drop(8, 12, 0.003));
  double last = 1;
  std::vector<double> round_at;
  driver.run_until(0.2, [&](Driver& d) {
    double across = 0, along = 0;
    for (const Vec3d& x : from_centre(d)) across += (x.x * x.x + x.y * x.y) / 2, along += x.z * x.z;
    const double longer = along / across - 1;
    if (last * longer < 0) round_at.push_back(d.time);
    last = longer;
  });
  ASSERT_GE(round_at.size(), 3u);
  const double period = round_at[2] - round_at[0], omega = 2 * sph_pi / period, radius = ball_radius(driver);
  const double sigma = omega * omega * 1000 * radius * radius * radius / 8;
  note("a period is %.1f ms: sigma = %.4f N/m of 0.072\n", 1000 * period, sigma);
  EXPECT_GT(sigma, 1.7 * 0.072);
  EXPECT_LT(sigma, 2.3 * 0.072);
}

}  // namespace droplet_test
MERGANSER_END
