/// Shares of a kernel behind obstacles with edges and behind curved walls against direct quadrature, against
/// planes and spheres in closed form, and what they do for a fluid at rest beside an obstacle.
#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "tests/support/asked_walls.h"
#include "tests/support/note.h"
#include "tests/support/wall_part_reference.h"

MERGANSER_BEGIN
namespace wall_part_test {

constexpr double h = 0.25;

template <template <class> class Kernel>
void expect_quadrature(const WallParameters& wall, const std::vector<Vec3>& points) {
  const Walls walls({wall});
  const auto found = wall_shares(walls, WallVolumeMap(Kernel<double>(1), float(h), walls), points);
  for (size_t i = 0; i < points.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "at " << points[i].x << " " << points[i].y << " " << points[i].z);
    const auto expected = test::integrate_behind(wall, Kernel<double>(h), h, to_double(points[i]), 80);
    const double least = wall_least_open;
    EXPECT_NEAR(found[i].open, std::max(least, 1 - expected.fraction), 2e-3);
    EXPECT_NEAR(found[i].open_normal, std::max(least, 1 - expected.fraction + expected.moment), 4e-3);
    EXPECT_LT(norm(to_double(found[i].normal) * found[i].slope - expected.gradient) * h, 4e-3);
  }
}

/// At a face, edges, corners, a bit inside, and where two edges are in reach.
TEST(WallPart, BoxEqualsQuadrature) {
  const WallParameters box{
      .shape = WallShape::box, .inside = false, .low = {-1, -0.6, -0.2}, .high = {1, 0.6, 0.2}};
  const std::vector<Vec3> points{{0.1f, 0, 0.35f},      {0.3f, 0.5f, 0.3f},    {0.95f, 0.55f, 0.3f},
                                 {1.1f, 0.7f, 0.3f},    {1.05f, 0.2f, 0.1f},   {0.9f, 0.52f, 0.15f},
                                 {-1.2f, -0.63f, 0.2f}, {1.02f, -0.1f, -0.05f}};
  expect_quadrature<WendlandC2>(box, points);
  expect_quadrature<CubicSpline>(box, points);
}
TEST(WallPart, TurnedBoxEqualsQuadrature) {
  expect_quadrature<WendlandC2>({.shape = WallShape::box,
                                 .inside = false,
                                 .low = {-1, -0.6, -0.2},
                                 .high = {1, 0.6, 0.2},
                                 .rotation_axis = {1, 2, 0.5},
                                 .rotation_angle = 0.7},
                                {{0.8f, 0.7f, 0.3f}, {0.3f, 0.6f, 0.5f}, {-0.9f, -0.3f, 0.6f}});
}
TEST(WallPart, SphereEqualsQuadrature) {
  const std::vector<Vec3> points{{0.62f, 0.1f, 0.2f}, {0.3f, 0.5f, 0.5f}, {0, 0, -0.55f}, {0.1f, -0.9f, 0}};
  expect_quadrature<WendlandC2>({.shape = WallShape::sphere, .inside = false, .radius = 0.6}, points);
  expect_quadrature<CubicSpline>({.shape = WallShape::sphere, .inside = false, .radius = 0.2},
                                 {{0.25f, 0, 0}, {0.1f, 0.3f, 0.2f}});
  expect_quadrature<WendlandC2>({.shape = WallShape::sphere, .radius = 1},
                                {{0.62f, 0.1f, 0.2f}, {0.5f, 0.5f, 0.5f}, {0, 0.95f, 0}});
}
TEST(WallPart, CylindersEqualQuadrature) {
  const Point3 axis{0.6, 0, 0.8};
  const std::vector<Vec3> points{{0.5f, 0.1f, -0.2f}, {-0.1f, 0.55f, 0}, {0.1f, -0.75f, 0.1f}};
  expect_quadrature<WendlandC2>(
      {.shape = WallShape::cylinder, .inside = false, .direction = axis, .radius = 0.5}, points);
  expect_quadrature<CubicSpline>({.shape = WallShape::cylinder, .direction = axis, .radius = 0.9}, points);
  // rims, ends and mantle of a short one
  const WallParameters drum{
      .shape = WallShape::cylinder, .inside = false, .direction = {0, 0, 1}, .radius = 0.5, .length = 0.8};
  expect_quadrature<WendlandC2>(drum, {{0.1f, 0, 0.5f},
                                       {0.4f, 0.1f, 0.45f},
                                       {0.5f, 0.15f, 0.42f},
                                       {0, 0.6f, 0.3f},
                                       {0.52f, 0, 0.05f},
                                       {-0.45f, 0.3f, -0.5f}});
}
/// Exact away from the seam of ends and mantle; within its reach the tables are blended.
TEST(WallPart, CapsuleEqualsQuadrature) {
  const WallParameters capsule{
      .shape = WallShape::capsule, .inside = false, .direction = {0, 0, 1}, .radius = 0.6, .length = 2};
  expect_quadrature<WendlandC2>(capsule, {{0.65f, 0, 0.2f}, {0.1f, 0, 1.7f}});
  const Walls walls({capsule});
  const Vec3 seam{0.62f, 0.1f, 1.05f};
  const auto at = wall_shares(walls, WallVolumeMap(WendlandC2<double>(1), float(h), walls), {seam})[0];
  const auto expected = test::integrate_behind(capsule, WendlandC2<double>(h), h, to_double(seam), 80);
  EXPECT_NEAR(at.open, 1 - expected.fraction, 1e-2);
}

