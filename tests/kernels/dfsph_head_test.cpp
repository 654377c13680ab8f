/// The head of liquid at rest that DFSPH solves with solids do not find.
#include <gtest/gtest.h>

#include "device/launch.h"
#include "device/reduce.h"
#include "solvers/methods/dfsph/head_at_rest.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace dfsph_head_test {

constexpr float weight = 1000, margin = 500, passed = 4000, onset = 500;  // [N/m^3] along -z, [Pa]

struct Heads {
  float line;
  std::vector<float> head;
};
/// Particles at the heights 0, 1, 2, ... [m].
Heads heads_of(const std::vector<float>& compressions, const std::vector<int>& apart_of) {
  const int count = int(compressions.size());
  std::vector<Quad> places;
  for (int i = 0; i < count; ++i) places.push_back({7, -3, float(i), 99});
  const Array<Quad> position(places);
  const Array<float> compression(compressions);
  const Array<int> of(apart_of);
  const ApartView apart{of.const_view(), true};
  const Vec3 down{0, 0, -weight};
  Reduction<HeadLine> line;
  line.run(count, FindHeadLine{down, passed, position.const_view(), compression.const_view(), apart});
  Array<float> head(count);
  launch(count, FindHeads{.weight = down,
                          .line = line.result(),
                          .margin = margin,
                          .onset = onset,
                          .position = position.const_view(),
                          .apart = apart,
                          .head = head.view(),
                          .pressure = {},
                          .steady = {}});
  return {read_back(line.result(), 0).at(margin), head.to_host()};
}
constexpr int in = static_cast<int>(Apart::no), behind = static_cast<int>(Apart::behind_wall);

TEST(DfsphHead, BeginsBelowTheLowestThatLacksDensity) {
  const Heads found = heads_of({0, 0.01f, -0.02f, -0.05f, -0.2f, 0, -0.3f}, {in, in, in, in, in, in, in});
  EXPECT_EQ(found.line, -4 * weight + margin);
  EXPECT_EQ(found.head, (std::vector<float>{3000, 2000, 1000, 125, 0, 0, 0}));
}
/// A particle at the bottom becomes a free surface by and by: the line goes there from the surface without a
/// jump, and is no deeper before -0.08.
TEST(DfsphHead, FollowsDensitiesContinuously) {
  const float surface = -10 * weight + margin;
  float last = surface;
  for (int k = 0; k <= 2000; ++k) {
    const float lack = -0.07f - 0.04f * float(k) / 2000;
    const float line = heads_of({lack, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.2f}, std::vector<int>(11, in)).line;
    if (lack > -0.08f) {
      EXPECT_EQ(line, surface) << lack;
    }
    if (lack <= -0.1f) {
      EXPECT_EQ(line, margin) << lack;
    }
    EXPECT_GE(line, last) << lack;
    EXPECT_LT(line - last, 0.02f * 10 * weight) << lack;
    last = line;
  }
}
TEST(DfsphHead, ReachesTheHighestInAFullVessel) {
  EXPECT_EQ(heads_of({0, 0, 0}, {in, in, in}).head, (std::vector<float>{1500, 500, 0}));
}
TEST(DfsphHead, LeavesOutWhatIsBehindWalls) {
  EXPECT_EQ(heads_of({-0.9f, 0, 0, -0.2f}, {behind, in, in, in}).head, (std::vector<float>{0, 1000, 125, 0}));
}
/// What falls, or has air beneath it.
TEST(DfsphHead, IsNoneAboveAir) {
  EXPECT_EQ(heads_of({-0.2f, 0, 0, -0.2f}, {in, in, in, in}).head, (std::vector<float>{0, 0, 0, 0}));
}

}  // namespace dfsph_head_test
MERGANSER_END
