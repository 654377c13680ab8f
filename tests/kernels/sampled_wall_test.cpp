/// Walls as layers of samples (Akinci et al. 2012): where samples stand, their volumes, and what kernels find
/// of them, against sums over all of them in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/walls/wall_sides.h"
#include "tests/support/asked_walls.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace sampled_wall_test {

constexpr double spacing = 0.05, h = 0.06;

template <class Kernel>
std::vector<WallShare> shares(const Walls& walls, const Kernel& kernel, const std::vector<Vec3>& points,
                              float offset = 0) {
  return wall_shares(walls, WallVolumeMap(kernel, float(h), walls, offset, float(spacing)), points);
}

/// All samples of a wall that stays in the world, endless ones as far as points near the origin see them.
std::vector<Vec3d> all_samples(const WallParameters& wall) {
  const Walls walls({wall});
  const WallSamples samples =
      sample_wall(to_host(all_of(walls.view()))[0], walls.mesh(0).get(), spacing, 2 * h);
  std::vector<Vec3d> points;
  const int turns[2] = {samples.repeats > 0 ? 4 : 0, samples.repeats > 1 ? 4 : 0};
  for (int i = -turns[0]; i <= turns[0]; ++i)
    for (int j = -turns[1]; j <= turns[1]; ++j)
      for (const Point3& x : samples.points) {
        const auto at = [&](size_t axis) {
          return x[axis] + 3 * i * samples.period[0] * samples.direction[0][axis] +
                 3 * j * samples.period[1] * samples.direction[1][axis];
        };
        points.push_back({at(0), at(1), at(2)});
      }
  std::sort(points.begin(), points.end(), [](const Vec3d& a, const Vec3d& b) {
    return std::tuple(a.x, a.y, a.z) < std::tuple(b.x, b.y, b.z);
  });
  std::vector<Vec3d> unlike;  // pieces of endless walls overlap
  for (const Vec3d& x : points) {
    const bool known = std::any_of(unlike.rbegin(), unlike.rend(),
                                   [&](const Vec3d& other) { return norm(x - other) < 1e-6; });
    if (!known) unlike.push_back(x);
  }
  return unlike;
}

/// By the equations of sampled_walls.h, over all samples.
template <class Kernel>
struct Reference {
  const Kernel& kernel;
  std::vector<Vec3d> samples;
  double of_plane = 0;
  Reference(const Kernel& kernel, const WallParameters& wall) : kernel(kernel), samples(all_samples(wall)) {
    for (int y = -5; y <= 5; ++y)
      for (int x = -5; x <= 5; ++x)
        of_plane += kernel.value(spacing * std::hypot(x, y)) * std::pow(spacing, 3);
  }
  double volume(const Vec3d& b) const {
    double sum = 0;
    for (const Vec3d& k : samples) sum += kernel.value(norm(b - k));
    return of_plane / sum;
  }
  struct Share {
    double fraction = 0, missing = 0;
    Vec3d gradient{0, 0, 0};
  };
  Share at(const Vec3d& x) const {
    Share share;
    std::vector<std::pair<Vec3d, double>> near;
    for (const Vec3d& b : samples)
      if (norm(x - b) < 2 * h) near.push_back({b, volume(b)});
    for (const auto& [b, v] : near) {
      share.fraction += v * kernel.value(norm(x - b));
      share.gradient += (v * kernel.gradient_factor(norm(x - b))) * (x - b);
    }
    const Vec3d n = normalized_or_zero(-share.gradient);
    for (const auto& [b, v] : near)
      share.missing -= v * kernel.gradient_factor(norm(x - b)) * std::pow(dot(x - b, n), 2);
    return share;
  }
};

