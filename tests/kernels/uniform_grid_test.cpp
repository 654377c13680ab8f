/// The uniform grid against brute force: same neighbors for random, clustered, coincident, far-flung and
/// periodic clouds.
#include "device/uniform_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "device/launch.h"
#include "device/random.h"
#include "device/timers.h"

MERGANSER_BEGIN
namespace uniform_grid_test {

constexpr int most_neighbors = 4096;

struct CollectNeighbors {
  static constexpr const char* name = "test collect neighbors";
  UniformGridView grid;
  View<const Vec3> query;
  float radius;
  View<int> count;
  View<int> neighbor;
  MERGANSER_METHOD void operator()(int i) const {
    int n = 0;
    grid.for_each_neighbor(query[i], radius, [&](int j, const Vec3&, float) {
      if (n < most_neighbors) neighbor[i * most_neighbors + n] = grid.order[j];
      ++n;
    });
    count[i] = n;
  }
};

float uniform(int particle, int word) {
  return uniform_float(random_draw(7, RandomPurpose::test, static_cast<unsigned>(particle), 0).word[word]);
}

/// Points in a cube of edge `size` around the origin.
std::vector<Vec3> random_cloud(int count, float size) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(
        {size * (uniform(i, 0) - 0.5f), size * (uniform(i, 1) - 0.5f), size * (uniform(i, 2) - 0.5f)});
  return points;
}

/// Distance in double, shortest image on periodic axes.
double distance(const Vec3& a, const Vec3& b, const Vec3& period) {
  auto axis = [](double d, double length) { return length > 0 ? d - length * std::round(d / length) : d; };
  return std::sqrt(std::pow(axis(double(a.x) - b.x, period.x), 2) +
                   std::pow(axis(double(a.y) - b.y, period.y), 2) +
                   std::pow(axis(double(a.z) - b.z, period.z), 2));
}

void expect_brute_force_neighbors(const std::vector<Vec3>& points, float radius, int reach,
                                  Vec3 period = {0, 0, 0}, Vec3 origin = {0, 0, 0}) {
  const int n = static_cast<int>(points.size());
  Array<Vec3> position(points);
  UniformGrid grid;
  grid.set_periodic(origin, period);
  grid.build(position.const_view(), radius, reach);
  Array<int> count(n), neighbor(n * most_neighbors);
  launch(n, CollectNeighbors{grid.view(), position.const_view(), radius, count.view(), neighbor.view()});
  const auto counts = count.to_host();
  const auto neighbors = neighbor.to_host();
  for (int i = 0; i < n; ++i) {
    ASSERT_LE(counts[size_t(i)], most_neighbors);
    std::multiset<int> found(neighbors.begin() + i * most_neighbors,
                             neighbors.begin() + i * most_neighbors + counts[size_t(i)]);
    for (int j = 0; j < n; ++j) {
      const double r = distance(points[size_t(i)], points[size_t(j)], period);
      // Pairs within float rounding of the radius may fall on either side.
      if (std::abs(r - radius) < 1e-5 * radius + 2e-6) continue;
      ASSERT_EQ(found.count(j), r < radius ? 1u : 0u)
          << "particles " << i << " and " << j << " at distance " << r;
    }
  }
}

