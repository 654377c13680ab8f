/// The head of liquid at rest that DFSPH solves with solids do not find.
#include <gtest/gtest.h>

#include "device/launch.h"
#include "device/reduce.h"
#include "solvers/methods/dfsph/head_at_rest.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace dfsph_head_test {

constexpr float weight = 1000, margin = 500, onset = 500;  // [N/m^3] along -z, [Pa]

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
  line.run(count, FindHeadLine{down, position.const_view(), compression.const_view(), apart});
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
