/// DFSPH and other systems in one pressure solve: what is conserved, fluids of unlike density, floating and
/// sinking solids.
#include <gtest/gtest.h>

#include "tests/support/coupled_scene.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace dfsph_coupled_test {

using namespace test;

constexpr double g = 9.81;

/// A rigid block that spins, two fluids and, unless `youngs_modulus` is 0, a soft ball collide in free space.
struct Collision : CoupledScene {
  explicit Collision(double youngs_modulus) : CoupledScene(0.05) {
    const double d = spacing;
    gravity = {0, 0, 0};
    std::vector<int> others{add_rigid(box_places({0, 0, 0}, 4, 4, 3, d), 500, {0, 0, -1}, {3, 0, 2})};
    if (youngs_modulus > 0)
      others.push_back(
          add_elastic(ball_places(0.13, {-0.2, 0.1, -0.15}, d), 1200, youngs_modulus, 0.3, {1, 0, 0}));
    others.push_back(add_fluid(box_places({0.05, -0.1, -0.35}, 4, 6, 5, d), 800, {-1, 0, 0}));
    const int water = add_fluid(box_places({-0.15, -0.1, -0.6}, 6, 6, 5, d), 1000, {0, 0, 1});
    couple(water, others);
    for (const SystemState& system : systems)
      for (const float m : system.mass) mass += m;
  }
  /// Checks momentum, and returns by how much angular momentum changes [kg m^2/s], of how much there is.
  std::pair<double, double> run(double share_of_energy) const {
    const auto simulation = make_simulation(*this);
    StepStatistics row = simulation->step(1e9);
    const auto momentum = row.vector("momentum"), angular = row.vector("angular_momentum");
    const double start = row["kinetic_energy"];
    for (int k = 0; k < 200; ++k) row = simulation->step(1e9);
    double change = 0, whole = 0;
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(row.vector("momentum")[c], momentum[c], 2e-6 * mass) << c;
      change = std::max(change, std::abs(row.vector("angular_momentum")[c] - angular[c]));
      whole = std::max(whole, std::abs(angular[c]));
    }
    note("kinetic energy %g of %g J, angular momentum %g of %g\n", row["kinetic_energy"], start, change,
         whole);
    EXPECT_LT(row["kinetic_energy"], share_of_energy * start);  // they did collide
    return {change, whole};
  }
  double mass = 0;
};
/// Pair forces are equal and opposite, and bodies take up forces with their torques. Float velocities of 1
/// m/s, rounded in each step, leave some 1e-7 of sum m |v|.
TEST(DfsphCoupled, FluidsAndRigidBodiesKeepMomentumAndAngularMomentum) {
  const Collision scene(0);
  EXPECT_LT(scene.run(0.95).first, 2e-6 * scene.mass);
}
/// A soft body's own steps keep angular momentum to first order in the step only
/// (solvers/methods/elastic_sph/METHOD.md).
TEST(DfsphCoupled, SoftBodiesKeepMomentum) {
  const auto [change, whole] = Collision(1e5).run(0.8);
  EXPECT_LT(change, 0.01 * whole);
}

struct Layers {
  double pressure;  ///< of the lowest two layers, share of the weight above their middle
  double apart;     ///< distance of the fluids' centres, share of that at the start
};
/// Oil upon water, or water of two names, at rest in a tank.
Layers two_layers(double density_above, DfsphWallPressure walls) {
  const double d = 0.02;
  const int n = 8, layers = 8;
  CoupledScene scene(d);
  const int oil = scene.add_fluid(box_places({0, 0, layers * d}, n, n, layers, d), density_above);
  const int water = scene.add_fluid(box_places({0, 0, 0}, n, n, layers, d), 1000);
  scene.couple(water, {oil}).max_density_error = 1e-6;
  for (const int s : {oil, water}) {
    auto& parameters = scene.systems[size_t(s)].parameters.of<DfsphParameters>();
    parameters.viscosity = 2e-3;
    parameters.wall_pressure = walls;
  }
  scene.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * d, n * d, 1}});
  const auto simulation = make_simulation(scene);
  double below = 0, between = 0;
  int rows = 0;
  while (simulation->time() < 0.4) {
    simulation->step(0.4);
    if (simulation->time() < 0.3) continue;
    const SystemParticles in_water(simulation->frame(), water), in_oil(simulation->frame(), oil);
    double sum = 0, count = 0;
    for (size_t i = 0; i < in_water.position.size(); ++i)
      if (in_water.position[i].z < 2 * d) sum += in_water.pressure[i], ++count;
    below += sum / count;
    between += in_oil.centre().z - in_water.centre().z;
    ++rows;
  }
  const double weight = g * layers * d * density_above + g * 1000 * (layers - 1) * d;  // at the height d
  note("pressure %g Pa of %g, centres %g spacings apart\n", below / rows, weight, between / rows / d);
  return {below / rows / weight, between / rows / (layers * d)};
}

