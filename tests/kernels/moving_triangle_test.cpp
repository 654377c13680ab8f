/// Passages through a moving triangle against the roots of a cubic.
#include "solvers/observables/moving_triangle.h"

#include <gtest/gtest.h>

#include "tests/support/crossing_reference.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace moving_triangle_test {

TEST(MovingTriangle, AgreesWithTheRootsOfTheCubic) {
  const auto points = random_points(6 * 60000, 2000000.0f);
  int seen[5] = {0, 0, 0, 0, 0};  // up to two passages, where the triangle turns meanwhile
  for (size_t k = 0; k < points.size(); k += 6) {
    LatticePoint p[6];
    for (size_t c = 0; c < 6; ++c) p[c] = vector_cast<long long>(points[k + c]);
    const auto path = [&](size_t c) {
      return CornerPath{vector_cast<double>(p[c]), vector_cast<double>(p[c + 3])};
    };
    const int expected = reference_passages(path(0), path(1), path(2));
    const int labels[3] = {static_cast<int>(k % 7), static_cast<int>(k % 5 + 10),
                           static_cast<int>(k % 3) * 10 + 7};
    ASSERT_EQ(passage({p[0], p[3], labels[0]}, {p[1], p[4], labels[1]}, {p[2], p[5], labels[2]}).passages,
              expected)
        << k;
    ++seen[expected + 2];
  }
  EXPECT_GT(seen[0] + seen[4], 0);
  EXPECT_GT(seen[1], 500);
  EXPECT_GT(seen[3], 500);
}

}  // namespace moving_triangle_test
MERGANSER_END
