/// Viscosity between a DFSPH fluid and the rigid and elastic bodies in its pressure solve.
#include <gtest/gtest.h>

#include "tests/support/coupled_scene.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace dfsph_solid_drag_test {

using namespace test;

/// A block that spins in a drop of honey, in free space: friction gives its momentum and angular momentum to
/// the drop.
TEST(DfsphSolidDrag, KeepsMomentumAndAngularMomentum) {
  CoupledScene scene(0.05);
  scene.gravity = {0, 0, 0};
  const int block = scene.add_rigid(box_places({0, 0, 0}, 4, 4, 3, 0.05), 500, {0, 0, -0.5}, {1, 0, 4});
  const int honey = scene.add_fluid(ball_places(0.33, {0.1, 0.1, 0.075}, 0.05), 1000);
  scene.couple(honey, {block}).forces.implicit_viscosity = 30;
  double mass = 0;
  for (const SystemState& system : scene.systems)
    for (const float m : system.mass) mass += m;
  const auto simulation = make_simulation(scene);
  const auto spin = [&] {
    const SystemParticles now(simulation->frame(), block);
    const Vec3d centre = now.centre();
    Vec3d sum{0, 0, 0};
    for (size_t i = 0; i < now.position.size(); ++i) sum += cross(now.position[i] - centre, now.velocity[i]);
    return sum.z;
  };
  const double before = spin();
  StepStatistics row = simulation->step(1e9);
  const auto momentum = row.vector("momentum"), angular = row.vector("angular_momentum");
  for (int k = 0; k < 100; ++k) row = simulation->step(1e9);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(row.vector("momentum")[c], momentum[c], 2e-6 * mass) << c;
    EXPECT_NEAR(row.vector("angular_momentum")[c], angular[c], 2e-6 * mass) << c;
  }
  const double after = spin();
  note("the block keeps %.3f of its spin; angular momentum %g to %g\n", after / before, angular[2],
       row.vector("angular_momentum")[2]);
  EXPECT_LT(after, 0.6 * before);
  EXPECT_GT(after, 0);
}

/// The same with a soft block, whose particles move by themselves.
TEST(DfsphSolidDrag, OfASoftBlockKeepsMomentum) {
  CoupledScene scene(0.05);
  scene.gravity = {0, 0, 0};
  const int block = scene.add_elastic(box_places({0, 0, 0}, 4, 4, 3, 0.05), 500, 1e5, 0.3, {0, 0, -0.5});
  const int honey = scene.add_fluid(ball_places(0.33, {0.1, 0.1, 0.075}, 0.05), 1000);
  scene.couple(honey, {block}).forces.implicit_viscosity = 30;
  double mass = 0;
  for (const SystemState& system : scene.systems)
    for (const float m : system.mass) mass += m;
  const auto simulation = make_simulation(scene);
  StepStatistics row = simulation->step(1e9);
  const auto momentum = row.vector("momentum");
  const auto speed = [&] {
    double sum = 0;
    const auto velocity = SystemParticles(simulation->frame(), block).velocity;
    for (const Vec3d& v : velocity) sum += v.z;
    return sum / double(velocity.size());
  };
  for (int k = 0; k < 100; ++k) row = simulation->step(1e9);
  note("the block keeps %.3f of its speed\n", speed() / -0.5);
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(row.vector("momentum")[c], momentum[c], 2e-6 * mass) << c;
  EXPECT_LT(speed(), 0.0);
  EXPECT_GT(speed(), 0.2 * -0.5);
}

