/// Obstacles behind a plane: a gate that sinks into the floor, a slab below it. Particles before the plane
/// have no share of them, for the plane has it already.
#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "tests/support/asked_walls.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"

MERGANSER_BEGIN
namespace hidden_wall_test {

constexpr double h = 0.25;
const WallParameters floor_plane{.shape = WallShape::plane, .direction = {0, 0, 1}},
    side_plane{.shape = WallShape::plane, .point = {-0.8, 0, 0}, .direction = {1, 0, 0}};

/// Obstacles whose highest point is `depth` below the floor.
WallParameters slab(double depth) {
  return {.shape = WallShape::box, .inside = false, .low = {-1, -1, -depth - 2}, .high = {1, 1, -depth}};
}
WallParameters turned_slab(double depth) {
  WallParameters box = slab(depth);
  box.rotation_axis = {0, 0, 1};
  box.rotation_angle = 0.6;
  return box;
}
WallParameters drum(double depth) {
  return {.shape = WallShape::cylinder,
          .inside = false,
          .point = {0, 0, -depth - 1},
          .direction = {0, 0, 1},
          .radius = 1,
          .length = 2};
}
WallParameters ball(double depth) {
  return {.shape = WallShape::sphere, .inside = false, .point = {0, 0, -depth - 1}, .radius = 1};
}
WallParameters capsule(double depth) {
  return {.shape = WallShape::capsule,
          .inside = false,
          .point = {0, 0, -depth - 0.6},
          .direction = {1, 0, 0},
          .radius = 0.6,
          .length = 1};
}
WallParameters mesh(double depth) {
  return test::mesh_wall(test::box_mesh({-1, -1, -depth - 2}, {1, 1, -depth}), 0.7 * h, {.inside = false});
}

std::vector<Vec3> points_above() {
  std::vector<Vec3> points;
  for (const float z : {0.01f, 0.06f, 0.125f, 0.2f, 0.3f, 0.45f})
    for (const float x : {-0.79f, -0.7f, 0.0f, 0.55f, 0.99f, 1.1f}) points.push_back({x, 0.1f, z});
  return points;
}

/// 1 - lambda of all walls, and the gradient of the last wall's share.
struct AskAll {
  static constexpr const char* name = "test shares of all walls";
  WallView walls;
  WallFillView fill;
  View<const Vec3> position;
  View<Quad> found;
  MERGANSER_METHOD void operator()(int i) const {
    found[i] = {1, 0, 0, 0};
    for_each_near_wall(walls, fill, position[i], [&](const Wall& wall, const WallShare& share) {
      found[i].x *= share.open;
      if (wall.shape != WallShape::plane) found[i].y = share.slope, found[i].z = share.open_normal - 1;
    });
  }
};
std::vector<Quad> ask(const std::vector<WallParameters>& parameters, const std::vector<Vec3>& points) {
  const Walls walls(parameters);
  const WallVolumeMap map(WendlandC2<double>(1), float(h), walls, 0, float(h));
  const Array<Vec3> position(points);
  Array<Quad> found(position.size());
  launch(position.size(), AskAll{walls.view(), map.view(), position.const_view(), found.view()});
  return found.to_host();
}

using Obstacle = WallParameters (*)(double depth);

/// `first` [h]: the least depth from which an obstacle has no share.
void expect_hidden(Obstacle obstacle, double first) {
  const auto points = points_above();
  const auto alone = ask({floor_plane, side_plane}, points);
  for (const double depth : {first, 0.5, 1.0, 1.5, 1.9, 2.5, 3.0}) {
    SCOPED_TRACE(testing::Message() << "depth " << depth << " h");
    const auto found = ask({floor_plane, side_plane, obstacle(depth * h)}, points);
    for (size_t i = 0; i < points.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "at " << points[i].x << " " << points[i].z);
      EXPECT_NEAR(found[i].x, alone[i].x, 1e-5);
      EXPECT_NEAR(found[i].y, 0, 1e-4);
      EXPECT_NEAR(found[i].z, 0, 1e-5);
    }
  }
}
TEST(HiddenWalls, BoxBehindAPlaneHasNoShare) {
  expect_hidden(slab, 0);
  expect_hidden(turned_slab, 0);
}
TEST(HiddenWalls, DrumBehindAPlaneHasNoShare) { expect_hidden(drum, 0.26); }
TEST(HiddenWalls, RoundOnesAndMeshesBehindAPlaneHaveNoShare) {
  expect_hidden(ball, 0.26);
  expect_hidden(capsule, 0.26);
  expect_hidden(mesh, 0.5);  // its distances at edges are those between nodes of a grid
}

/// Walls across hide nothing: an obstacle that stands before the floor keeps its share beside another wall.
TEST(HiddenWalls, ObstaclesBeforeAPlaneKeepTheirShare) {
  const auto points = points_above();
  std::vector<Vec3> above;
  for (Vec3 x : points) above.push_back({x.x, x.y, x.z + 0.7f});
  for (const Obstacle obstacle : {slab, drum, ball, capsule, mesh}) {
    const auto alone = ask({obstacle(-0.7)}, above),
               among = ask({floor_plane, side_plane, obstacle(-0.7)}, above);
    const auto side = ask({side_plane}, above);
    for (size_t i = 0; i < above.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "at " << above[i].x << " " << above[i].z);
      if (above[i].x > -0.8f + 2 * h) {
        EXPECT_NEAR(among[i].x, alone[i].x, 1e-5);
      }
      if (above[i].z < 0.7f + 0.4f * h && above[i].x == 0) {
        EXPECT_LT(among[i].x, 0.95f * side[i].x);
      }
    }
  }
}

}  // namespace hidden_wall_test
MERGANSER_END
