/// Fluid that accelerates as a whole: density diffusion must neither blow it up nor bend its pressures.
#include <gtest/gtest.h>

#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace sph_accelerated_fluid_test {

using namespace sph_test;

constexpr double spacing = 0.01, rho = 1000;

InitialState water(int nx, int ny, int nz, const Vec3d& low = {0, 0, 0}) {
  InitialState state;
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = spacing / 2;
  fluid.parameters.of<SphParameters>().sound_speed = 20;
  add_block(fluid, low, nx, ny, nz);
  return state;
}

double height(const Driver& driver) {
  double low = 1e30, high = -1e30;
  for (const Vec3& x : driver.store.position.to_host())
    low = std::min(low, double(x.z)), high = std::max(high, double(x.z));
  return high - low;
}

/// Nothing acts on it but gravity, so nothing deforms it. (It grew by 0.7 % with a diffusion to the
/// hydrostatic density of fluid at rest.)
TEST(SphAcceleratedFluid, BlockInFreeFallKeepsItsSize) {
  Driver driver(water(10, 10, 10));
  const double before = height(driver);
  driver.run_until(0.5);
  const double growth = height(driver) / before - 1;
  EXPECT_LT(std::abs(growth), 1e-4);
  note("growth %.2e\n", growth);
}

/// Water in a tank that accelerates by `a` presses with rho (g - a) H. The largest deviation of a particle's
/// pressure from that of a linear law, over the greatest pressure.
double deviation_in_accelerated_tank(const Point3& a) {
  InitialState state = water(8, 8, 16);
  auto& parameters = state.systems[0].parameters.of<SphParameters>();
  parameters.viscosity_model = ViscosityModel::laminar;
  parameters.viscosity = 0.07;
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {8 * spacing, 8 * spacing, 1}});
  state.walls[0].motion.acceleration = a;
  Driver driver(state);
  driver.run_until(2);
  const Vec3d felt{state.gravity[0] - a[0], state.gravity[1] - a[1], state.gravity[2] - a[2]};
  const auto pressure = driver.field("pressure");
  const auto position = driver.store.position.to_host();
  double surface = -1e30, greatest = 0, worst = 0;
  for (const Vec3& x : position) surface = std::max(surface, -dot(felt, to_double(x)));
  surface += norm(felt) * spacing / 2;
  for (const Vec3& x : position) greatest = std::max(greatest, rho * (surface + dot(felt, to_double(x))));
  for (size_t i = 0; i < position.size(); ++i)
    worst = std::max(worst, std::abs(pressure[i] - rho * (surface + dot(felt, to_double(position[i])))));
  return worst / greatest;
}

/// As a tank at rest (SphHydrostatic), but with half the weight at the lower g' and steps that vary with the
/// speed: within 3.5 % of rho g' H. With a diffusion to the density of fluid at rest 7.5 %.
TEST(SphAcceleratedFluid, TankThatFallsOrRisesPressesWithItsWeight) {
  for (const double share : {-0.5, 0.5}) {
    const double deviation = deviation_in_accelerated_tank({0, 0, share * 9.81});
    EXPECT_LT(deviation, 0.035) << share;
    note("acceleration %.1f g: %.2f %% of the pressure at the bottom\n", share, 100 * deviation);
  }
}

/// In a drum that turns without gravity p = rho omega^2 r^2/2 + const. With a diffusion to the density of
/// fluid at rest the slope is 10 % off.
TEST(SphAcceleratedFluid, PressureInATurningDrum) {
  const double omega = 20, radius = 0.1;
  InitialState state = water(20, 20, 8, {-0.1, -0.1, 0});
  state.gravity = {0, 0, 0};
  SystemState& fluid = state.systems[0];
  const auto lattice = fluid.position;
  fluid.position.clear(), fluid.velocity.clear(), fluid.mass.clear(), fluid.radius.clear(),
      fluid.immobile.clear(), fluid.body.clear();
  for (const Float3& x : lattice)
    if (std::hypot(x[0], x[1]) < radius - 0.5 * spacing)
      add_particle(fluid, {x[0], x[1], x[2]}, Vec3d{-x[1], x[0], 0} * omega);
  state.periodic_length = {0, 0, 8 * spacing};
  state.walls.push_back({.shape = WallShape::cylinder, .direction = {0, 0, 1}, .radius = radius});
  Driver driver(state);
  driver.run_until(1);
  // Least squares of p over r^2 and of v_phi over r, of the fluid between.
  const auto pressure = driver.field("pressure");
  const auto x = driver.store.position.to_host(), v = driver.store.velocity.to_host();
  double n = 0, s = 0, ss = 0, p = 0, sp = 0, turn = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double r2 = x[i].x * x[i].x + x[i].y * x[i].y;
    if (r2 < 0.05 * 0.05 || r2 > 0.085 * 0.085) continue;
    n += 1, s += r2, ss += r2 * r2, p += pressure[i], sp += pressure[i] * r2;
    turn += x[i].x * v[i].y - x[i].y * v[i].x;
  }
  const double slope = (n * sp - s * p) / (n * ss - s * s), spin = turn / s;
  note("p/r^2 is %.4f of rho omega^2/2, omega %.3f\n", slope / (rho * spin * spin / 2), spin);
  EXPECT_NEAR(slope / (rho * spin * spin / 2), 1, 0.03);
}

}  // namespace sph_accelerated_fluid_test
MERGANSER_END
