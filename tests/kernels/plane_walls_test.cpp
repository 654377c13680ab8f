/// Kernels that are made for walls that are planes: the same bits as those for any wall, and chosen where
/// they may be.
#include <gtest/gtest.h>

#include <cstring>

#include "device/launch.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "solvers/methods/flip/wall_faces.h"

MERGANSER_BEGIN
namespace plane_walls_test {

/// Floats alone: no padding that memcmp would look at.
struct AllThatKernelsAsk {
  float shares, nearest_distance, nearest_speed;
  Vec3 slopes, drags, nearest_normal, position, velocity;
};

template <class Shapes>
struct AskWalls {
  static constexpr const char* name = "test ask walls";
  Shapes walls;
  WallFillView fill;
  View<const Vec3> position;
  ResolveWallContact<Shapes> contact;
  View<AllThatKernelsAsk> found;
  MERGANSER_METHOD void operator()(int i) const {
    AllThatKernelsAsk all{};
    all.shares = 1;
    for_each_near_wall(walls, fill, position[i], [&](const Wall& wall, const WallShare& share) {
      all.shares *= share.open * share.open_normal;
      all.slopes += share.normal * share.slope;
      if (wall.no_slip) all.drags += share.velocity * share.distance;
    });
    const NearestWall nearest = nearest_wall(walls, position[i]);
    all.nearest_distance = nearest.distance;
    all.nearest_normal = nearest.normal;
    all.nearest_speed = nearest.normal_speed;
    contact.resolve(i);
    all.position = contact.position[i];
    all.velocity = contact.velocity[i];
    found[i] = all;
  }
};

std::vector<Vec3> places() {
  std::vector<Vec3> made;
  for (int i = 0; i < 400; ++i) {
    const int row = i / 20;
    made.push_back(
        {0.0101f * float(i % 20) - 0.02f, 0.0131f * float(row) - 0.03f, 0.0007f * float(i) - 0.02f});
  }
  return made;
}

template <class Shapes>
std::vector<AllThatKernelsAsk> ask(const Shapes& shapes, const WallVolumeMap& fill) {
  const Array<Vec3> position(places());
  Array<Vec3> moved(places()), velocity(places());
  const std::vector<float> ones(places().size(), 0.01f);
  const Array<float> radius(ones), inverse_mass(ones);
  Array<AllThatKernelsAsk> found(position.size());
  launch(position.size(), AskWalls<Shapes>{.walls = shapes,
                                           .fill = fill.view(),
                                           .position = position.const_view(),
                                           .contact = {.walls = shapes,
                                                       .range = {0, position.size()},
                                                       .radius = radius.const_view(),
                                                       .inverse_mass = inverse_mass.const_view(),
                                                       .position = moved.view(),
                                                       .velocity = velocity.view(),
                                                       .use_radius = true},
                                           .found = found.view()});
  return found.to_host();
}

const WallParameters tank{.shape = WallShape::box,
                          .low = {0, 0, 0},
                          .high = {0.2, 0.2, 0.3},
                          .velocity = {0.1, 0, 0.2},
                          .friction = 0.3,
                          .restitution = 0.4,
                          .no_slip = true};
const WallParameters slope{.shape = WallShape::plane, .point = {0.02, 0, 0}, .direction = {0.6, 0.3, 0.8}};

TEST(PlaneWalls, GiveTheBitsOfAnyWall) {
  const Walls walls({tank, slope});
  const WallVolumeMap fill(WendlandC2<double>(1), 0.02f, walls);
  const auto shapes = by_shape(walls.view());
  ASSERT_EQ(shapes.index(), 0u);
  const auto of_planes = ask(std::get<0>(shapes), fill), of_any = ask(walls.view(), fill);
  ASSERT_EQ(of_planes.size(), of_any.size());
  EXPECT_EQ(std::memcmp(of_planes.data(), of_any.data(), of_any.size() * sizeof of_any[0]), 0);
  EXPECT_LT(of_any[0].shares, 0.5f);  // some are near walls
}

TEST(PlaneWalls, AreThoseThatStayAndHaveNoOtherShape) {
  const auto are_planes = [](const std::vector<WallParameters>& walls) {
    return by_shape(Walls(walls).view()).index() == 0;
  };
  EXPECT_TRUE(are_planes({}));
  EXPECT_TRUE(are_planes({tank, slope}));
  WallParameters moving = slope, obstacle = tank, turned = tank, pipe = tank;
  moving.motion.velocity = {0, 0, 0.1};
  obstacle.inside = false;
  turned.rotation_angle = 0.1;
  pipe.shape = WallShape::cylinder;
  pipe.radius = 0.1;
  for (const WallParameters& other : {moving, obstacle, turned, pipe})
    EXPECT_FALSE(are_planes({slope, other}));
}

}  // namespace plane_walls_test
MERGANSER_END
