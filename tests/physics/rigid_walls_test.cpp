/// Rigid bodies on walls: rebound, friction, rest.
#include <gtest/gtest.h>

#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/rigid_driver.h"

MERGANSER_BEGIN
namespace rigid_walls_test {

using namespace test;

constexpr double spacing = 0.05, g = 9.81, dt = 1e-3;

struct OnFloor {
  OnFloor(const RigidBlocks& state, double friction, double restitution, const Point3& normal = {0, 0, 1}) {
    WallParameters floor;
    floor.direction = normal;
    floor.friction = friction;
    floor.restitution = restitution;
    walls = std::make_unique<Walls>(std::vector<WallParameters>{floor});
    driver = std::make_unique<RigidDriver>(state, Vec3{0, 0, float(-g)});
    driver->walls = walls->view();
  }
  double energy() const {
    const auto sum = driver->sums();
    return sum.kinetic + sum.potential;
  }
  double lowest() const {
    double least = 1e9;
    for (const Vec3& x : driver->positions()) least = std::min(least, double(x.z));
    return least;
  }
  std::unique_ptr<Walls> walls;
  std::unique_ptr<RigidDriver> driver;
};

/// Dropped by H, it rises to e^2 H: to the first order of the step, of which an impact takes one.
TEST(RigidWalls, ABallBouncesToTheSquareOfItsRestitution) {
  for (const double restitution : {0.5, 0.8, 1.0}) {
    RigidBlocks state;
    const double height = 0.5;
    state.add(ball(0.17, {0, 0, 0.15 + 0.5 * spacing + height}, spacing), spacing);
    OnFloor scene(state, 0, restitution);
    const double rest = scene.driver->sums().centre.z - (scene.lowest() - 0.5 * spacing);
    double top = 0;
    bool hit = false;
    for (int k = 0; k < 900; ++k) {
      scene.driver->step(dt);
      const auto sum = scene.driver->sums();
      hit = hit || sum.momentum.z > 0;
      if (hit && sum.momentum.z < 0) break;
      if (hit) top = std::max(top, sum.centre.z - rest);
    }
    note("restitution %g: height %g m of %g m", restitution, top, restitution * restitution * height);
    EXPECT_NEAR(top, restitution * restitution * height, 0.01 * height);
    EXPECT_LE(top, restitution * restitution * height * (1 + 2e-3));
  }
}

/// Coulomb: it stops after v^2/(2 mu g), upright.
TEST(RigidWalls, ABoxSlidesToItsStop) {
  const double friction = 0.3, speed = 1.5;
  RigidBlocks state;
  state.add(block(8, 8, 3, {0, 0, 0.5 * spacing}, spacing), spacing, {speed, 0, 0});
  OnFloor scene(state, friction, 0);
  const double start = scene.driver->sums().centre.x;
  scene.driver->run(800, dt);
  const auto sum = scene.driver->sums();
  const double way = speed * speed / (2 * friction * g);
  note("way %g m, closed form %g m", sum.centre.x - start, way);
  EXPECT_NEAR(sum.centre.x - start, way, 0.005 * way);
  EXPECT_LT(sum.kinetic, 1e-9);
  EXPECT_NEAR(scene.lowest(), 0.5 * spacing, 1e-4 * spacing);
}

/// On a slope a box stays where tan(angle) < mu, and slides with g (sin - mu cos) where it is not.
TEST(RigidWalls, FrictionHoldsABoxOnASlopeUpToItsAngle) {
  const double angle = 0.4, friction[2] = {0.5, 0.3};
  for (const double mu : friction) {
    RigidBlocks state;
    auto places = block(8, 8, 3, {-3.5 * spacing, -3.5 * spacing, 0.5 * spacing}, spacing);
    for (Vec3d& x : places)
      x = {std::cos(angle) * x.x + std::sin(angle) * x.z, x.y,
           -std::sin(angle) * x.x + std::cos(angle) * x.z};
    state.add(places, spacing);
    OnFloor scene(state, mu, 0, {std::sin(angle), 0, std::cos(angle)});
    const auto start = scene.driver->sums().centre;
    scene.driver->run(300, dt);
    const double way = norm(scene.driver->sums().centre - start);
    const double pull = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle)));
    EXPECT_NEAR(way, 0.5 * pull * 0.3 * 0.301, 0.01 * pull * 0.09 + 1e-5) << mu;
  }
}

/// A tilted box falls on its edge and comes to rest flat; no step adds energy.
TEST(RigidWalls, ABoxComesToRest) {
  RigidBlocks state;
  auto places = block(6, 6, 4, {0, 0, 0.3}, spacing);
  for (Vec3d& x : places) x = {x.x, 0.8 * x.y - 0.6 * (x.z - 0.3), 0.3 + 0.6 * x.y + 0.8 * (x.z - 0.3)};
  state.add(places, spacing);
  OnFloor scene(state, 0.4, 0.2);
  double last = scene.energy();
  const double fall = scene.driver->sums().mass * g * 0.3;
  for (int k = 0; k < 2500; ++k) {
    scene.driver->step(dt);
    const double now = scene.energy();
    EXPECT_LE(now, last + 2e-3 * fall) << k;
    last = now;
  }
  const auto sum = scene.driver->sums();
  EXPECT_LT(sum.kinetic, 1e-6 * fall);
  EXPECT_NEAR(scene.lowest(), 0.5 * spacing, 2e-3 * spacing);
  EXPECT_NEAR(sum.centre.z, 2 * spacing, 0.01 * spacing);
  const Vec3d before = sum.centre;
  scene.driver->run(500, dt);
  EXPECT_LT(norm(scene.driver->sums().centre - before), 1e-5);
}

/// A spinning box thrown on a floor: the entries of the ledger explain energy and momentum to rounding.
TEST(RigidWalls, TheLedgerCloses) {
  RigidBlocks state;
  state.add(block(6, 6, 4, {0, 0, 0.2}, spacing), spacing, {1, 0.5, 0}, {2, 1, 3});
  InitialState scene;
  scene.gravity = {0, 0, -g};
  scene.time_step = dt;
  scene.systems = {state};
  scene.bodies = state.infos();
  WallParameters floor;
  floor.friction = 0.3;
  floor.restitution = 0.5;
  scene.walls = {floor};
  const auto simulation = make_simulation(scene);
  const double start = simulation->step(1e9)["kinetic_energy"];
  StepStatistics row;
  double touched = 0;
  for (int k = 0; k < 800; ++k) {
    row = simulation->step(1e9);
    touched = std::max(touched, row["dissipated_walls"]);
  }
  EXPECT_GT(touched, 0.1 * start);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-4 * start);
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(row.vector("momentum_residual")[c], 0, 1e-3);
}

}  // namespace rigid_walls_test
MERGANSER_END