TEST(UniformGrid, RandomCloudEqualsBruteForce) {
  for (int reach : {1, 2}) expect_brute_force_neighbors(random_cloud(700, 1.0f), 0.11f, reach);
}
/// With the box that somebody else has found: the same cells and order, without a read.
TEST(UniformGrid, TakesTheBoxFromTheHost) {
  const Array<Vec3> points(random_cloud(700, 1.0f));
  Reduction<Bounds> bounds;
  bounds.run(700, PositionBounds{points.const_view()});
  fetch_results();
  UniformGrid measured, told;
  measured.build(points.const_view(), 0.11f);
  const DeviceTraffic before = device_traffic();
  told.build(points.const_view(), bounds.fetched(), 0.11f);
  EXPECT_EQ(device_traffic().reads, before.reads);
  EXPECT_EQ(to_host(told.order()), to_host(measured.order()));
  const Int3 a = told.view().shape.buckets, b = measured.view().shape.buckets;
  EXPECT_TRUE(a.x == b.x && a.y == b.y && a.z == b.z);
  EXPECT_EQ(told.bounds().low, measured.bounds().low);
  EXPECT_EQ(told.bounds().high, measured.bounds().high);
}
/// What was measured holds until particles move; those that come are within the box of both.
TEST(Bounds, AreKnownUntilParticlesMove) {
  BoundsKnowledge known;
  EXPECT_FALSE(known);
  known.measured();
  EXPECT_TRUE(known);
  known.add({{2, 2, 2}, {3, 3, 3}});
  const Bounds now = known.now({{-1, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(now.low, (Vec3{-1, 0, 0}));
  EXPECT_EQ(now.high, (Vec3{3, 3, 3}));
  known.measured();
  EXPECT_EQ(known.now({{-1, 0, 0}, {1, 1, 1}}).high, (Vec3{1, 1, 1}));
  known.forget();
  EXPECT_FALSE(known);
}

TEST(UniformGrid, ClusteredCloudEqualsBruteForce) {
  auto points = random_cloud(300, 0.05f);
  for (const Vec3& x : random_cloud(300, 3.0f)) points.push_back(x);
  for (int reach : {1, 2}) expect_brute_force_neighbors(points, 0.05f, reach);
}
TEST(UniformGrid, CoincidentParticlesAllSeeEachOther) {
  expect_brute_force_neighbors(std::vector<Vec3>(200, Vec3{-0.3f, 0.7f, 12.0f}), 0.1f, 1);
}
TEST(UniformGrid, OneParticleSeesItself) { expect_brute_force_neighbors({{1, 2, 3}}, 0.1f, 1); }
TEST(UniformGrid, ManyCellsSharingABucketDoNotMix) {
  // A line of particles one cell apart is far longer than the buckets along x.
  std::vector<Vec3> points;
  for (int i = 0; i < 600; ++i)
    points.push_back({0.1f * static_cast<float>(i * 97 % 4000), 0.03f * static_cast<float>(i % 7), 0});
  expect_brute_force_neighbors(points, 0.1f, 1);
}
TEST(UniformGrid, FarParticleCostsNoMemory) {
  auto points = random_cloud(500, 1.0f);
  const size_t before = allocated_bytes();
  {
    Array<Vec3> position(points);
    UniformGrid grid;
    grid.build(position.const_view(), 0.1f);
  }
  points[17] = {1e6f, -1e9f, 3e12f};
  Array<Vec3> position(points);
  UniformGrid grid;
  grid.build(position.const_view(), 0.1f);
  EXPECT_LT(allocated_bytes() - before, 200000u);
  expect_brute_force_neighbors(points, 0.1f, 1);
}
TEST(UniformGrid, PeriodicAxesUseTheShortestImage) {
  auto points = random_cloud(600, 1.0f);  // in [-0.5, 0.5)
  for (int reach : {1, 2}) {
    expect_brute_force_neighbors(points, 0.13f, reach, {1, 1, 1}, {-0.5f, -0.5f, -0.5f});
    expect_brute_force_neighbors(points, 0.13f, reach, {1, 0, 0}, {-0.5f, 0, 0});
    expect_brute_force_neighbors(points, 0.13f, reach, {0, 1, 1}, {0, -0.5f, -0.5f});
  }
}
TEST(UniformGrid, WideReachKeepsTheCellsAroundAParticleApart) {
  // Flat and thin clouds need few buckets on some axes; with too few a query would meet a bucket twice.
  auto points = random_cloud(500, 1.0f);
  for (Vec3& x : points) x.z *= 0.01f;
  for (int reach : {3, 4, 5, 8}) expect_brute_force_neighbors(points, 0.1f, reach);
  for (Vec3& x : points) x.y *= 0.01f;
  for (int reach : {4, 5}) expect_brute_force_neighbors(points, 0.1f, reach);
}
TEST(UniformGrid, LongPeriodsCostNoMemory) {
  // 1e4 cells along each axis; 1e12 buckets would not fit.
  const auto points = random_cloud(600, 1.0f);
  const size_t before = allocated_bytes();
  Array<Vec3> position(points);
  UniformGrid grid;
  grid.set_periodic({-500, -500, -500}, {1000, 1000, 1000});
  grid.build(position.const_view(), 0.1f);
  EXPECT_LT(allocated_bytes() - before, 200000u);
  expect_brute_force_neighbors(points, 0.1f, 1, {1000, 1000, 1000}, {-500, -500, -500});
  expect_brute_force_neighbors(points, 0.1f, 2, {40, 30, 0}, {-20, -15, 0});
}
TEST(UniformGrid, NoParticles) {
  UniformGrid grid;
  grid.build({}, 0.1f);
  Array<Vec3> query(std::vector<Vec3>{{0, 0, 0}});
  Array<int> count(1), neighbor(most_neighbors);
  launch(1, CollectNeighbors{grid.view(), query.const_view(), 0.1f, count.view(), neighbor.view()});
  EXPECT_EQ(read_back(count.const_view(), 0), 0);
}
TEST(UniformGrid, ParticlesThatAreNotNumbersHaveNoNeighbors) {
  auto points = random_cloud(300, 0.5f);
  points[7] = {NAN, 0, 0};
  points[8] = {0, INFINITY, 0};
  Array<Vec3> position(points);
  UniformGrid grid;
  grid.build(position.const_view(), 0.1f);
  Array<int> count(300), neighbor(300 * most_neighbors);
  launch(300, CollectNeighbors{grid.view(), position.const_view(), 0.1f, count.view(), neighbor.view()});
  const auto counts = count.to_host();
  EXPECT_EQ(counts[7], 0);
  EXPECT_EQ(counts[8], 0);
  EXPECT_GT(counts[9], 0);
}
TEST(UniformGrid, PermutedOwnersUseTheirOwnPositions) {
  const auto points = random_cloud(400, 0.5f);
  Array<Vec3> position(points);
  UniformGrid grid;
  grid.build_order(position.const_view(), 0.1f);
  std::vector<Vec3> sorted;
  for (int i : to_host(grid.order())) sorted.push_back(points[size_t(i)]);
  position.assign(sorted);
  grid.use_permuted(position.const_view());
  EXPECT_EQ(grid.view().position.data, position.data());
  Array<int> count(400), neighbor(400 * most_neighbors);
  launch(400, CollectNeighbors{grid.view(), position.const_view(), 0.1f, count.view(), neighbor.view()});
  const auto counts = count.to_host();
  for (int i = 0; i < 400; ++i) {
    int expected = 0;
    for (const Vec3& x : sorted) expected += distance(sorted[size_t(i)], x, {0, 0, 0}) < 0.1;
    EXPECT_NEAR(counts[size_t(i)], expected, 1);  // one pair may lie within rounding of the radius
  }
}
TEST(UniformGrid, TooShortAPeriodIsAnError) {
  Array<Vec3> position(random_cloud(10, 0.1f));
  UniformGrid grid;
  grid.set_periodic({0, 0, 0}, {0.2f, 0, 0});
  EXPECT_THROW(grid.build(position.const_view(), 0.1f), InputError);
}
TEST(UniformGrid, OrderIsStableWithinBuckets) {
  Array<Vec3> position(random_cloud(5000, 0.3f));
  UniformGrid grid;
  grid.build(position.const_view(), 0.1f);
  const auto order = to_host(grid.order());
  const auto start = to_host(grid.view().bucket_start);
  for (size_t b = 0; b + 1 < start.size(); ++b)
    EXPECT_TRUE(std::is_sorted(order.begin() + start[b], order.begin() + start[b + 1]));
  std::set<int> all(order.begin(), order.end());
  EXPECT_EQ(all.size(), order.size());
}

}  // namespace uniform_grid_test
MERGANSER_END
