/// Cloth and brittle solids at walls that their implicit solves know (solvers/coupling/implicit/
/// implicit_walls.h): no step gains energy, little is left for what puts particles back, friction and rebound
/// are those of the wall.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/coupling/boundary/wall_contact.h"
#include "tests/support/mass_spring_driver.h"
#include "tests/support/note.h"
#include "tests/support/peridynamics_driver.h"

MERGANSER_BEGIN
namespace implicit_walls_test {

constexpr double dt = 1e-3, g = 9.81;

WallParameters floor_at_zero(double friction = 0.3, double restitution = 0) {
  WallParameters floor;
  floor.shape = WallShape::plane;
  floor.direction = {0, 0, 1};
  floor.friction = friction;
  floor.restitution = restitution;
  return floor;
}
WallParameters ball(Point3 centre, double radius) {
  WallParameters wall;
  wall.shape = WallShape::sphere;
  wall.point = centre;
  wall.radius = radius;
  wall.inside = false;
  wall.friction = 0.3;
  return wall;
}

template <class Driver>
struct BodyAtWall {
  BodyAtWall(const SystemState& body, const WallParameters& wall) {
    state.systems.push_back(body);
    state.walls.push_back(wall);
    walls = std::make_unique<WallContact>(state);
    driver = std::make_unique<Driver>(body, Vec3{0, 0, float(-g)});
    driver->walls = walls->view();
    energy = energy_now();
    for (float m : body.mass) mass += m;
  }
  void step() {
    driver->step(dt);
    walls->apply(driver->store, driver->gravity);
    const double before = energy;
    energy = energy_now();
    rise = std::max(rise, energy - before);
    put_back += std::abs(walls->exchange().energy);
    for (const Vec3& v : driver->velocities()) fastest = std::max(fastest, double(norm(v)));
  }
  /// [J] kinetic, potential and elastic.
  double energy_now() {
    double sum = driver->system->statistics(driver->store).elastic_energy;
    const auto x = driver->positions(), v = driver->velocities();
    const auto m = driver->store.mass.to_host();
    for (size_t i = 0; i < x.size(); ++i)
      sum += double(m[i]) * (0.5 * norm_squared(to_double(v[i])) + g * double(x[i].z));
    return sum;
  }
  Vec3d mean_velocity() const {
    Vec3d sum{0, 0, 0};
    const auto v = driver->velocities();
    for (const Vec3& one : v) sum += (1.0 / double(v.size())) * to_double(one);
    return sum;
  }
  void say(const char* name) const {
    const double fall = 0.5 * mass * 4;
    note("%s: rise %.2g, put back %.2g of the energy of the fall, fastest %.2f m/s\n", name, rise / fall,
         put_back / fall, fastest);
  }

