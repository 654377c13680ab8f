/// Kernels of rigid bodies against dense algebra, brute force and the formula of an impact.
#include <gtest/gtest.h>

#include "tests/support/dense_algebra.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"
#include "tests/support/rigid_driver.h"

MERGANSER_BEGIN
namespace rigid_kernels_test {

using namespace test;

Eigen::Matrix<double, 6, 6> dense(const TwistMatrix& m) {
  Eigen::Matrix<double, 6, 6> a;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a(i, j) = m.a[i][j];
  return a;
}

/// sum w J^T J by its moments and by its definition, and its inverse, on all six and on the last three rows.
TEST(RigidKernels, MatricesOfPointMassesAndTheirInverses) {
  MassMoments moments;
  Eigen::Matrix<double, 6, 6> expected = Eigen::Matrix<double, 6, 6>::Zero();
  for (const Vec3& x : random_points(20, 2.0f)) {
    const Vec3d r = to_double(x);
    const double w = 0.5 + double(x.x) * double(x.x);
    moments.add(w, r);
    Eigen::Matrix<double, 3, 6> j;
    j << 1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0;
    expected += w * j.transpose() * j;
  }
  TwistMatrix matrix;
  matrix.add(moments);
  EXPECT_LT((dense(matrix) - expected).norm(), 1e-12 * expected.norm());
  const Eigen::MatrixXd inverted = test::inverse(expected);
  EXPECT_LT((dense(inverse_from(matrix, 0)) - inverted).norm(), 1e-11 * inverted.norm());
  const Eigen::MatrixXd block = expected.bottomRightCorner<3, 3>();
  Eigen::Matrix<double, 6, 6> part = Eigen::Matrix<double, 6, 6>::Zero();
  part.bottomRightCorner<3, 3>() = test::inverse(block);
  EXPECT_LT((dense(inverse_from(matrix, 3)) - part).norm(), 1e-11 * part.norm());
}

/// A rotation by a quaternion is orthogonal and composes; back and forth is nothing.
TEST(RigidKernels, QuaternionsRotate) {
  const Vec3d axis{0.6, 0, 0.8}, a{1, 2, 3};
  const Quaternion q = rotation_about(axis, 0.7), p = rotation_about({0, 1, 0}, -1.1);
  EXPECT_NEAR(norm(rotated(q, a)), norm(a), 1e-14);
  EXPECT_LT(norm(rotated(q * p, a) - rotated(q, rotated(p, a))), 1e-14);
  EXPECT_LT(norm(rotated_back(q, rotated(q, a)) - a), 1e-14);
  EXPECT_LT(norm(rotated(rotation_about({0, 0, 1}, 2 * std::atan(1.0)), Vec3d{1, 0, 0}) - Vec3d{0, 1, 0}),
            1e-15);
}

/// Of a heap of particles at a floor and at a sphere: the deepest is among the touches, and no particle that
/// is near lies further in any of the eight directions than they do.
TEST(RigidKernels, TouchesAreTheDeepestAndTheOuterOnes) {
  RigidBlocks state;
  std::vector<Vec3d> places;
  for (const Vec3& x : random_points(400, 1.0f)) places.push_back(to_double(x));
  state.add(places, 0.1);
  RigidState bodies(state, state.infos());
  const RigidView view = bodies.view();
  WallParameters floor, ball;
  floor.point = {0, 0, 0.2};
  ball.shape = WallShape::sphere;
  ball.inside = true;
  ball.point = {0, 0, 0};
  ball.radius = 0.75;
  const Walls walls({floor, ball});
  std::vector<Vec3> position;
  for (const Vec3d& x : places) position.push_back(to_float(x));
  const Array<Vec3> at(position), velocity(std::vector<Vec3>(places.size(), Vec3{0, 0, 0}));
  const Array<float> radius(state.radius);
  Array<WallTouch> touch(2 * touches_of_wall);
  launch_group_sums(2, FindWallTouches{.bodies = view,
                                       .walls = walls.view(),
                                       .position = at.const_view(),
                                       .velocity = velocity.const_view(),
                                       .radius = radius.const_view(),
                                       .gravity = {0, 0, 0},
                                       .dt = 1e-3,
                                       .touch = touch.view()});
  const auto found = touch.to_host();
  const auto rest = to_host(view.rest);
  for (int wall = 0; wall < 2; ++wall) {
    const auto gap = [&](const Vec3& x) { return (wall == 0 ? x.z - 0.2f : 0.75f - norm(x)) - 0.05f; };
    float least = 1, least_found = 1;
    float outer[8], outer_found[8];
    for (int s = 0; s < 8; ++s) outer[s] = outer_found[s] = -9;
    const auto along = [](int s, const Vec3& x) {
      return (s & 1 ? 1.0f : -1.0f) * x.x + (s & 2 ? 0.9f : -0.9f) * x.y + (s & 4 ? 0.8f : -0.8f) * x.z;
    };
    for (size_t i = 0; i < position.size(); ++i) {
      if (!(gap(position[i]) < 0.025f)) continue;
      least = std::min(least, gap(position[i]));
      for (int s = 0; s < 8; ++s) outer[s] = std::max(outer[s], along(s, rest[i]));
    }
    int count = 0;
    for (int k = wall * touches_of_wall; k < (wall + 1) * touches_of_wall; ++k) {
      const int i = found[size_t(k)].particle;
      if (i < 0) continue;
      ++count;
      least_found = std::min(least_found, gap(position[size_t(i)]));
      for (int s = 0; s < 8; ++s) outer_found[s] = std::max(outer_found[s], along(s, rest[size_t(i)]));
    }
    EXPECT_GE(count, 2);
    EXPECT_EQ(least_found, least);
    for (int s = 0; s < 8; ++s) EXPECT_EQ(outer_found[s], outer[s]) << wall << " " << s;
  }
}

/// A block that falls on a corner, without friction: p = -(1 + e) v_n/(1/m + (r x n).I^-1 (r x n)), to the
/// first order of the step (gravity is nought), at one place.
TEST(RigidKernels, AnImpactOffTheCentreGivesTheImpulseOfTheFormula) {
  const double spacing = 0.1, e = 0.6, speed = 2, dt = 1e-4;
  RigidBlocks state;
  auto places = block(3, 2, 5, {0, 0, 0}, spacing);
  const Quaternion tilt = rotation_about({0.6, 0.8, 0}, 0.5);
  double low = 9;
  for (Vec3d& x : places) x = rotated(tilt, x), low = std::min(low, x.z);
  for (Vec3d& x : places) x.z += 0.5 * spacing + 1e-5 - low;
  state.add(places, spacing, {0, 0, -speed});
  WallParameters floor;
  floor.restitution = e;
  const Walls walls({floor});
  RigidDriver driver(state, {0, 0, 0});
  driver.walls = walls.view();
  Vec3d centre = driver.sums().centre, corner{0, 0, 9};
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  double mass = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const Vec3d r = places[i] - centre;
    const Eigen::Vector3d v(r.x, r.y, r.z);
    inertia += double(state.mass[i]) * (v.squaredNorm() * Eigen::Matrix3d::Identity() - v * v.transpose());
    mass += double(state.mass[i]);
    if (places[i].z < corner.z) corner = places[i];
  }
  const Vec3d arm = corner - Vec3d{0, 0, 0.5 * spacing} - centre, turning = cross(arm, Vec3d{0, 0, 1});
  const Eigen::Vector3d t(turning.x, turning.y, turning.z);
  const double p = (1 + e) * speed / (1 / mass + t.dot(test::product(test::inverse(inertia), t)));
  driver.step(dt);
  const auto after = driver.sums();
  EXPECT_NEAR(after.momentum.z, p - mass * speed, 2e-4 * p);
  const Vec3d spin = after.angular_momentum - cross(after.centre, after.momentum),
              expected = cross(arm, Vec3d{0, 0, p});
  EXPECT_LT(norm(spin - expected), 1e-3 * norm(expected));
}

