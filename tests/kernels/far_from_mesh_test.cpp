/// Points that are ruled out at once as far from a mesh: a point that any kernel or radius reaches is never
/// left out, by the distance itself or by what is between nodes.
#include <gtest/gtest.h>

#include <random>

#include "device/launch.h"
#include "solvers/geometry/walls/wall.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"

MERGANSER_BEGIN
namespace far_from_mesh_test {

struct AskFar {
  static constexpr const char* name = "test is far";
  WallView walls;
  float length;
  View<const Vec3> position;
  View<int> is_far;
  View<float> distance;
  MERGANSER_METHOD void operator()(int i) const {
    is_far[i] = walls[0].is_far(position[i], length);
    distance[i] = walls[0].at(position[i]).distance;
  }
};

void expect_far(const TriangleMesh& mesh, WallParameters parameters) {
  constexpr double spacing = 0.05;
  const WallParameters wall = test::mesh_wall(mesh, spacing, parameters);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> draw{-1, 2};
  std::vector<Vec3> points(20000);
  for (Vec3& x : points) x = {draw(random), draw(random), draw(random)};
  const Walls walls({wall});
  const Array<Vec3> position(points);
  Array<int> is_far(position.size());
  Array<float> between_nodes(position.size());
  for (const float length : {0.0f, 0.025f, 0.12f}) {
    launch(position.size(),
           AskFar{walls.view(), length, position.const_view(), is_far.view(), between_nodes.view()});
    const auto said = is_far.to_host();
    const auto asked = between_nodes.to_host();
    int before = 0, known = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const double distance = signed_distance(*wall.mesh, {points[i].x, points[i].y, points[i].z});
      before += distance > double(length) + 2 * spacing;
      known += said[i];
      if (!said[i]) continue;
      EXPECT_GT(distance, double(length)) << points[i].x << " " << points[i].y << " " << points[i].z;
      EXPECT_GT(asked[i], length) << points[i].x << " " << points[i].y << " " << points[i].z;
    }
    EXPECT_GT(known, 0.8 * before);
  }
}

TEST(FarFromAMesh, IsNeverSaidOfWhatIsNear) {
  const TriangleMesh box = test::box_mesh({0, 0, 0}, {1, 1, 0.6});
  expect_far(box, {.inside = false});
  expect_far(box, {.inside = true});
  expect_far(box, {.thickness = 0.1});
}

}  // namespace far_from_mesh_test
MERGANSER_END
