/// Kernels of rigid bodies against dense algebra, brute force and the formula of an impact.
#include <gtest/gtest.h>

#define EIGEN_NO_CUDA  // Eigen serves the host alone here
#include <Eigen/Dense>

#include "tests/support/random_values.h"
#include "tests/support/rigid_driver.h"

MERGANSER_BEGIN
namespace {

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
  EXPECT_LT((dense(inverse_from(matrix, 0)) - expected.inverse()).norm(), 1e-11 * expected.inverse().norm());
  const Eigen::Matrix3d block = expected.bottomRightCorner<3, 3>();
  Eigen::Matrix<double, 6, 6> part = Eigen::Matrix<double, 6, 6>::Zero();
  part.bottomRightCorner<3, 3>() = block.inverse();
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
  const double p = (1 + e) * speed / (1 / mass + t.dot(inertia.inverse() * t));
  driver.step(dt);
  const auto after = driver.sums();
  EXPECT_NEAR(after.momentum.z, p - mass * speed, 2e-4 * p);
  const Vec3d spin = after.angular_momentum - cross(after.centre, after.momentum),
              expected = cross(arm, Vec3d{0, 0, p});
  EXPECT_LT(norm(spin - expected), 1e-3 * norm(expected));
}

}  // namespace
MERGANSER_END