template <template <class> class Kernel>
void expect_reference(WallParameters wall, const std::vector<Vec3>& points) {
  wall.boundary = BoundaryMethod::samples;
  const Kernel<double> kernel(h);
  const Reference<Kernel<double>> reference(kernel, wall);
  const auto found = shares(Walls({wall}), Kernel<double>(1), points);
  for (size_t i = 0; i < points.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "at " << points[i].x << " " << points[i].y << " " << points[i].z);
    const auto expected = reference.at(to_double(points[i]));
    ASSERT_GT(expected.fraction, 1e-3);
    EXPECT_NEAR(found[i].open, std::max(double(wall_least_open), 1 - expected.fraction), 1e-5);
    EXPECT_NEAR(found[i].open_normal, std::max(double(wall_least_open), 1 - expected.missing), 1e-5);
    EXPECT_LT(norm(to_double(found[i].normal) * double(found[i].slope) - expected.gradient) * h, 2e-5);
  }
}

WallParameters plane() {
  return {.shape = WallShape::plane, .point = {0.01, 0, 0.02}, .direction = {0.6, 0, 0.8}};
}
WallParameters obstacle() {
  return {.shape = WallShape::box, .inside = false, .low = {-0.4, -0.3, -0.2}, .high = {0.4, 0.3, 0.25}};
}
WallParameters ball(bool inside) { return {.shape = WallShape::sphere, .inside = inside, .radius = 0.3}; }
WallParameters pipe() { return {.shape = WallShape::cylinder, .direction = {0.6, 0, 0.8}, .radius = 0.3}; }
WallParameters drum() {
  return {
      .shape = WallShape::cylinder, .inside = false, .direction = {0, 0, 1}, .radius = 0.3, .length = 0.5};
}
WallParameters capsule() {
  return {.shape = WallShape::capsule, .inside = false, .direction = {0, 0, 1}, .radius = 0.2, .length = 0.4};
}
WallParameters mesh_ball() {
  return test::mesh_wall(test::ball_mesh({0, 0, 0}, 0.3, 4), spacing, {.inside = false});
}

TEST(SampledWall, PlaneEqualsReference) {
  const std::vector<Vec3> points{{0.08f, 0.02f, 0.06f}, {0.02f, -0.13f, 0.08f}, {0.3f, 0.4f, -0.14f}};
  expect_reference<WendlandC2>(plane(), points);
  expect_reference<CubicSpline>(plane(), points);
}
TEST(SampledWall, RoundWallsEqualReference) {
  const std::vector<Vec3> outside{{0.32f, 0.01f, 0.02f}, {-0.1f, 0.25f, 0.19f}, {0.02f, 0, -0.34f}};
  expect_reference<WendlandC2>(ball(false), outside);
  expect_reference<CubicSpline>(ball(true), {{0.26f, 0.01f, 0.02f}, {0, -0.2f, -0.19f}});
  expect_reference<WendlandC2>(pipe(), {{0, 0.26f, 0}, {0.21f, 0.02f, -0.16f}, {0.06f, -0.27f, 0.1f}});
  expect_reference<WendlandC2>(drum(), {{0.32f, 0, 0.1f}, {0.1f, 0.05f, 0.28f}, {0.3f, 0.02f, -0.27f}});
  expect_reference<CubicSpline>(capsule(), {{0.22f, 0, 0.1f}, {0, 0.02f, 0.43f}, {0.12f, 0.12f, -0.35f}});
}
TEST(SampledWall, BoxAndMeshEqualReference) {
  expect_reference<WendlandC2>(obstacle(), {{0.42f, 0.1f, 0}, {0.3f, 0.29f, 0.27f}, {0, 0, -0.24f}});
  expect_reference<WendlandC2>(mesh_ball(), {{0.32f, 0.01f, 0.02f}, {-0.1f, 0.25f, 0.19f}});
}