/// A pass where the load is known: (M + sum c J^T J) dq = load + what walls give.
struct AnswerLoad {
  static constexpr const char* name = "answer load";
  RigidView bodies;
  int touches;
  View<const WallTouch> touch;
  View<const Twist> load, pressed;
  View<Twist> change;  ///< written
  MERGANSER_METHOD void operator()(int b) const {
    TwistMatrix matrix;
    matrix.add(bodies.moments(b));
    add_pressing_terms(touches, touch, b, matrix);
    change[b] = bodies.inverse(b, matrix) * (load[b] + pressed[b]);
  }
};

struct PressedBlock {
  Twist by_impulses, by_passes, at_last;  ///< velocities: of MeetWalls, of the passes, and of both together
};
/// A block on the floor, beside a wall, that gets a load [N s] per kg at an arm from its centre.
PressedBlock pressed_block(const Vec3d& impulse, const Vec3d& arm) {
  const double spacing = 0.1, dt = 1e-2;
  RigidBlocks state;
  state.add(block(4, 4, 2, {0, 0, 0.5 * spacing}, spacing), spacing);
  RigidState bodies(state, state.infos());
  WallParameters floor, side;
  floor.friction = 0.4;
  side.direction = {1, 0, 0};
  side.point = {-0.5 * spacing, 0, 0};
  side.friction = 0.3;
  const Walls walls({floor, side});
  std::vector<Vec3> places;
  for (const Float3& x : state.position) places.push_back({x[0], x[1], x[2]});
  const Array<Vec3> at(places), velocity(std::vector<Vec3>(places.size(), Vec3{0, 0, 0}));
  const Array<float> radius(state.radius);
  const int touches = 2 * touches_of_wall;
  Array<WallTouch> touch(touches);
  const Vec3d gravity{0, 0, -10};
  launch_group_sums(2, FindWallTouches{.bodies = bodies.view(),
                                       .walls = walls.view(),
                                       .position = at.const_view(),
                                       .velocity = velocity.const_view(),
                                       .radius = radius.const_view(),
                                       .gravity = to_float(gravity),
                                       .dt = dt,
                                       .touch = touch.view()});
  Array<Twist> given(1), momenta(1), moved(1), alone(1), change(1), pressed(1), load(1);
  const auto meet_walls = [&](const Twist& by_groups, bool from_pressed) {
    given.assign(std::vector<Twist>{by_groups});
    launch(1, MeetWalls{.bodies = bodies.view(),
                        .step = {given.view(), momenta.view(), moved.view()},
                        .walls = walls.view(),
                        .touch = touch.view(),
                        .gravity = gravity,
                        .dt = dt,
                        .iterations = 100000,
                        .from_pressed = from_pressed});
    return moved.to_host()[0];
  };
  double mass = 0;
  for (const float m : state.mass) mass += double(m);
  const Twist push = impulse_at(arm, mass * impulse);
  PressedBlock result;
  result.by_impulses = meet_walls(push, false);
  const Twist without = meet_walls({}, false);
  alone.assign(std::vector<Twist>{without});
  load.assign(std::vector<Twist>{push});
  const Array<double> tied(std::vector<double>{1.0});
  const PressingView view{bodies.view(), touches, touch.view(), alone.const_view(), pressed.view()};
  launch(1, StartPressing{view, true});
  Reduction<Press::Value> reduction;
  for (int pass = 0; pass < 400; ++pass) {
    launch(1, AnswerLoad{bodies.view(), touches, touch.const_view(), load.const_view(), pressed.const_view(),
                         change.view()});
    reduction.run(1, Press{view, walls.view(), tied.const_view(), change.const_view()});
  }
  EXPECT_LT(reduction.read().wrong, 1e-6 * norm(gravity) * dt);
  result.by_passes = without + change.to_host()[0];
  result.at_last = meet_walls(push, true);
  return result;
}

