/// Sets of lanes and boxes of the CPU's walks by cells, and rows of neighbors that go through all their ways.
#include "device/cell_walk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/methods/dfsph/neighbor_rows.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace cell_walk_test {

#if !MERGANSER_GPU_HALF
TEST(CellWalk, SetLanesComeFirst) {
  const Int8 numbers{10, 11, 12, 13, 14, 15, 16, 17};
  const Float8 halves{0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
  for (unsigned bits = 0; bits < 256; ++bits) {
    int stored[8];
    store_lanes(stored, numbers, bits);
    const Float8 first = set_lanes_first(halves, bits);
    int held = 0;
    for (int lane = 0; lane < 8; ++lane) {
      if (!(bits >> lane & 1)) continue;
      EXPECT_EQ(stored[held], 10 + lane) << bits;
      EXPECT_EQ(first[held++], float(lane) + 0.5f) << bits;
    }
  }
}

TEST(CellWalk, BitsOfLanes) {
  const Float8 a{-1, 0, 1, 2, NAN, -3, 0.5f, 1};
  EXPECT_EQ(bits_where_less(a, 1), 0b01100011u);
  EXPECT_EQ(bits_where_zero(Int8{0, 1, 0, -1, 2, 0, 7, 0}), 0b10100101u);
  EXPECT_EQ(bits_of_first_lanes(1), 1u);
  EXPECT_EQ(bits_of_first_lanes(8), 255u);
}

TEST(CellWalk, EightVectorsFromMemory) {
  const std::vector<Vec3> points = random_points(9, 1);
  const Vector3<Float8> eight = load_vectors(points.data() + 1);
  for (int lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(eight.x[lane], points[size_t(lane) + 1].x);
    EXPECT_EQ(eight.y[lane], points[size_t(lane) + 1].y);
    EXPECT_EQ(eight.z[lane], points[size_t(lane) + 1].z);
  }
}

TEST(CellWalk, DistanceFromABox) {
  CellBox box;
  box.take_in({1, 2, 3});
  box.take_in({2, 1, 5});
  EXPECT_EQ(box.distance_squared(Vec3{1.5f, 1.5f, 4}), 0);
  EXPECT_EQ(box.distance_squared(Vec3{0, 1.5f, 4}), 1);
  EXPECT_EQ(box.distance_squared(Vec3{4, 5, 2}), 4 + 9 + 1);
  const Float8 both = box.distance_squared(broadcast(Vec3{4, 5, 2}));
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(both[lane], 14);
}
#endif

/// A crowd that needs more than one buffer of candidates, and points about it, of which the last have no
/// eight behind them. Rows grow while they are built.
TEST(DfsphRows, OfACrowdHoldEveryNeighborOnce) {
  const float radius = 0.25f;
  std::vector<Vec3> x = random_points(1500, 0.1f, 1);
  for (const Vec3& p : random_points(403, 2, 2)) x.push_back(p);
  UniformGrid grid;
  const Array<Vec3> unsorted(x);
  grid.build(unsorted.const_view(), radius);
  std::vector<Vec3> sorted;
  for (const int i : to_host(grid.order())) sorted.push_back(x[size_t(i)]);
  const Array<Vec3> position(sorted);
  grid.use_permuted(position.const_view());
  NeighborRows rows;
  rows.build(grid.view(), radius);
  const auto length = to_host(View<const int>(rows.view().length));
  const int room = rows.view().room, count = position.size();
  ASSERT_NE(rows.view().near, nullptr);
  const size_t entries = (size_t(count) + 31) / 32 * 32 * size_t(room);
  const auto near = to_host(View<const short>{rows.view().near, int(entries)});
  const auto place = [&](int i, int k) { return rows.view().place(i, k); };
  for (int i = 0; i < count; ++i) {
    std::vector<int> wanted, found;
    for (int j = 0; j < count; ++j)
      if (j != i && norm_squared(sorted[size_t(i)] - sorted[size_t(j)]) < radius * radius)
        wanted.push_back(j);
    for (int k = 0; k < length[size_t(i)]; ++k) found.push_back(i + near[place(i, k)]);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, wanted) << i;
  }
}

}  // namespace cell_walk_test
MERGANSER_END
