/// Neighbor lists against brute force.
#include "device/neighbor_list.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_values.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace neighbor_list_test {

/// Pairs of unlike parity only.
struct UnlikeParity {
  MERGANSER_METHOD bool operator()(int i, int j, const Vec3&, float) const { return (i + j) % 2 != 0; }
};

struct Lists {
  std::vector<int> first, neighbor;
};
template <class Keep>
Lists build_lists(const std::vector<Vec3>& points, const std::vector<Vec3>& queries, float radius,
                  const Keep& keep) {
  Array<Vec3> position(points), query(queries);
  UniformGrid grid;
  grid.build(position.const_view(), radius, 2);
  NeighborList list;
  list.build(grid.view(), query.const_view(), radius, keep);
  return {to_host(list.view().first), to_host(list.view().neighbor)};
}
template <class Keep>
void expect_brute_force(const std::vector<Vec3>& points, const std::vector<Vec3>& queries, float radius,
                        const Keep& keep) {
  const Lists lists = build_lists(points, queries, radius, keep);
  ASSERT_EQ(lists.first.size(), queries.size() + 1);
  ASSERT_EQ(lists.first.front(), 0);
  ASSERT_EQ(lists.first.back(), static_cast<int>(lists.neighbor.size()));
  for (size_t i = 0; i < queries.size(); ++i) {
    std::vector<int> expected;
    for (size_t j = 0; j < points.size(); ++j) {
      // The same float arithmetic as the grid's: the lists must agree to the last pair.
      const Vec3 d = queries[i] - points[j];
      if (norm_squared(d) < radius * radius && keep(int(i), int(j), d, norm_squared(d)))
        expected.push_back(int(j));
    }
    const std::vector<int> found(lists.neighbor.begin() + lists.first[i],
                                 lists.neighbor.begin() + lists.first[i + 1]);
    // Contraction may round |d|^2 in another way, so pairs within rounding of the radius may differ.
    std::vector<int> unlike;
    std::set_symmetric_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                                  std::back_inserter(unlike));
    for (int j : unlike)
      ASSERT_NEAR(norm(queries[i] - points[size_t(j)]), radius, 1e-6f * radius) << "row " << i;
    ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
  }
}

TEST(NeighborList, EqualsBruteForce) {
  const auto points = random_points(1500, 1.0f);
  expect_brute_force(points, points, 0.12f, EveryOtherParticle{});
  expect_brute_force(points, points, 0.12f, UnlikeParity{});
}
TEST(NeighborList, QueriesMayBeOtherPoints) {
  expect_brute_force(random_points(800, 1.0f), random_points(300, 1.2f, 1), 0.15f, EveryOtherParticle{});
}
TEST(NeighborList, CrowdedRowsAreSorted) {  // longer than the insertion sort takes
  expect_brute_force(random_points(600, 0.2f), random_points(600, 0.2f), 0.15f, EveryOtherParticle{});
}
TEST(NeighborList, NoPointsNoRowsOrNoNeighbors) {
  expect_brute_force({}, {}, 0.1f, EveryOtherParticle{});
  expect_brute_force({}, random_points(5, 1.0f), 0.1f, EveryOtherParticle{});
  expect_brute_force(random_points(5, 1.0f), {}, 0.1f, EveryOtherParticle{});
  expect_brute_force({{0, 0, 0}}, {{0, 0, 0}}, 0.1f, EveryOtherParticle{});
}
TEST(NeighborList, IsTheSameForAnyNumberOfThreads) {
  const auto points = random_points(20000, 1.0f);
  const auto lists = [&](int threads) {
    return with_threads(threads, [&] { return build_lists(points, points, 0.06f, EveryOtherParticle{}); });
  };
  const Lists reference = lists(1);
  for (int threads : {2, 3}) {
    const Lists other = lists(threads);
    EXPECT_EQ(other.first, reference.first);
    EXPECT_EQ(other.neighbor, reference.neighbor);
  }
}

}  // namespace neighbor_list_test
MERGANSER_END