/// Oil upon water, at rest: pressures carry the weight of both, and neither fluid moves away from the other.
/// The tolerance is that of DfsphHydrostatic, 3.5 % of the greatest pressure; layers lie a spacing apart
/// within 5 %.
TEST(DfsphCoupled, OilRestsUponWater) {
  const Layers found = two_layers(800, DfsphWallPressure::mirrored);
  EXPECT_NEAR(found.pressure, 1, 0.035);
  EXPECT_NEAR(found.apart, 1, 0.03);
}
/// What the layers lack, 2 % of pressure and of height, is the walls', not the interface's: water upon water
/// lacks the same to 1 % and 0.5 %. With conservative walls the lattice stays and the centres within 1.2 % of
/// where they were; the pressure is higher, for of the first layers beside four walls, n particles apart, a
/// share lambda_0 = 0.15 transmits nothing upwards: at most 1/(1 - 2 lambda_0/n)^2 = 1.08.
TEST(DfsphCoupled, WaterUponWaterSettlesAsMuchAsOil) {
  const Layers oil = two_layers(800, DfsphWallPressure::mirrored);
  const Layers water = two_layers(1000, DfsphWallPressure::mirrored);
  EXPECT_NEAR(water.pressure, oil.pressure, 0.01);
  EXPECT_NEAR(water.apart, oil.apart, 0.005);
  const Layers kept = two_layers(800, DfsphWallPressure::conservative);
  EXPECT_GT(kept.pressure, 1);
  EXPECT_LT(kept.pressure, 1.08);
  EXPECT_NEAR(kept.apart, 1, 0.012);
}
/// With images behind walls nothing is lacking: pressures within 1 %, centres within 0.5 % (measured: both
/// within 0.002 %).
TEST(DfsphCoupled, OilRestsUponWaterBetweenImages) {
  const Layers found = two_layers(800, DfsphWallPressure::images);
  EXPECT_NEAR(found.pressure, 1, 0.01);
  EXPECT_NEAR(found.apart, 1, 0.005);
}

/// Side by side without gravity nothing moves: at 800 beside 1000 kg/m^3 particle volumes are equal, so
/// neither side is taken for compressed. (Densities by masses would see 10 % there.)
TEST(DfsphCoupled, UnlikeFluidsSideBySideStayAtRest) {
  const double d = 0.02;
  CoupledScene scene(d);
  scene.gravity = {0, 0, 0};
  const int oil = scene.add_fluid(box_places({0, 0, 0}, 5, 5, 5, d), 800);
  const int water = scene.add_fluid(box_places({5 * d, 0, 0}, 5, 5, 5, d), 1000);
  scene.couple(water, {oil});
  const auto simulation = make_simulation(scene);
  for (int k = 0; k < 50; ++k) simulation->step(1e9);
  for (const int s : {oil, water}) {
    const SystemParticles in(simulation->frame(), s);
    EXPECT_LT(in.fastest(), 1e-4);  // a spacing in 200 s
    for (const double rho : in.density) EXPECT_LT(rho, 1.002 * scene.systems[size_t(s)].fluid.density0);
  }
}