/// A fluid's lattice that begins half a spacing before a plane goes on behind it: all sums are those amid the
/// lattice, but for the second layer behind, which has 1 % of the first one's share and 2 % of its gradient.
TEST(SampledWall, LatticeGoesOnBehindAPlane) {
  WallParameters floor{.shape = WallShape::plane, .direction = {0, 0, 1}};
  floor.boundary = BoundaryMethod::samples;
  const WendlandC2<double> kernel(h);
  for (const int layer : {0, 1}) {
    // Samples stand on the lattice through the wall's point.
    const float z = float((layer + 0.5) * spacing);
    const WallShare share = shares(Walls({floor}), WendlandC2<double>(1), {{0, 0, z}})[0];
    double missing = 0, gradient = 0;
    for (int k = layer + 1; k < 5; ++k)
      for (int j = -5; j <= 5; ++j)
        for (int i = -5; i <= 5; ++i) {
          const double r = spacing * std::sqrt(double(i * i + j * j + k * k)), v = std::pow(spacing, 3);
          missing += v * kernel.value(r);
          gradient += v * kernel.gradient_factor(r) * k * spacing;
        }
    EXPECT_NEAR(1 - share.open, missing, 1.5e-3);
    EXPECT_NEAR(share.slope * h, gradient * h, 1.5e-2);
    EXPECT_NEAR(share.normal.z, 1, 1e-5);
  }
}

/// Half a spacing deep all over, no gap of a spacing, none closer than half of it; volumes of about a
/// particle's.
TEST(SampledWall, LayersAreUniform) {
  std::mt19937 random(5);
  std::normal_distribution<double> draw;
  const WallParameters torus =
      test::mesh_wall(test::torus_mesh(0.4, 0.15, 64, 32), spacing, {.inside = false});
  const WallParameters box =
      test::mesh_wall(test::box_mesh({-0.4, -0.3, -0.2}, {0.4, 0.3, 0.25}), spacing, {.inside = false});
  int which = 0;
  for (const WallParameters& wall : {obstacle(), ball(false), drum(), capsule(), mesh_ball(), torus, box}) {
    SCOPED_TRACE(which++);
    const std::vector<Vec3d> samples = all_samples(wall);
    double worst_gap = 0, closest = 1, volume = 0, least_volume = 1, most_volume = 0;
    const WendlandC2<double> kernel(h);
    const Reference<WendlandC2<double>> reference(kernel, wall);
    for (const Vec3d& b : samples) {
      EXPECT_NEAR(signed_distance(wall, {float(b.x), float(b.y), float(b.z)}), -spacing / 2, 0.11 * spacing);
      for (const Vec3d& other : samples)
        if (&other != &b) closest = std::min(closest, norm(b - other));
      const double v = reference.volume(b) / std::pow(spacing, 3);
      volume += v / double(samples.size());
      least_volume = std::min(least_volume, v), most_volume = std::max(most_volume, v);
    }
    for (int k = 0; k < 20000; ++k) {
      const Vec3d x = 0.25 * Vec3d{draw(random), draw(random), draw(random)};
      const double depth = -signed_distance(wall, {float(x.x), float(x.y), float(x.z)});
      if (std::abs(depth - spacing / 2) > 0.05 * spacing) continue;
      double nearest = 1;
      for (const Vec3d& b : samples) nearest = std::min(nearest, norm(x - b));
      worst_gap = std::max(worst_gap, nearest);
    }
    note("%zu samples: gap %.2f, closest %.2f spacings, volume %.2f, %.2f to %.2f\n", samples.size(),
         worst_gap / spacing, closest / spacing, volume, least_volume, most_volume);
    EXPECT_LT(worst_gap, spacing);
    EXPECT_GT(closest, 0.5 * spacing);
    EXPECT_NEAR(volume, 1, 0.15);
  }
}