/// [N/(rho nu U A/L)] Force on the lower of two plates, L apart, of which the upper one moves with U. So
/// heavy that the motion it gets is small.
double shear_force_between_plates(double nu, bool implicit) {
  const double solid_density = 2e6 * nu;
  constexpr double d = 0.02, speed = 0.2;
  constexpr int across = 8, layers = 12, thick = 3;
  CoupledScene scene(d);
  scene.gravity = {0, 0, 0};
  scene.periodic_length = {across * d, across * d, 0};
  const int lower = scene.add_rigid(box_places({0, 0, -thick * d}, across, across, thick, d), solid_density);
  const int upper = scene.add_rigid(box_places({0, 0, layers * d}, across, across, thick, d), solid_density);
  const int fluid = scene.add_fluid(box_places({0, 0, 0}, across, across, layers, d), 1000);
  SystemState& glides = scene.systems[size_t(fluid)];
  for (size_t i = 0; i < glides.position.size(); ++i)
    glides.velocity[i] = {float(speed * glides.position[i][2] / (layers * d)), 0, 0};
  DfsphParameters& parameters = scene.couple(fluid, {lower, upper});
  (implicit ? parameters.forces.implicit_viscosity : parameters.viscosity) = implicit ? 1000 * nu : nu;
  parameters.forces.viscosity_tolerance = 1e-5;
  scene.hold(lower, RigidJoint::slider, {1, 0, 0});
  scene.hold(upper, RigidJoint::held, {1, 0, 0});
  SystemState& led = scene.systems[size_t(upper)];
  led.immobile.assign(led.mass.size(), 1);
  RigidMotion motion;
  motion.velocity = {speed, 0, 0};
  led.parameters.of<RigidParameters>().bodies[0].motions = {motion};
  const auto simulation = make_simulation(scene);
  const auto speed_at = [&](double time) {
    while (simulation->time() < time - 1e-9) simulation->step(time);
    return SystemParticles(simulation->frame(), lower).velocity[0].x;
  };
  const double from = 0.1, until = 0.3, before = speed_at(from);
  const double acceleration = (speed_at(until) - before) / (until - from);
  const double mass = solid_density * thick * d * across * across * d * d;
  const double force = mass * acceleration;
  const double found = force / (1000 * nu * speed / (layers * d) * across * across * d * d);
  note("nu dt/d^2 %g: force between plates %.3f of Couette's\n", nu * scene.max_time_step / (d * d), found);
  return found;
}
/// Couette's flow. Neighbors along the axes of a lattice have no part in shear by forces along lines of
/// centres: the two interfaces slip by a quarter of a spacing each, of 12.
TEST(DfsphSolidDrag, OfAPlateInShearFlow) { EXPECT_NEAR(shear_force_between_plates(0.01, false), 1, 0.05); }
/// The implicit step gives the same where it is 0.05, 1 and 20 times d^2/nu.
TEST(DfsphSolidDrag, DoesNotDependOnTheStep) {
  for (const double nu : {0.01, 0.2, 4.0}) EXPECT_NEAR(shear_force_between_plates(nu, true), 1, 0.05) << nu;
}

/// Where a step would take more than all of the relative velocity, the plate still follows the fluid and does
/// not overshoot: a light plate in honey, with the explicit step of water.
TEST(DfsphSolidDrag, IsStableAtAnyViscosity) {
  constexpr double d = 0.02;
  CoupledScene scene(d);
  scene.gravity = {0, 0, 0};
  const int plate = scene.add_rigid(box_places({0, 0, 0}, 4, 4, 2, d), 20);
  const int honey = scene.add_fluid(box_places({-2 * d, -2 * d, -3 * d}, 8, 8, 8, d), 1000, {0.5, 0, 0});
  scene.couple(honey, {plate}).forces.implicit_viscosity = 1e4;
  const auto simulation = make_simulation(scene);
  double fastest = 0;
  for (int k = 0; k < 60; ++k) {
    simulation->step(1e9);
    for (const Vec3d& v : SystemParticles(simulation->frame(), plate).velocity)
      fastest = std::max(fastest, norm(v));
  }
  note("the plate was as fast as %.3f m/s\n", fastest);
  EXPECT_NEAR(SystemParticles(simulation->frame(), plate).velocity[0].x, 0.5, 0.02);
  EXPECT_LT(fastest, 0.55);
}

/// Speed [m/s] at which a ball of 1500 kg/m^3, six spacings across, sinks along a square duct of oil, early
/// and late.
struct Settling {
  double early, late;
};
Settling settling_in(double depth_in_spacings) {
  constexpr double d = 0.02, nu = 0.02;
  constexpr int wide = 16, below = 16;
  const int deep = int(depth_in_spacings);
  CoupledScene scene(d);
  scene.max_time_step = 4e-3;
  const int ball = scene.add_rigid(ball_places(3.1 * d, {wide * d / 2, wide * d / 2, below * d}, d), 1500);
  const int oil = scene.add_fluid(box_places({0, 0, 0}, wide, wide, deep, d), 1000);
  DfsphParameters& parameters = scene.couple(oil, {ball});
  parameters.forces.implicit_viscosity = 1000 * nu;
  parameters.wall_pressure = DfsphWallPressure::images;
  scene.hold(ball, RigidJoint::slider, {0, 0, 1});
  scene.walls.push_back(
      {.shape = WallShape::box, .low = {0, 0, 0}, .high = {wide * d, wide * d, 2}, .no_slip = true});
  const auto simulation = make_simulation(scene);
  const auto place_at = [&](double time) {
    while (simulation->time() < time - 1e-9) simulation->step(time);
    return SystemParticles(simulation->frame(), ball).centre().z;
  };
  const double first = place_at(0.2), second = place_at(0.4), third = place_at(0.8), last = place_at(1);
  return {(first - second) / 0.2, (third - last) / 0.2};
}
/// Schiller and Naumann 1933 with the hindrance of walls by Francis 1933: 0.077 m/s. The pressure of the
/// liquid above does not brake it: with pair forces of the whole pressure the speed fell to a half, the
/// sooner the deeper.
TEST(DfsphSolidDrag, OfABallThatSettlesDoesNotGrowWithTimeOrDepth) {
  for (const double depth : {24.0, 48.0}) {
    const Settling found = settling_in(depth);
    note("depth of %g spacings: %.4f m/s early, %.4f late\n", depth, found.early, found.late);
    EXPECT_GT(found.late, 0.8 * found.early);
  }
}

}  // namespace dfsph_solid_drag_test
MERGANSER_END