/// Far from its edges a box is its nearest face, to the bit; a huge sphere is a plane; a kernel that a sphere
/// swallows is full.
TEST(WallPart, LimitsAreThePlane) {
  const Walls plane({{.shape = WallShape::plane, .point = {0, 0, 1}, .direction = {0, 0, 1}}}),
      box({{.shape = WallShape::box, .inside = false, .low = {-1, -1, -1}, .high = {1, 1, 1}}}),
      ball({{.shape = WallShape::sphere, .inside = false, .point = {0, 0, -499}, .radius = 500}});
  const auto of = [&](const Walls& walls, float z) {
    return wall_shares(walls, WallVolumeMap(WendlandC2<double>(1), float(h), walls), {{0.1f, -0.2f, z}})[0];
  };
  for (float z : {0.95f, 1.0f, 1.13f, 1.4f}) {
    const WallShare flat = of(plane, z), face = of(box, z), round = of(ball, z);
    EXPECT_EQ(face.open, flat.open);
    EXPECT_EQ(face.slope, flat.slope);
    EXPECT_EQ(face.open_normal, flat.open_normal);
    EXPECT_NEAR(round.open, flat.open, 1e-3);
    EXPECT_NEAR(round.slope * h, flat.slope * h, 2e-3);
    EXPECT_NEAR(round.open_normal, flat.open_normal, 2e-3);
  }
}

struct SampleOpen {
  static constexpr const char* name = "test sample open";
  WallView walls;
  WallFillView fill;
  View<const Vec3> position;
  View<float> open;
  MERGANSER_METHOD void operator()(int i) const {
    open[i] = 1;
    for_each_near_wall(walls, fill, position[i],
                       [&](const Wall&, const WallShare& found) { open[i] *= found.open; });
  }
};
std::vector<float> products(const std::vector<WallParameters>& parameters, const std::vector<Vec3>& points) {
  const Walls walls(parameters);
  const WallVolumeMap map(WendlandC2<double>(1), float(h), walls);
  Array<Vec3> position(points);
  Array<float> open(position.size());
  launch(position.size(), SampleOpen{walls.view(), map.view(), position.const_view(), open.view()});
  return open.to_host();
}

/// In the corner of a floor and an obstacle that stands on it, the obstacle counts as if it went on below: a
/// box as a plane, a drum as an endless cylinder, also where both are turned.
TEST(WallPart, ObstacleOnTheFloor) {
  const std::vector<Vec3> points{{1.1f, 0, 0.1f}, {1.02f, 0.2f, 0.15f}, {1.2f, -0.3f, 0.02f}};
  const WallParameters floor{.shape = WallShape::plane, .direction = {0, 0, 1}},
      side{.shape = WallShape::plane, .point = {1, 0, 0}, .direction = {1, 0, 0}};
  const WallParameters box{.shape = WallShape::box, .inside = false, .low = {-1, -1, 0}, .high = {1, 1, 2}};
  const auto corner = products({floor, side}, points), on_floor = products({floor, box}, points);
  for (size_t i = 0; i < points.size(); ++i) EXPECT_FLOAT_EQ(on_floor[i], corner[i]);
  WallParameters pillar{.shape = WallShape::cylinder, .inside = false, .point = {0, 0, 1}, .radius = 1};
  const auto endless = products({floor, pillar}, points);
  pillar.length = 2;
  const auto drum = products({floor, pillar}, points);
  for (size_t i = 0; i < points.size(); ++i) EXPECT_FLOAT_EQ(drum[i], endless[i]);
  // On its edge over the floor it is an edge again.
  WallParameters raised = box;
  raised.low[2] = 0.1;
  EXPECT_GT(products({floor, raised}, points)[0], 1.1f * corner[0]);
}

/// A lattice of particles that fills all space but a box: the summed density plus lambda is that at rest, but
/// for 3.0 %, the lattice's own error beside a flat wall. With tangent planes it is four times that at an
/// edge.
TEST(WallPart, DensityAtRestBesideAnObstacle) {
  const double s = h / 1.3, volume = s * s * s;
  const int half = 4;  // spacings of half the box's edge
  const WallParameters box{.shape = WallShape::box,
                           .inside = false,
                           .low = {-half * s, -half * s, -half * s},
                           .high = {half * s, half * s, half * s}};
  const Walls walls({box});
  const WendlandC2<double> kernel(h);
  const auto place = [&](int i) { return (i + 0.5) * s; };
  const auto outside = [&](int i, int j, int k) {
    return std::max({std::abs(place(i)), std::abs(place(j)), std::abs(place(k))}) > half * s;
  };
  std::vector<Vec3> points;
  std::vector<double> sums;
  for (int i = 0; i < half + 2; ++i)
    for (int j = 0; j < half + 2; ++j)
      for (int k = 0; k < half + 2; ++k) {
        if (!outside(i, j, k)) continue;
        points.push_back({float(place(i)), float(place(j)), float(place(k))});
        double sum = 0;
        for (int a = -4; a <= 4; ++a)
          for (int b = -4; b <= 4; ++b)
            for (int c = -4; c <= 4; ++c)
              if (outside(i + a, j + b, k + c))
                sum += volume * kernel.value(s * std::sqrt(double(a * a + b * b + c * c)));
        sums.push_back(sum);
      }
  const auto worst = [&](const WallVolumeMap& map) {
    const auto found = wall_shares(walls, map, points);
    double error = 0;
    for (size_t i = 0; i < points.size(); ++i) error = std::max(error, std::abs(sums[i] - found[i].open));
    return error;
  };
  const double exact = worst(WallVolumeMap(WendlandC2<double>(1), float(h), walls)),
               tangent = worst(WallVolumeMap(WendlandC2<double>(1), float(h)));
  note("density error beside an edge: exact %.4f, tangent planes %.4f\n", exact, tangent);
  EXPECT_LT(exact, 0.032);
  EXPECT_GT(tangent, 0.1);
}

}  // namespace wall_part_test
MERGANSER_END
