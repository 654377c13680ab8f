/// Rigid bodies that touch nothing, and on joints, against closed forms.
#include <gtest/gtest.h>

#include "tests/support/note.h"
#include "tests/support/rigid_driver.h"

MERGANSER_BEGIN
namespace rigid_motion_test {

using namespace test;

constexpr double pi = 3.14159265358979323846, spacing = 0.05;

/// The distance of two particles, which no step may change by more than the rounding of positions.
double greatest_change_of_shape(const RigidDriver& driver, const std::vector<Vec3>& start) {
  const auto x = driver.positions();
  double worst = 0;
  for (size_t i = 0; i < x.size(); i += 7)
    for (size_t j = 0; j < i; j += 5)
      worst = std::max(worst, std::abs(norm(to_double(x[i]) - to_double(x[j])) -
                                       norm(to_double(start[i]) - to_double(start[j]))));
  return worst;
}

/// Symplectic Euler: after n steps z = z0 - g dt^2 n (n + 1)/2.
TEST(RigidMotion, FallsFreely) {
  RigidBlocks state;
  state.add(block(3, 4, 5, {0, 0, 1}, spacing), spacing, {1, 0, 0}, {0, 3, 1});
  RigidDriver driver(state, {0, 0, -9.81f});
  const auto before = driver.sums();
  const auto start = driver.positions();
  const double dt = 1e-3;
  driver.run(200, dt);
  const auto after = driver.sums();
  EXPECT_NEAR(after.centre.z - before.centre.z, -0.5 * double(9.81f) * dt * dt * 200 * 201, 1e-6);
  EXPECT_NEAR(after.centre.x - before.centre.x, 0.2, 1e-6);
  EXPECT_NEAR(after.momentum.x, before.momentum.x, 1e-6 * before.momentum.x);
  EXPECT_LT(greatest_change_of_shape(driver, start), 5e-7);
}

/// A T-handle turned about its middle axis with a disturbance of a hundredth flips over again and again
/// (Dzhanibekov). Energy and angular momentum stay, and the flips come when the reference's do: the scheme is
/// of second order, omega dt = 0.02 over 6,000 steps.
TEST(RigidMotion, FlipsAboutTheMiddleAxisAsTheReferenceDoes) {
  RigidBlocks state;
  auto places = block(9, 2, 2, {0, 0, 0}, spacing);
  for (const Vec3d& x : block(2, 5, 2, {3.5 * spacing, 2 * spacing, 0}, spacing)) places.push_back(x);
  state.add(places, spacing);
  RigidState made(state, state.infos());
  const RigidView view = made.view();
  const Vec3d inertia = read_back(View<const Vec3d>(view.inertia), 0);
  const Quaternion turn = read_back(View<const Quaternion>(view.turn), 0);
  const Vec3d place = read_back(View<const Vec3d>(view.place), 0);
  // Which axis is the middle one.
  const double i[3] = {inertia.x, inertia.y, inertia.z};
  int order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](int a, int b) { return i[a] < i[b]; });
  double w[3] = {0, 0, 0};
  w[order[1]] = 20;
  w[order[0]] = 0.2;
  const Vec3d omega_body{w[0], w[1], w[2]}, omega = rotated(turn, omega_body);
  for (size_t k = 0; k < places.size(); ++k) {
    const Vec3d v = cross(omega, places[k] - place);
    state.velocity[k] = {float(v.x), float(v.y), float(v.z)};
  }
  RigidDriver driver(state, {0, 0, 0});
  FreeTop reference{inertia, omega_body, turn};
  const auto before = driver.sums();
  const double dt = 1e-3;
  int flips = 0, flips_of_reference = 0;
  double sign = 1, sign_of_reference = 1, worst_angle = 0;
  const double unit[3] = {order[1] == 0 ? 1.0 : 0.0, order[1] == 1 ? 1.0 : 0.0, order[1] == 2 ? 1.0 : 0.0};
  const Vec3d axis{unit[0], unit[1], unit[2]}, spin_axis = omega / norm(omega);
  for (int step = 0; step < 6000; ++step) {
    driver.step(dt);
    for (int k = 0; k < 4; ++k) reference.step(dt / 4);
    const auto fields = driver.system->frame_fields();
    const Quaternion now{fields[0].second[0],
                         {fields[1].second[0], fields[2].second[0], fields[3].second[0]}};
    const Vec3d a = rotated(now, axis), b = rotated(reference.turn, axis);
    if (dot(a, spin_axis) * sign < -0.5) sign = -sign, ++flips;
    if (dot(b, spin_axis) * sign_of_reference < -0.5)
      sign_of_reference = -sign_of_reference, ++flips_of_reference;
    worst_angle = std::max(worst_angle, norm(a - b));
  }
  const auto after = driver.sums();
  note("%d flips, greatest distance of the axes %g", flips, worst_angle);
  EXPECT_GE(flips_of_reference, 3);
  EXPECT_EQ(flips, flips_of_reference);
  EXPECT_LT(worst_angle, 0.05);
  EXPECT_NEAR(after.kinetic, before.kinetic, 1e-4 * before.kinetic);
  EXPECT_LT(norm(after.angular_momentum - before.angular_momentum), 2e-6 * norm(before.angular_momentum));
}

