/// Springs of grids, meshes and ropes, counted by hand.
#include "solvers/methods/mass_spring/spring_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace merganser {
namespace spring_network_test {

long count(const std::vector<Spring>& springs, SpringKind kind) {
  return std::count_if(springs.begin(), springs.end(), [&](const Spring& s) { return s.kind == kind; });
}
const Spring* find(const std::vector<Spring>& springs, int a, int b) {
  for (const Spring& s : springs)
    if (s.a == a && s.b == b) return &s;
  return nullptr;
}

TEST(SpringNetwork, GridOfFourByThree) {
  const auto springs = grid_springs(4, 3, 0.1f, 0.2f, 100, 50, 0.01);
  EXPECT_EQ(count(springs, SpringKind::structural), 3 * 3 + 4 * 2);
  EXPECT_EQ(count(springs, SpringKind::shear), 2 * 3 * 2);
  EXPECT_EQ(count(springs, SpringKind::bend), 2 * 3 + 4 * 1);
  ASSERT_TRUE(find(springs, 5, 8));  // the falling diagonal of the cell at (0, 1)
  EXPECT_FLOAT_EQ(find(springs, 5, 8)->rest_length, std::sqrt(0.05f));
  ASSERT_TRUE(find(springs, 0, 2));
  EXPECT_FLOAT_EQ(find(springs, 0, 2)->stiffness, 1.0f);
  EXPECT_FLOAT_EQ(find(springs, 0, 8)->stiffness, 0.25f);
  EXPECT_FLOAT_EQ(find(springs, 0, 8)->rest_length, 0.4f);
  EXPECT_EQ(find(springs, 3, 4), nullptr) << "a spring from the end of one row to the start of the next";
}
TEST(SpringNetwork, StiffnessZeroMakesNoSprings) {
  EXPECT_EQ(grid_springs(4, 3, 0.1f, 0.1f, 100, 0, 0).size(), 17u);
  EXPECT_EQ(rope_springs(5, 0.1f, 100, 0).size(), 4u);
}
TEST(SpringNetwork, RopeOfFive) {
  const auto springs = rope_springs(5, 0.1f, 100, 0.02);
  EXPECT_EQ(count(springs, SpringKind::structural), 4);
  EXPECT_EQ(count(springs, SpringKind::bend), 3);
  EXPECT_FLOAT_EQ(find(springs, 1, 3)->stiffness, 2.0f);
}
TEST(SpringNetwork, TwoTrianglesShareAnEdge) {
  const std::vector<Float3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const auto springs = mesh_springs(square, {{0, 1, 2}, {0, 2, 3}}, 10, 1);
  EXPECT_EQ(count(springs, SpringKind::structural), 5);
  EXPECT_EQ(count(springs, SpringKind::bend), 1);
  ASSERT_TRUE(find(springs, 1, 3));
  EXPECT_FLOAT_EQ(find(springs, 1, 3)->stiffness, 0.5f);  // 1 N m over the diagonal's length squared
}
TEST(SpringNetwork, OppositeCornersThatShareAnEdgeGetNoSecondSpring) {
  const std::vector<Float3> tetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto springs = mesh_springs(tetrahedron, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, 10, 1);
  EXPECT_EQ(springs.size(), 6u);
}

}  // namespace spring_network_test
}  // namespace merganser
