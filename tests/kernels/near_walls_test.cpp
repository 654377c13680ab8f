/// Walls near a particle that are found once a step against walls that are asked each time: the same but for
/// rounding, as the compiler fuses products and sums across what is not stored.
#include <gtest/gtest.h>

#include <random>

#include "device/launch.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"

MERGANSER_BEGIN
namespace near_walls_test {

constexpr double spacing = 0.05;
constexpr float h = 0.06f;

/// Sums of all that shares hold, in the order of the walls, and how many there were. `Shapes` asks walls or
/// reads what was found.
template <class Shapes>
struct SumShares {
  static constexpr const char* name = "test sum shares";
  Shapes walls;
  WallFillView fill;
  View<const Vec3> position;
  View<Vec3> normal, velocity;
  View<Quad> sums;
  View<int> count;
  MERGANSER_METHOD void operator()(int i) const {
    normal[i] = velocity[i] = {0, 0, 0};
    sums[i] = {0, 0, 0, 0};
    count[i] = 0;
    const auto add = [&](const Wall& wall, const WallShare& share) {
      normal[i] += share.normal * float(wall.owner + 1);
      velocity[i] += share.velocity;
      sums[i] = {sums[i].x + share.distance, sums[i].y + share.open, sums[i].z + share.slope,
                 sums[i].w + share.open_normal};
      ++count[i];
    };
    if constexpr (std::is_same_v<Shapes, FoundWallView>)
      for_each_near_wall(walls, fill, i, position[i], add);
    else
      for_each_near_wall(walls, fill, position[i], add);
  }
};
struct Sums {
  std::vector<Vec3> normal, velocity;
  std::vector<Quad> sums;
  std::vector<int> count;
};
template <class Shapes>
Sums sums_of(const Shapes& walls, const WallVolumeMap& fill, const Array<Vec3>& x) {
  Array<Vec3> normal(x.size()), velocity(x.size());
  Array<Quad> sums(x.size());
  Array<int> count(x.size());
  launch(x.size(), SumShares<Shapes>{walls, fill.view(), x.const_view(), normal.view(), velocity.view(),
                                     sums.view(), count.view()});
  return {normal.to_host(), velocity.to_host(), sums.to_host(), count.to_host()};
}

/// The walls as kernels of sums take them: all of them, with a list for each particle. Without that the sums
/// would read what is not there.
FoundWallView found_walls(const Walls& walls, const WallVolumeMap& fill, int particles) {
  const WallView all = walls.view();
  const auto found = std::get<FoundWallView>(as_found(all));
  EXPECT_EQ(found.data, all.data);
  EXPECT_EQ(found.count, all.count);
  EXPECT_EQ(fill.view().near.first.count, particles + 1);
  return found;
}

/// A tank, a ball and a block that overlap, planes and samples among them, all of which move; positions where
/// most particles are near to none, and others where all are near to several: the list grows for these.
TEST(NearWalls, AreTheWallsThatAreNear) {
  const WallMotion motion{.velocity = {0.2, 0, -0.1}, .angular_velocity = {0, 0.5, 1}, .centre = {0.1, 0, 0}};
  WallParameters ball = test::mesh_wall(test::ball_mesh({0.1, 0, 0}, 0.2, 3), spacing, {.inside = false});
  ball.motion = motion;
  WallParameters sampled{.shape = WallShape::sphere, .inside = false, .point = {-0.2, 0, 0}, .radius = 0.2};
  sampled.boundary = BoundaryMethod::samples;
  Walls walls(
      {test::mesh_wall(test::box_mesh({-1, -0.8, -0.6}, {1, 0.8, 0.6}), spacing, {.cell_size = spacing}),
       {.shape = WallShape::plane, .point = {0, 0, -0.3}, .direction = {0, 0, 1}, .velocity = {1, 0, 0}},
       ball,
       sampled,
       {.shape = WallShape::box, .inside = false, .low = {0, 0.1, -0.3}, .high = {0.3, 0.3, 0}}});
  walls.place(0.3, 0.29, 0.3);
  for (const float offset : {0.0f, 0.007f}) {
    WallVolumeMap fill(WendlandC2<double>(1), h, walls, offset, float(spacing));
    for (const float extent : {0.8f, 0.05f}) {
      std::mt19937 random(3);
      std::uniform_real_distribution<float> draw(-extent, extent);
      std::vector<Vec3> points(3000);
      for (Vec3& x : points) x = Vec3{0.1f, 0.15f, -0.2f} + Vec3{draw(random), draw(random), draw(random)};
      const Array<Vec3> x(points);
      fill.find_near(walls.view(), x.const_view());
      walls.place(0.3, 0.3, 0.31);  // another velocity, the same place
      const FoundWallView found_view = found_walls(walls, fill, x.size());
      ASSERT_FALSE(HasFailure());
      const Sums asked = sums_of(walls.view(), fill, x), listed = sums_of(found_view, fill, x);
      int most = 0, without = 0;
      for (size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(listed.count[i], asked.count[i]);
        EXPECT_LT(norm(listed.normal[i] - asked.normal[i]), 1e-4f);
        EXPECT_LT(norm(listed.velocity[i] - asked.velocity[i]), 1e-5f);
        const Quad &found = listed.sums[i], &expected = asked.sums[i];
        EXPECT_NEAR(found.x, expected.x, 1e-6);
        EXPECT_NEAR(found.y, expected.y, 1e-5);
        EXPECT_NEAR(found.z * h, expected.z * h, 1e-5);
        EXPECT_NEAR(found.w, expected.w, 1e-5);
        most = std::max(most, asked.count[i]);
        without += asked.count[i] == 0;
      }
      EXPECT_GE(most, 3);
      if (extent > 0.1f)
        EXPECT_GT(without, 300);
      else
        EXPECT_EQ(without, 0);
    }
  }
}

/// Boxes and round walls are found as well; planes are asked, and nothing is found for them.
TEST(NearWalls, AreFoundUnlessAllArePlanes) {
  const std::vector<WallParameters> planes{
      {.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}},
      {.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {1, 0, 0}}};
  auto shapes = planes;
  shapes.push_back({.shape = WallShape::sphere, .inside = false, .point = {0.1, 0, 0}, .radius = 0.1});
  shapes.push_back({.shape = WallShape::box, .inside = false, .low = {0, 0.1, -0.3}, .high = {0.3, 0.3, 0}});
  std::mt19937 random(5);
  std::uniform_real_distribution<float> draw(-0.1f, 0.3f);
  std::vector<Vec3> points(2000);
  for (Vec3& x : points) x = {draw(random), draw(random), draw(random)};
  const Array<Vec3> x(points);

  const Walls flat(planes), mixed(shapes);
  WallVolumeMap of_planes(WendlandC2<double>(1), h, flat), fill(WendlandC2<double>(1), h, mixed);
  of_planes.find_near(flat.view(), x.const_view());
  EXPECT_TRUE(of_planes.view().near.first.empty());
  EXPECT_EQ(as_found(flat.view()).index(), 0u);

  fill.find_near(mixed.view(), x.const_view());
  const FoundWallView found = found_walls(mixed, fill, x.size());
  ASSERT_FALSE(HasFailure());
  const Sums asked = sums_of(mixed.view(), fill, x), listed = sums_of(found, fill, x);
  int near = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(listed.count[i], asked.count[i]);
    EXPECT_LT(norm(listed.normal[i] - asked.normal[i]), 1e-4f);
    EXPECT_NEAR(listed.sums[i].y, asked.sums[i].y, 1e-5);
    EXPECT_NEAR(listed.sums[i].w, asked.sums[i].w, 1e-5);
    near += asked.count[i];
  }
  EXPECT_GT(near, 2000);
}

}  // namespace near_walls_test
MERGANSER_END
