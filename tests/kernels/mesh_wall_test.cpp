/// Walls that are meshes against walls of the same shape in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "device/launch.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace mesh_wall_test {

constexpr double spacing = 0.05, cell = 0.5 * spacing;
constexpr float h = 0.06f;

/// The nearest wall, and all walls' share of a kernel.
struct WallsAtPoint {
  float distance, open;
  Vec3 normal, velocity, gradient;  ///< [1/m] of lambda
};
struct LookAtWalls {
  static constexpr const char* name = "test look at walls";
  WallView walls;
  WallFillView fill;
  View<const Vec3> x;
  View<WallsAtPoint> found;
  MERGANSER_METHOD void operator()(int i) const {
    WallsAtPoint at{3e38f, 1, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance d = walls[k].at(x[i]);
      if (d.distance < at.distance) {
        at.distance = d.distance, at.normal = d.normal;
        at.velocity = walls[k].velocity_at(x[i], d);
      }
    }
    for_each_near_wall(walls, fill, x[i], [&](const Wall&, const WallShare& share) {
      at.open *= share.open;
      at.gradient += share.normal * (share.slope / share.open);
    });
    at.gradient *= at.open;
    found[i] = at;
  }
};
std::vector<WallsAtPoint> look(const Walls& walls, const std::vector<Vec3>& points) {
  const WallVolumeMap fill(WendlandC2<double>(1), h, walls);
  const Array<Vec3> x(points);
  Array<WallsAtPoint> found(x.size());
  launch(x.size(), LookAtWalls{walls.view(), fill.view(), x.const_view(), found.view()});
  return found.to_host();
}

std::vector<Vec3> random_points(int count, const Vec3& low, const Vec3& high) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> draw(0, 1);
  std::vector<Vec3> points(static_cast<size_t>(count));
  for (Vec3& p : points)
    p = {low.x + draw(random) * (high.x - low.x), low.y + draw(random) * (high.y - low.y),
         low.z + draw(random) * (high.z - low.z)};
  return points;
}

const Point3 low{-0.4, -0.3, -0.2}, high{0.4, 0.3, 0.25};

/// Distances to the bound of distance_field.h, shares to that of solid_share.h, where particles may be.
void expect_alike(const WallParameters& box, const WallParameters& mesh, const std::vector<Vec3>& points,
                  double share_error) {
  const auto expected = look(Walls({box}), points), found = look(Walls({mesh}), points);
  int near = 0;
  double worst_gradient = 0, worst_open = 0;
  for (size_t k = 0; k < points.size(); ++k) {
    if (expected[k].distance < 0 || expected[k].distance > 3 * spacing) continue;
    EXPECT_NEAR(found[k].distance, expected[k].distance, 0.43 * cell) << k;
    worst_open = std::max(worst_open, std::abs(double(found[k].open) - double(expected[k].open)));
    worst_gradient = std::max(worst_gradient, double(norm(found[k].gradient - expected[k].gradient)) * h);
    ++near;
  }
  note("share to %.4f, h gradient to %.3f\n", worst_open, worst_gradient);
  EXPECT_LT(worst_open, share_error);
  EXPECT_LT(worst_gradient, 0.2);  // of 3/4 at a wall
  EXPECT_GT(near, 200);
}

TEST(MeshWall, BoxOutside) {
  const WallParameters box{.shape = WallShape::box, .inside = false, .low = low, .high = high};
  expect_alike(box, test::mesh_wall(test::box_mesh(low, high), spacing, {.inside = false}),
               random_points(2000, {-0.55f, -0.45f, -0.35f}, {0.55f, 0.45f, 0.4f}), 0.035);
}

TEST(MeshWall, BoxInside) {
  const WallParameters box{.shape = WallShape::box, .low = low, .high = high};
  expect_alike(box, test::mesh_wall(test::box_mesh(low, high), spacing),
               random_points(2000, {-0.4f, -0.3f, -0.2f}, {0.4f, 0.3f, 0.25f}), 0.035);
}

/// A surface with a thickness is the box around it, but for rounded edges.
TEST(MeshWall, ThickSheet) {
  TriangleMesh sheet;
  sheet.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const WallParameters plate{
      .shape = WallShape::box, .inside = false, .low = {-1, -1, -0.05}, .high = {1, 1, 0.05}};
  expect_alike(plate, test::mesh_wall(sheet, spacing, {.thickness = 0.1}),
               random_points(2000, {-0.5f, -0.5f, -0.2f}, {0.5f, 0.5f, 0.2f}), 0.012);
}

/// Moved and turned by a motion or by the keys of its place: the same wall.
TEST(MeshWall, MovesLikeABox) {
  const WallMotion motion{.velocity = {0.2, 0, -0.1}, .angular_velocity = {0, 0.5, 1}, .centre = {0.1, 0, 0}};
  const WallParameters box{
      .shape = WallShape::box, .inside = false, .low = low, .high = high, .motion = motion};
  Walls boxes({box}),
      meshes({test::mesh_wall(test::box_mesh(low, high), spacing, {.inside = false, .motion = motion})});
  boxes.place(0.7, 0.69, 0.7);
  meshes.place(0.7, 0.69, 0.7);
  const auto points = random_points(1500, {-0.6f, -0.5f, -0.5f}, {0.8f, 0.6f, 0.5f});
  const auto expected = look(boxes, points), found = look(meshes, points);
  for (size_t k = 0; k < points.size(); ++k) {
    if (expected[k].distance < 0.02 || expected[k].distance > 3 * spacing) continue;
    EXPECT_NEAR(found[k].distance, expected[k].distance, 0.43 * cell) << k;
    EXPECT_NEAR(found[k].open, expected[k].open, 0.035) << k;
    EXPECT_LT(norm(found[k].velocity - expected[k].velocity), 0.03) << k;
  }
}

TEST(MeshWall, WallsOfOneMeshShareItsField) {
  const WallParameters wall = test::mesh_wall(test::box_mesh(low, high), spacing);
  const Walls one({wall}), other({wall});
  EXPECT_EQ(one.field(0), other.field(0));
  EXPECT_EQ(Walls({WallParameters{}}).field(0), nullptr);
}

TEST(MeshWall, KernelsThatReachTooFarAreRefused) {
  const Walls walls({test::mesh_wall(test::box_mesh(low, high), spacing)});
  EXPECT_NO_THROW(WallVolumeMap(WendlandC2<double>(1), 0.07f, walls));
  EXPECT_THROW(WallVolumeMap(WendlandC2<double>(1), 0.1f, walls), InputError);
}

}  // namespace mesh_wall_test
MERGANSER_END