/// Passes over walls end with the motion that sequential impulses find, where the load is known: what
/// friction holds and what it does not, a block that tips, one that is pressed against both walls and lifted
/// between them.
TEST(RigidKernels, PassesOverWallsEndWhereSequentialImpulsesDo) {
  struct Load {
    Vec3d impulse, arm;
    bool moves;
  };
  const Load loads[] = {{{0.03, 0, 0}, {0, 0, -0.1}, false}, {{0.2, 0.1, 0}, {0, 0, -0.1}, true},
                        {{0, 0, -0.5}, {0.3, 0, 0}, true},   {{0, 0, -0.5}, {0.1, 0, 0}, false},
                        {{-0.3, 0, 0}, {0, 0, 0}, false},    {{-0.3, 0.25, 0}, {0, 0, 0}, true},
                        {{-0.3, 0, 0.18}, {0, 0, 0}, true},  {{0, 0, 0.4}, {0.1, 0.1, 0}, true}};
  for (const Load& load : loads) {
    const PressedBlock found = pressed_block(load.impulse, load.arm);
    const auto speed = [](const Twist& t) { return norm(t.linear) + 0.2 * norm(t.angular); };
    const double moves = speed(found.by_impulses);
    note("speed %g m/s, differences %g and %g", moves, speed(found.by_passes - found.by_impulses),
         speed(found.at_last - found.by_passes));
    EXPECT_EQ(moves > 1e-6, load.moves);
    EXPECT_LT(speed(found.by_passes - found.by_impulses), 1e-6);
    EXPECT_LT(speed(found.at_last - found.by_passes), 1e-6);
  }
}

}  // namespace rigid_kernels_test
MERGANSER_END
