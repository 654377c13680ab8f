/// Walls that are turned or move: where they are, how fast their points are, and what they do to a particle.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/geometry/walls/wall_sides.h"
#include "tests/support/asked_walls.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace moving_wall_test {

using namespace point_arithmetic;

Point3 point(const Vec3& x) { return {x.x, x.y, x.z}; }

/// All that a motion may have.
WallMotion everything() {
  return {.velocity = {0.3, -0.2, 0.1},
          .acceleration = {-0.1, 0, 0.2},
          .angular_velocity = {0.5, 1, -0.7},
          .centre = {0.2, 0.1, -0.3},
          .amplitude = {0.1, 0.05, 0},
          .rotation_amplitude = {0, 0.3, 0.1},
          .frequency = 0.8,
          .phase = 0.4,
          .ramp_time = 0.9,
          .key_frames = {{0, {0, 0, 0}, {0, 0, 1}, 0}, {1, {0.2, 0, 0.1}, {0, 1, 1}, 0.8}, {2, {0, 0, 0}}},
          .interpolation = Interpolation::smooth,
          .start_time = 0.1};
}

TEST(WallMotion, EachPartByItsFormula) {
  const Point3 x{1, 2, 3};
  const auto near = [](const Point3& a, const Point3& b) { return length(a - b) < 1e-12; };
  EXPECT_FALSE(WallMotion{}.moves());
  EXPECT_TRUE(near(WallMotion{.velocity = {1, 0, 0}, .start_time = 1, .end_time = 3}.at(5)(x), {3, 2, 3}));
  EXPECT_TRUE(near(WallMotion{.acceleration = {0, 2, 0}}.at(3)(x), {1, 11, 3}));
  const double quarter = std::acos(0.0);
  EXPECT_TRUE(
      near(WallMotion{.angular_velocity = {0, 0, quarter}, .centre = {1, 0, 0}}.at(1)(x), {-1, 0, 3}));
  const WallMotion swing{.amplitude = {0, 0, 0.5}, .frequency = 0.25, .phase = -quarter, .ramp_time = 2};
  EXPECT_TRUE(near(swing.at(1)(x), {1, 2, 3}));                                            // sin(0)
  EXPECT_TRUE(near(swing.at(0.5)(x), {1, 2, 3 - 0.5 * std::sqrt(0.5) * (0.0625 * 2.5)}));  // s = 1/4
  EXPECT_TRUE(near(swing.at(2)(x), {1, 2, 3.5}));
  WallMotion frames{.centre = {1, 0, 0},
                    .key_frames = {{1, {0, 0, 1}, {0, 0, 1}, 0}, {3, {0, 0, 3}, {0, 0, 1}, 8 * quarter}}};
  EXPECT_TRUE(near(frames.at(0)(x), {1, 2, 4}));
  EXPECT_TRUE(near(frames.at(1.25)(x), {-1, 0, 4.25})) << "two whole turns are not cut";
  EXPECT_TRUE(near(frames.at(9)(x), {1, 2, 6}));
  frames.interpolation = Interpolation::smooth;
  EXPECT_TRUE(near(frames.at(1.5)(x),
                   Rotation::by({0, 0, 8 * quarter * 0.15625})(Point3{0, 2, 3}) + Point3{1, 0, 1.3125}));
}

/// What tools/scene_walls.py finds (tests/cli/tool_pictures.py), which draws them.
TEST(WallMotion, IsThatOfThePictures) {
  const auto near = [](const Point3& a, const Point3& b) { return length(a - b) < 1e-7; };
  EXPECT_TRUE(near(everything().at(0.6)({1, 2, 3}), {3.54764363, 0.7379398, 2.06420755}));
  EXPECT_TRUE(near(everything().at(1.6)({1, 2, 3}), {3.53227642, -1.71682417, -2.08244319}));
}

/// The bound holds at all times, and is not far beyond what is reached: its parts add up, whatever their
/// directions.
TEST(WallMotion, SpeedIsBounded) {
  const WallMotion motion = everything();
  const double reach = 2;
  const Point3 x = motion.centre + Point3{0, reach, 0};
  double most = 0;
  for (double t = 0; t < 4; t += 0.01) {
    const double speed = length(motion.at(t + 1e-5)(x) - motion.at(t)(x)) / 1e-5;
    EXPECT_LE(speed, motion.greatest_speed(t, t + 1e-5, reach));
    most = std::max(most, speed);
  }
  EXPECT_LT(motion.greatest_speed(0, 4, reach), 3.5 * most);
  EXPECT_EQ(motion.greatest_speed(0, 0.1, reach), 0) << "it has not started";
}

const std::vector<WallParameters> shapes = {
    {.shape = WallShape::plane, .point = {0.1, 0.2, -0.3}, .direction = {0.6, 0, 0.8}},
    {.shape = WallShape::box,
     .inside = false,
     .low = {-0.7, -0.5, -0.3},
     .high = {0.7, 0.8, 0.6},
     .rotation_axis = {1, 2, 3},
     .rotation_angle = 0.9},
    {.shape = WallShape::box,
     .low = {-1.7, -1.5, -1.3},
     .high = {1.7, 1.8, 1.6},
     .rotation_axis = {1, 0, 3},
     .rotation_angle = 0.4},
    {.shape = WallShape::sphere, .inside = false, .point = {0.3, 0, 0.2}, .radius = 0.8},
    {.shape = WallShape::cylinder,
     .inside = false,
     .point = {0, 0.2, 0},
     .direction = {0, 0.6, 0.8},
     .radius = 0.5},
    {.shape = WallShape::cylinder,
     .inside = false,
     .point = {0, 0.2, 0},
     .direction = {0, 0.6, 0.8},
     .radius = 0.6,
     .length = 1.1},
    {.shape = WallShape::cylinder,
     .point = {0, 0.2, 0},
     .direction = {0, 0.6, 0.8},
     .radius = 1.6,
     .length = 3},
    {.shape = WallShape::capsule,
     .inside = false,
     .point = {0.1, 0, 0},
     .direction = {0.8, 0, 0.6},
     .radius = 0.5,
     .length = 1.2},
    {.shape = WallShape::capsule,
     .point = {0.1, 0, 0},
     .direction = {0.8, 0, 0.6},
     .radius = 1.5,
     .length = 1}};

