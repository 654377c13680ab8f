/// Elastic bodies on walls: rest, rebound and friction, with the walls inside the implicit solve
/// (solvers/coupling/implicit/implicit_walls.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/elastic_driver.h"

MERGANSER_BEGIN
namespace {

using test::ElasticDriver;
using test::SoftBody;

constexpr double dt = 2e-3, g = 9.81, spacing = 0.05;

/// A block of 6 x 6 x 4 particles whose lowest layer is `gap` above touching a floor at z = 0.
struct BlockOnFloor {
  BlockOnFloor(ElasticSolve solve, double youngs_modulus, double gap, double friction,
               const Vec3& velocity = {0, 0, 0}, double restitution = 0) {
    body.parameters.of<ElasticSphParameters>().solve = solve;
    body.parameters.of<ElasticSphParameters>().tolerance = 1e-5;
    body.parameters.of<ElasticSphParameters>().elastic_time_step = dt;
    body.parameters.of<ElasticSphParameters>().materials[0].youngs_modulus = youngs_modulus;
    body.add_lattice(6, 6, 4, {0, 0, float(0.5 * spacing + gap)});
    for (Float3& v : body.velocity) v = {velocity.x, velocity.y, velocity.z};
    WallParameters floor;
    floor.shape = WallShape::plane;
    floor.direction = {0, 0, 1};
    floor.friction = friction;
    floor.restitution = restitution;
    state.systems.push_back(body);
    state.walls.push_back(floor);
    walls = std::make_unique<WallContact>(state);
    driver = std::make_unique<ElasticDriver>(body, Vec3{0, 0, float(-g)});
    driver->walls = walls->view();
    for (float m : body.mass) mass += m;
  }
  void step() {
    driver->step(dt);
    walls->apply(driver->store, driver->gravity);
    driver->system->finish(driver->context(dt), driver->end_velocity.const_view());
  }
  /// [J] kinetic, potential and elastic.
  double energy() {
    statistics = driver->system->statistics(driver->store);
    double sum = statistics.elastic_energy;
    const auto x = driver->positions(), v = driver->velocities();
    for (size_t i = 0; i < x.size(); ++i)
      sum += double(body.mass[i]) * (0.5 * norm_squared(to_double(v[i])) + g * double(x[i].z));
    return sum;
  }
  double lowest() const {
    double least = 1e9;
    for (const Vec3& x : driver->positions()) least = std::min(least, double(x.z));
    return least;
  }
  Vec3d centre() const {
    Vec3d sum{0, 0, 0};
    const auto x = driver->positions();
    for (const Vec3& p : x) sum += (1.0 / double(x.size())) * to_double(p);
    return sum;
  }

  SoftBody body;
  InitialState state;
  std::unique_ptr<WallContact> walls;
  std::unique_ptr<ElasticDriver> driver;
  SystemStatistics statistics;
  double mass = 0;
};

/// Dropped by 5 cm: no step adds more than a hundredth of what the fall gave; it comes to rest on the floor,
/// which carries its weight. (Put back after the step alone, as WallContact does, the stiff one gains 15
/// times the fall in a single step.)
TEST(ElasticWalls, ABlockComesToRest) {
  for (const ElasticSolve solve : {ElasticSolve::preconditioned, ElasticSolve::conjugate_gradient})
    for (const double youngs_modulus : {2e5, 2e7}) {
      BlockOnFloor block(solve, youngs_modulus, 0.05, 0.3);
      const double start = block.energy();
      double before = start, rise = 0, impulse = 0;
      for (int k = 0; k < 1000; ++k) {
        block.step();
        const double now = block.energy();
        rise = std::max(rise, now - before);
        before = now;
        if (k >= 800) impulse += block.statistics.exchange.wall_impulse.z + block.walls->exchange().impulse.z;
        EXPECT_GT(block.lowest(), 0.499 * spacing);
      }
      const double fall = block.mass * g * 0.05;
      EXPECT_LT(rise, 0.01 * fall) << "E = " << youngs_modulus;
      EXPECT_LT(test::greatest(block.driver->velocities()), 0.02);
      EXPECT_NEAR(block.lowest(), 0.5 * spacing, 1e-3 * spacing);
      EXPECT_NEAR(impulse / (block.mass * g * 200 * dt), 1, 0.03);
    }
}

/// A block that slides at 1 m/s stops after v^2/(2 mu g), and goes on where there is no friction.
TEST(ElasticWalls, FrictionStopsABlock) {
  const double mu = 0.4;
  BlockOnFloor rough(ElasticSolve::preconditioned, 2e6, 0, mu, {1, 0, 0}),
      smooth(ElasticSolve::preconditioned, 2e6, 0, 0, {1, 0, 0});
  const double from = rough.centre().x;
  for (int k = 0; k < 250; ++k) {
    rough.step();
    smooth.step();
  }
  EXPECT_NEAR(rough.centre().x - from, 1 / (2 * mu * g), 0.15 / (2 * mu * g));
  EXPECT_LT(test::greatest(rough.driver->velocities()), 0.05);
  EXPECT_NEAR(smooth.centre().x - from, 250 * dt, 1e-3);
}

/// A stiff block that falls with 1 m/s leaves the floor, and the wall's restitution is that of its surface.
TEST(ElasticWalls, RestitutionThrowsBack) {
  auto speed_after = [](double restitution) {
    BlockOnFloor block(ElasticSolve::preconditioned, 1e8, 0.001, 0, {0, 0, -1}, restitution);
    for (int k = 0; k < 6; ++k) block.step();
    double sum = 0;
    const auto v = block.driver->velocities();
    for (const Vec3& w : v) sum += w.z / double(v.size());
    return sum;
  };
  EXPECT_LT(speed_after(0), 0.1);
  EXPECT_GT(speed_after(1), speed_after(0) + 0.2);
}

}  // namespace
MERGANSER_END