/// Samples move with their wall: what a point of the body sees does not change but for rounding, and turns
/// with it.
TEST(SampledWall, MovesWithItsWall) {
  const WallMotion motion{.velocity = {0.2, 0, -0.1}, .angular_velocity = {0, 0.5, 1}, .centre = {0.1, 0, 0}};
  for (WallParameters wall : {plane(), obstacle(), pipe(), mesh_ball()}) {
    wall.boundary = BoundaryMethod::samples;
    Vec3 x{0.33f, 0.02f, 0.03f};
    if (wall.shape == WallShape::plane) x = {0.03f, 0, 0.06f};
    if (wall.shape == WallShape::box) x = {0.42f, 0.02f, 0.03f};
    if (wall.shape == WallShape::cylinder) x = {0, 0.27f, 0};
    const WallShare still = shares(Walls({wall}), WendlandC2<double>(1), {x})[0];
    ASSERT_LT(still.open, 0.95f);
    wall.motion = motion;
    Walls moved({wall});
    moved.place(0.7, 0.69, 0.7);
    const RigidPose pose = motion.at(0.7);
    const Point3 to = pose({x.x, x.y, x.z}),
                 n = pose.rotation({still.normal.x, still.normal.y, still.normal.z});
    const WallShare seen =
        shares(moved, WendlandC2<double>(1), {{float(to[0]), float(to[1]), float(to[2])}})[0];
    EXPECT_NEAR(seen.open, still.open, 1e-4);
    EXPECT_NEAR(seen.slope * h, still.slope * h, 1e-3);
    EXPECT_NEAR(seen.open_normal, still.open_normal, 1e-3);
    EXPECT_NEAR(seen.normal.x, n[0], 1e-3);
    EXPECT_NEAR(seen.normal.y, n[1], 1e-3);
    EXPECT_NEAR(seen.normal.z, n[2], 1e-3);
    EXPECT_GT(norm(seen.velocity), 0.1f);
  }
}

/// The volume map may begin further back; samples stay where they are.
TEST(SampledWall, OffsetIsTheVolumeMapsOwn) {
  WallParameters wall = ball(false);
  wall.boundary = BoundaryMethod::samples;
  const Vec3 x{0.33f, 0.02f, 0.03f};
  const WallShare with = shares(Walls({wall}), WendlandC2<double>(1), {x}, 0.01f)[0],
                  without = shares(Walls({wall}), WendlandC2<double>(1), {x})[0];
  EXPECT_NEAR(with.open, without.open, 1e-5);
  EXPECT_NEAR(with.slope * h, without.slope * h, 1e-4);
}

/// An open square less thick than a spacing has its samples in its middle; one of two spacings two layers.
TEST(SampledWall, SheetsOfAnyThickness) {
  TriangleMesh square;
  square.vertices = {{-0.5f, -0.5f, 0}, {0.5f, -0.5f, 0}, {0.5f, 0.5f, 0}, {-0.5f, 0.5f, 0}};
  square.triangles = {{0, 1, 2}, {0, 2, 3}};
  for (const double thickness : {0.6 * spacing, 2 * spacing}) {
    const auto samples = all_samples(test::mesh_wall(square, spacing, {.thickness = thickness}));
    const double depth = std::max(0.0, thickness / 2 - spacing / 2);
    const double layers = depth > 0 ? 2 : 1;
    EXPECT_NEAR(double(samples.size()), layers / (spacing * spacing), 0.25 * layers / (spacing * spacing));
    for (const Vec3d& x : samples) EXPECT_NEAR(std::abs(x.z), depth, 1e-6);
  }
}

TEST(SampledWall, RefusesWhatOneLayerCannotDo) {
  WallParameters wall = ball(false);
  wall.boundary = BoundaryMethod::samples;
  const Walls walls({wall});
  EXPECT_NO_THROW(WallVolumeMap(WendlandC2<double>(1), 1.5f * float(spacing), walls, 0, float(spacing)));
  try {
    const WallVolumeMap refused(WendlandC2<double>(1), 2 * float(spacing), walls, 0, float(spacing));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("walls.0.boundary"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("volumeMap"), std::string::npos) << error.what();
  }
  WallParameters leaf = test::mesh_wall(test::box_mesh({0, 0, 0}, {1, 1, 0.01}), spacing, {.inside = false});
  leaf.boundary = BoundaryMethod::samples;
  const Walls thin({leaf});
  EXPECT_THROW(WallVolumeMap(WendlandC2<double>(1), float(spacing), thin, 0, float(spacing)), InputError);
}

}  // namespace sampled_wall_test
MERGANSER_END
