/// Device primitives give the same bits for 1, 2 and 3 CPU threads and from run to run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "device/launch.h"
#include "device/reduce.h"
#include "device/sort.h"
#include "device/uniform_grid.h"
#include "tests/support/random_values.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace device_test {

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
/// `work()` returns a vector; its bytes must not depend on threads or on the run.
template <class Work>
void expect_same_bits(const Work& work) {
  const auto reference = bytes_of(with_threads(1, work));
  ASSERT_FALSE(reference.empty());
  for (int threads : {1, 2, 3, 2})
    EXPECT_EQ(bytes_of(with_threads(threads, work)), reference) << threads << " threads";
}

struct SumVectors {
  static constexpr const char* name = "test sum vectors";
  using Value = Vec3d;
  View<const Vec3> values;
  MERGANSER_METHOD Vec3d operator()(int i) const { return to_double(values[i]); }
  MERGANSER_METHOD static Vec3d identity() { return {0, 0, 0}; }
  MERGANSER_METHOD static Vec3d combine(const Vec3d& a, const Vec3d& b) { return a + b; }
};
/// Float arithmetic that a vectorised loop and its remainder could round in different ways.
struct Blend {
  static constexpr const char* name = "test blend";
  View<const Vec3> in;
  View<float> out;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 a = in[i];
    out[i] = a.x * a.y + a.z * a.x - sqrtf(a.z * a.z + a.y * a.y) / (1.0f + a.x * a.x);
  }
};
/// Sum over neighbors in the grid's order: the bits tell the order.
struct NeighborSum {
  static constexpr const char* name = "test neighbor sum";
  UniformGridView grid;
  View<const Vec3> position;
  View<float> sum;
  MERGANSER_METHOD void operator()(int i) const {
    float s = 0;
    grid.for_each_neighbor(position[i], 0.05f,
                           [&](int, const Vec3& d, float r2) { s += d.x * r2 + sqrtf(r2); });
    sum[i] = s;
  }
};

TEST(DeterminismOfDevice, Reduction) {
  Array<Vec3> values(random_points(300007, 1e4f));
  expect_same_bits([&] {
    Reduction<Vec3d> reduction;
    reduction.run(values.size(), SumVectors{values.const_view()});
    return std::vector<Vec3d>{reduction.read()};
  });
}
TEST(DeterminismOfDevice, Launch) {
  for (int count : {100, 5000, 300007}) {
    Array<Vec3> values(random_points(count, 3.0f));
    expect_same_bits([&] {
      Array<float> out(count);
      launch(count, Blend{values.const_view(), out.view()});
      return out.to_host();
    });
  }
}
TEST(DeterminismOfDevice, SortOfEqualKeys) {
  const auto key_values = random_ints(200003, 0, 500);
  std::vector<unsigned> keys(key_values.begin(), key_values.end());
  expect_same_bits([&] {
    Array<unsigned> sorted(keys);
    std::vector<int> index(keys.size());
    std::iota(index.begin(), index.end(), 0);
    Array<int> values(index);
    Scratch scratch;
    stable_sort_by_key(sorted.view(), values.view(), scratch, 9);
    return values.to_host();
  });
}
TEST(DeterminismOfDevice, Scan) {
  Array<int> in(random_ints(300007, 0, 50));
  expect_same_bits([&] {
    Array<int> out(in.size() + 1);
    Scratch scratch;
    exclusive_scan(in.const_view(), out.view(), scratch);
    return out.to_host();
  });
}
TEST(DeterminismOfDevice, GridOrderAndNeighborOrder) {
  auto points = random_points(60000, 1.0f);
  for (int i = 0; i < 200; ++i) points.push_back({0.1f, 0.1f, 0.1f});  // a crowded cell
  Array<Vec3> position(points);
  auto build = [&](UniformGrid& grid) { grid.build(position.const_view(), 0.05f, 2); };
  expect_same_bits([&] {
    UniformGrid grid;
    build(grid);
    return to_host(grid.order());
  });
  expect_same_bits([&] {
    UniformGrid grid;
    build(grid);
    Array<float> sum(position.size());
    launch(position.size(), NeighborSum{grid.view(), position.const_view(), sum.view()});
    return sum.to_host();
  });
}

}  // namespace device_test
MERGANSER_END