/// Where the water's surface is by its pressures, far from a body: p = rho g (level - z) of the particles
/// about as high as the body's bottom.
double level_of(const SystemParticles& water, const Vec3d& body, double away, double bottom, double d) {
  double z = 0, p = 0, count = 0;
  for (size_t i = 0; i < water.position.size(); ++i) {
    const Vec3d& x = water.position[i];
    if (std::hypot(x.x - body.x, x.y - body.y) < away || std::abs(x.z - bottom) > 2 * d) continue;
    z += x.z, p += water.pressure[i], ++count;
  }
  return z / count + p / count / (1000 * g);
}

struct Floating {
  double submerged;  ///< [m] bottom below the level, mean of the last four tenths of a second
  double centre;     ///< [m] likewise
  double speed;      ///< [m/s] of the body, greatest in that time
};
/// A body that starts about where it should float in a tank, `n` x `n` x `layers` water particles.
Floating float_in_tank(CoupledScene& scene, int body, int n, int layers, double until) {
  const double d = scene.spacing;
  const int water = scene.add_fluid(box_places({0, 0, 0}, n, n, layers, d), 1000);
  DfsphParameters& parameters = scene.couple(water, {body});
  parameters.viscosity = 4e-3;
  parameters.max_density_error = 1e-5;
  parameters.wall_pressure = DfsphWallPressure::images;  // as scenes with a tank have them
  scene.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {n * d, n * d, 2}});
  const auto simulation = make_simulation(scene);
  Floating mean{0, 0, 0};
  int count = 0;
  while (simulation->time() < until) {
    simulation->step(until);
    if (simulation->time() < until - 0.4) continue;
    const FrameData frame = simulation->frame();
    const SystemParticles solid(frame, body), fluid(frame, water);
    const double level = level_of(fluid, solid.centre(), 0.3 * n * d, solid.lowest() - d / 2, d);
    mean.submerged += level - (solid.lowest() - d / 2);
    mean.centre += level - solid.centre().z;
    mean.speed = std::max(mean.speed, solid.fastest());
    ++count;
  }
  mean.submerged /= count, mean.centre /= count;
  return mean;
}

/// Relative error of the depth of a box `high` particles high that a slider keeps upright.
double error_of_depth(double ratio, int n, int layers, int wide, int high, double until) {
  const double d = 0.02;
  CoupledScene scene(d);
  const double bottom = (layers - ratio * high * 0.97) * d;  // a little too high at first
  const int aside = (n - wide) / 2;
  const int body =
      scene.add_rigid(box_places({aside * d, aside * d, bottom}, wide, wide, high, d), 1000 * ratio);
  scene.hold(body, RigidJoint::slider, {0, 0, 1});
  const Floating found = float_in_tank(scene, body, n, layers, until);
  const double share = found.submerged / (high * d);
  note("density ratio %g: depth %g of the height, speed %g m/s\n", ratio, share, found.speed);
  return share / ratio - 1;
}
/// A box floats as deep as its density is to water's, of few particles within a fifth of a spacing (measured:
/// 0.1 to 0.2).
TEST(DfsphCoupled, ABoxFloatsAtItsDensity) { EXPECT_NEAR(error_of_depth(0.5, 12, 10, 4, 6, 1.2), 0, 0.066); }
/// A soft ball of half the density floats half under water, within a fifth of a spacing.
TEST(DfsphCoupled, ASoftBallFloatsHalfUnderWater) {
  const double d = 0.02;
  CoupledScene scene(d);
  const int n = 15, layers = 10;
  const int soft = scene.add_elastic(ball_places(3.6 * d, {7.5 * d, 7.5 * d, 9.5 * d}, d), 500, 2e5, 0.3);
  const Floating found = float_in_tank(scene, soft, n, layers, 0.8);
  note("centre %g spacings below the level, speed %g m/s\n", found.centre / d, found.speed);
  EXPECT_NEAR(found.centre / d, 0, 0.2);
}
/// The viscosity that calms the water brakes the box too: the denser one still rises by 0.05 spacings in the
/// second second.
TEST(DfsphCoupledSlow, ABoxFloatsAtItsDensityWithinTwoPercent) {
  for (const double ratio : {0.5, 0.8})
    EXPECT_NEAR(error_of_depth(ratio, 18, 16, 6, 12, 3), 0, 0.02) << ratio;
}

}  // namespace dfsph_coupled_test
MERGANSER_END