  InitialState state;
  std::unique_ptr<WallContact> walls;
  std::unique_ptr<Driver> driver;
  double energy = 0, mass = 0;
  double rise = 0, put_back = 0, fastest = 0;  ///< [J] of a step, [J] in all, [m/s]
};

/// 8 x 8 x `layers` particles, 1 cm apart, whose lowest layer is `gap` above touching a floor at z = 0.
test::BrittleBody brick(double bulk_modulus, float gap, Float3 velocity, int layers = 4) {
  test::BrittleBody body;
  body.parameters.of<PeridynamicsParameters>().materials[0].bulk_modulus = bulk_modulus;
  body.parameters.of<PeridynamicsParameters>().tolerance = 1e-5;
  body.add_lattice(8, 8, layers, {-0.035f, -0.035f, 0.005f + gap});
  for (Float3& v : body.velocity) v = velocity;
  return body;
}

/// 13 x 13 particles, 2 cm apart, in the plane z = height.
test::SpringBody sheet(float height, Float3 velocity) {
  test::SpringBody body;
  const int n = 13, half = n / 2;
  const float d = 0.02f;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      body.add({d * float(i - half), d * float(j - half), height}, 2e-3f, false, velocity);
  const auto join = [&](int a, int b, float length, float stiffness) {
    body.springs.push_back({a, b, length, stiffness, SpringKind::structural});
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int at = i + n * j;
      if (i + 1 < n) join(at, at + 1, d, 2000);
      if (j + 1 < n) join(at, at + n, d, 2000);
      if (i + 1 == n || j + 1 == n) continue;
      join(at, at + n + 1, d * std::sqrt(2.0f), 500);
      join(at + 1, at + n, d * std::sqrt(2.0f), 500);
    }
  return body;
}

/// Falls with 2 m/s on a floor and on a ball: no step gains a thousandth of the energy of the fall, and what
/// puts particles back has next to nothing to do.
TEST(ImplicitWalls, ABrittleBodyGainsNoEnergy) {
  for (const WallParameters& wall : {floor_at_zero(), ball({0.01, 0, -0.1}, 0.1)}) {
    BodyAtWall<test::PeridynamicsDriver> body(brick(1e7, 0.002f, {0, 0, -2}), wall);
    const double fall = 0.5 * body.mass * 4;
    for (int k = 0; k < 100; ++k) body.step();
    body.say("brittle body");
    EXPECT_LT(body.rise, 1e-3 * fall);
    EXPECT_LT(body.put_back, 0.02 * fall);
    EXPECT_LT(body.fastest, 3);
  }
}

/// Likewise a cloth.
TEST(ImplicitWalls, AClothGainsNoEnergy) {
  for (const WallParameters& wall : {floor_at_zero(), ball({0.01, 0, -0.1}, 0.1)}) {
    BodyAtWall<test::MassSpringDriver> cloth(sheet(0.02f, {0, 0, -2}), wall);
    const double fall = 0.5 * cloth.mass * 4;
    for (int k = 0; k < 100; ++k) cloth.step();
    cloth.say("cloth");
    EXPECT_LT(cloth.rise, 1e-3 * fall);
    EXPECT_LT(cloth.put_back, 0.02 * fall);
  }
}

/// They slide at 1 m/s and stop after v/(mu g).
TEST(ImplicitWalls, FrictionStopsABrittleBodyAndACloth) {
  const double mu = 0.4, time = 1 / (mu * g);
  BodyAtWall<test::PeridynamicsDriver> body(brick(1e7, 0, {1, 0, 0}), floor_at_zero(mu));
  BodyAtWall<test::MassSpringDriver> cloth(sheet(0.01f, {1, 0, 0}), floor_at_zero(mu));
  const int half = int(0.5 * time / dt);
  for (int k = 0; k < half; ++k) body.step(), cloth.step();
  EXPECT_NEAR(body.mean_velocity().x, 0.5, 0.1);
  EXPECT_NEAR(cloth.mean_velocity().x, 0.5, 0.02);
  for (int k = 0; k < 2 * half; ++k) body.step(), cloth.step();
  EXPECT_NEAR(body.mean_velocity().x, 0, 0.02);
  EXPECT_NEAR(cloth.mean_velocity().x, 0, 0.01);
}

/// A flat cloth and a plate of one layer have nothing that could deform: every particle leaves the floor with
/// e times the speed that it came with.
TEST(ImplicitWalls, ReboundIsThatOfTheWall) {
  const double speed = 1 + g * dt;
  for (const double e : {0.0, 0.5, 1.0}) {
    BodyAtWall<test::MassSpringDriver> cloth(sheet(0.0105f, {0, 0, -1}), floor_at_zero(0, e));
    cloth.step();
    for (const Vec3& v : cloth.driver->velocities()) EXPECT_NEAR(v.z, e * speed, 1e-4) << e;
    BodyAtWall<test::PeridynamicsDriver> plate(brick(1e7, 5e-4f, {0, 0, -1}, 1), floor_at_zero(0, e));
    plate.step();
    for (const Vec3& v : plate.driver->velocities()) EXPECT_NEAR(v.z, e * speed, 1e-4) << e;
  }
}

/// A brick is thrown back by a floor with restitution, which one without does not do.
TEST(ImplicitWalls, RestitutionThrowsABrittleBodyBack) {
  const auto speed_after = [](double e) {
    BodyAtWall<test::PeridynamicsDriver> body(brick(1e8, 0.001f, {0, 0, -1}), floor_at_zero(0, e));
    for (int k = 0; k < 6; ++k) body.step();
    note("brick, restitution %g: %.3f m/s\n", e, double(body.mean_velocity().z));
    return double(body.mean_velocity().z);
  };
  EXPECT_LT(std::abs(speed_after(0)), 0.1);
  EXPECT_GT(speed_after(1), speed_after(0) + 0.2);
}

}  // namespace implicit_walls_test
MERGANSER_END
