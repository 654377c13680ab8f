/// The CPU and the GPU half give the same results: integers exactly, sums to rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/backends/samples/primitive_samples.h"

namespace merganser {
namespace primitives_test {

std::vector<int> random_ints(int count, int low, int high) {
  std::mt19937 engine(11);
  std::uniform_int_distribution<int> draw(low, high);
  std::vector<int> values(static_cast<size_t>(count));
  for (int& value : values) value = draw(engine);
  return values;
}
std::vector<Float3> random_points(int count, float size) {
  std::mt19937 engine(12);
  std::uniform_real_distribution<float> draw(-0.5f * size, 0.5f * size);
  std::vector<Float3> points(static_cast<size_t>(count));
  for (Float3& p : points) p = {draw(engine), draw(engine), draw(engine)};
  return points;
}
const std::vector<int> sizes = {0, 1, 1023, 1024, 1025, 100003, 1500000};

TEST(Backends, Scan) {
  for (int size : sizes) {
    const auto values = random_ints(size, -20, 40);
    EXPECT_EQ(cpu::sample_scan(values), gpu::sample_scan(values)) << "size " << size;
  }
}
TEST(Backends, StableSort) {
  for (int size : sizes)
    for (int bits : {3, 20, 64}) {
      std::mt19937_64 engine(13);
      std::vector<std::uint64_t> keys(static_cast<size_t>(size));
      for (auto& key : keys) key = engine() >> (64 - bits);
      EXPECT_EQ(cpu::sample_sort(keys, bits), gpu::sample_sort(keys, bits))
          << "size " << size << ", " << bits << " bits";
    }
}
TEST(Backends, Compact) {
  for (int size : sizes) {
    const auto flags = random_ints(size, 0, 1);
    EXPECT_EQ(cpu::sample_compact(flags), gpu::sample_compact(flags)) << "size " << size;
  }
}
TEST(Backends, Random) { EXPECT_EQ(cpu::sample_random(100000), gpu::sample_random(100000)); }
TEST(Backends, Reduction) {
  for (int size : sizes) {
    const auto values = random_points(size, 1e3f);
    const auto on_cpu = cpu::sample_sum(values), on_gpu = gpu::sample_sum(values);
    // Two trees of at most 1,024 + size/1024 additions each, terms below 500.
    const double bound = 2.0 * (1025 + size / 1024) * 1.2e-16 * 500 * (size + 1);
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(on_cpu[k], on_gpu[k], bound) << "size " << size;
  }
}
TEST(Backends, GridAndNeighborLists) {
  struct Case {
    std::vector<Float3> points;
    float radius;
    int reach;
    Float3 origin, period;
  };
  std::vector<Float3> clustered = random_points(3000, 4.0f);
  for (const Float3& p : random_points(3000, 0.2f)) clustered.push_back(p);
  for (const Case& c : {Case{random_points(20000, 1.0f), 0.05f, 1, {}, {}},
                        Case{random_points(20000, 1.0f), 0.05f, 2, {}, {}}, Case{clustered, 0.05f, 2, {}, {}},
                        Case{random_points(5000, 1.0f), 0.08f, 1, {-0.5f, -0.5f, 0}, {1, 1, 0}}}) {
    const auto a = cpu::sample_neighbors(c.points, c.radius, c.reach, c.origin, c.period);
    const auto b = gpu::sample_neighbors(c.points, c.radius, c.reach, c.origin, c.period);
    ASSERT_EQ(a.order, b.order);
    for (size_t i = 0; i < c.points.size(); ++i) {
      std::vector<int> unlike;
      std::set_symmetric_difference(a.neighbor.begin() + a.first[i], a.neighbor.begin() + a.first[i + 1],
                                    b.neighbor.begin() + b.first[i], b.neighbor.begin() + b.first[i + 1],
                                    std::back_inserter(unlike));
      for (int j : unlike) {  // only where rounding of the distance decides
        double square = 0;
        for (size_t k = 0; k < 3; ++k) {
          double d = double(c.points[i][k]) - c.points[size_t(j)][k];
          if (c.period[k] > 0) d -= c.period[k] * std::round(d / c.period[k]);
          square += d * d;
        }
        ASSERT_NEAR(std::sqrt(square), c.radius, 1e-5 * c.radius) << "particles " << i << " and " << j;
      }
    }
  }
}
TEST(Backends, ParticleStore) {
  const auto points = random_points(10000, 1.0f);
  std::vector<int> order(points.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i * 7919 % order.size());
  const auto a = cpu::sample_store(points, order), b = gpu::sample_store(points, order);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.id, b.id);
}

}  // namespace primitives_test
}  // namespace merganser