/// Distance at time t is the host's, in double, of where the point was when nothing had moved; inside a tank
/// the host gives the distance to the nearest wall as well, but behind one that to an edge, so points behind
/// are left out. Normals are its central differences where it has no kink, velocities those of the body's
/// points.
TEST(MovingWalls, DistanceNormalAndVelocityOfEveryShape) {
  const double time = 1.3, e = 1e-4;
  for (WallParameters wall : shapes) {
    SCOPED_TRACE(testing::Message() << "shape " << int(wall.shape) << " inside " << wall.inside);
    WallParameters resting = wall;
    wall.motion = everything();
    Walls walls({wall});
    ASSERT_TRUE(walls.move());
    walls.place(time, time - e, time + e);
    const RigidPose pose = wall.motion.at(time), next = wall.motion.at(time + e),
                    last = wall.motion.at(time - e);
    const auto distance = [&](const Point3& x) {
      const Point3 was = pose.back(x);
      return signed_distance(resting, {float(was[0]), float(was[1]), float(was[2])});
    };
    const auto points = random_points(400, 4);
    const auto found = nearest_surfaces(walls, points);
    int normals = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const Point3 x = point(points[i]), n = point(found[i].normal);
      const double d = distance(x);
      if (wall.inside && d < 0) continue;
      ASSERT_NEAR(found[i].distance, d, 3e-6);
      const double step = 1e-2;
      Point3 slope{};
      for (size_t axis = 0; axis < 3; ++axis) {
        Point3 way{0, 0, 0};
        way[axis] = step;
        slope[axis] = (distance(x + way) - distance(x - way)) / (2 * step);
      }
      if (std::abs(length(slope) - 1) > 2e-4) continue;  // a kink
      ++normals;
      ASSERT_LT(length(n - slope), 5e-3);
      const Point3 surface = pose.back(x - d * n), moved = next(surface) - last(surface);
      ASSERT_LT(length(point(found[i].velocity) - 1 / (2 * e) * moved), 1e-3);
    }
    EXPECT_GT(normals, 50);
  }
}

TEST(MovingWalls, TheStartSeesTheMotionAtTimeZero) {
  WallParameters floor{.shape = WallShape::plane, .direction = {0, 0, 1}};
  floor.motion.amplitude = {0, 0, 0.2};
  floor.motion.frequency = 1;
  floor.motion.phase = std::acos(0.0);
  EXPECT_NEAR(signed_distance(floor, {0, 0, 0.5f}), 0.3, 1e-7);
  EXPECT_NEAR(nearest_surfaces(Walls({floor}), {{0, 0, 0.5f}})[0].distance, 0.3, 1e-6);
}

TEST(MovingWalls, SlidingVelocityTurnsWithTheWall) {
  WallParameters lid{.shape = WallShape::plane, .direction = {0, 0, 1}, .velocity = {1, 0, 0}};
  lid.motion.angular_velocity = {0, 0, 1};
  Walls walls({lid});
  walls.place(1, 1 - 1e-6, 1 + 1e-6);
  const NearestSurface at = nearest_surfaces(walls, {{0, 0, 1}})[0];
  EXPECT_NEAR(at.velocity.x, std::cos(1.0), 1e-5);
  EXPECT_NEAR(at.velocity.y, std::sin(1.0), 1e-5);
}

/// A particle hit by a wall that comes with 2 m/s and restitution 1/2, over one step of the contact.
TEST(MovingWalls, ContactTakesTheVelocityOfTheWall) {
  InitialState state;
  WallParameters piston{.shape = WallShape::plane, .direction = {1, 0, 0}, .restitution = 0.5};
  piston.motion.velocity = {2, 0, 0};
  state.walls = {piston};
  Walls walls(state.walls);
  walls.place(0.1, 0, 0.1);
  Array<Vec3> position(std::vector<Vec3>{{0.25f, 0, 0}}), velocity(std::vector<Vec3>{{-1, 3, 0}});
  Array<float> radius(std::vector<float>{0.1f}), inverse_mass(std::vector<float>{1});
  launch(1, ResolveWallContact<>{.walls = walls.view(),
                                 .range = {0, 1},
                                 .radius = radius.const_view(),
                                 .inverse_mass = inverse_mass.const_view(),
                                 .position = position.view(),
                                 .velocity = velocity.view(),
                                 .use_radius = true});
  EXPECT_NEAR(position.to_host()[0].x, 0.3, 1e-6);
  EXPECT_NEAR(velocity.to_host()[0].x, 2 + 0.5 * 3, 1e-4);
  EXPECT_NEAR(velocity.to_host()[0].y, 3, 1e-6);
}

}  // namespace moving_wall_test
MERGANSER_END