/// A heavy symmetric top on its tip, horizontal, spinning fast: it precesses at m g l/(I3 w3) up to
/// (w_p/w_3)^2 and nods; over many nods the mean rate is left.
TEST(RigidMotion, ATopPrecesses) {
  RigidBlocks state;
  const double g = 9.81, l = 0.3, w3 = 150;
  state.add(ball(0.2, {l, 0, 0}, spacing), spacing);
  state.last().joint = RigidJoint::ball;
  state.last().point = {0, 0, 0};
  double mass = 0, i3 = 0;
  for (size_t k = 0; k < state.position.size(); ++k) {
    const double y = double(state.position[k][1]), z = double(state.position[k][2]);
    mass += double(state.mass[k]);
    i3 += double(state.mass[k]) * (y * y + z * z);
  }
  const double rate = mass * g * l / (i3 * w3);
  for (size_t k = 0; k < state.position.size(); ++k) {
    const Vec3d x{state.position[k][0], state.position[k][1], state.position[k][2]};
    const Vec3d v = cross(Vec3d{w3, 0, rate}, x);
    state.velocity[k] = {float(v.x), float(v.y), float(v.z)};
  }
  RigidDriver driver(state, {0, 0, float(-g)});
  const double dt = 2e-4;
  const int steps = 5000;
  driver.run(steps, dt);
  const Vec3d centre = driver.sums().centre;
  EXPECT_NEAR(norm(centre), l, 1e-6);
  double angle = std::atan2(centre.y, centre.x);
  const double expected = rate * dt * steps;
  angle += 2 * pi * std::round((expected - angle) / (2 * pi));
  note("precession %g rad, expected %g", angle, expected);
  EXPECT_NEAR(angle, expected, 0.01 * expected);
  EXPECT_NEAR(centre.z, 0, 0.01 * l);
}

/// A physical pendulum: small swings about a hinge take 2 pi sqrt(I/(m g d)).
TEST(RigidMotion, ADoorSwingsAsAPendulum) {
  RigidBlocks state;
  const double g = 9.81, start = 0.05;
  state.add(block(2, 6, 12, {-0.5 * spacing, 0, -12.5 * spacing}, spacing), spacing);
  for (Float3& x : state.position) {
    const double px = x[0], pz = x[2];
    x = {float(std::cos(start) * px - std::sin(start) * pz), x[1],
         float(std::sin(start) * px + std::cos(start) * pz)};
  }
  state.last().joint = RigidJoint::hinge;
  state.last().axis = {0, 1, 0};
  state.last().point = {0, 0, 0};
  double mass = 0, inertia = 0, first = 0;
  for (size_t k = 0; k < state.position.size(); ++k) {
    const double m = state.mass[k], x = state.position[k][0], z = state.position[k][2];
    mass += m;
    inertia += m * (x * x + z * z);
    first += m * std::sqrt(x * x + z * z) * -z / std::sqrt(x * x + z * z);
  }
  const double period = 2 * pi * std::sqrt(inertia / (g * first)) * (1 + start * start / 16);
  RigidDriver driver(state, {0, 0, float(-g)});
  const double dt = 1e-3;
  double last = driver.sums().centre.x;
  std::vector<double> crossings;
  for (int k = 0; k < 6000; ++k) {
    driver.step(dt);
    const double x = driver.sums().centre.x;
    if (last < 0 && x >= 0) crossings.push_back(driver.time - dt * x / (x - last));
    last = x;
  }
  ASSERT_GE(crossings.size(), 3u);
  const double measured = (crossings.back() - crossings.front()) / double(crossings.size() - 1);
  note("period %g s, closed form %g s", measured, period);
  EXPECT_NEAR(measured, period, 1e-3 * period);
}

/// On a slope without friction: g sin a along the rail, and no turning.
TEST(RigidMotion, ASliderFollowsItsRail) {
  RigidBlocks state;
  state.add(block(3, 3, 3, {0, 0, 0}, spacing), spacing);
  state.last().joint = RigidJoint::slider;
  state.last().axis = {3, 0, -4};
  RigidDriver driver(state, {0, 0, -10});
  const auto before = driver.sums().centre;
  const double dt = 1e-3;
  driver.run(300, dt);
  const Vec3d way = driver.sums().centre - before;
  const double expected = 0.5 * 8 * dt * dt * 300 * 301;
  EXPECT_NEAR(norm(way), expected, 1e-5 * expected);
  EXPECT_NEAR(way.x, 0.6 * expected, 1e-5 * expected);
}

/// A quarter turn about a centre that moves, in steps that do not divide it, ends on the spot.
TEST(RigidMotion, AHeldBodyMovesAsItIsTold) {
  RigidBlocks state;
  state.add(block(4, 2, 2, {1, 0, 0}, spacing), spacing);
  state.hold_last();
  state.last().motions = {{.velocity = {0, 0, 1},
                           .angular_velocity = {0, 0, 0.5 * pi},
                           .centre = {0, 0, 0},
                           .start_time = 0.1,
                           .end_time = 1.1}};
  RigidDriver driver(state, {0, 0, -10});
  driver.run(120, 0.0107);
  const auto x = driver.positions();
  for (size_t i = 0; i < x.size(); ++i) {
    const Float3& from = state.position[i];
    EXPECT_NEAR(x[i].x, -from[1], 1e-6);
    EXPECT_NEAR(x[i].y, from[0], 1e-6);
    EXPECT_NEAR(x[i].z, from[2] + 1, 1e-6);
  }
}

}  // namespace rigid_motion_test
MERGANSER_END
