/// Vectors and symmetric matrices against hand-made and double-precision results.
#include "device/vector_math.h"

#include <gtest/gtest.h>

#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace vector_math_test {

TEST(Vector, Products) {
  const Vec3 a{1, 2, 3}, b{-4, 5, 0.5f};
  EXPECT_EQ(dot(a, b), 7.5f);
  EXPECT_EQ(cross(a, b), (Vec3{-14, -12.5f, 13}));  // (2*0.5-3*5, 3*-4-1*0.5, 1*5-2*-4)
  EXPECT_EQ(norm(Vec3{2, 3, 6}), 7.0f);
  EXPECT_EQ(norm_squared(Vec3{2, 3, 6}), 49.0f);
  EXPECT_EQ(2.0f * a - a * 3.0f + (-a), (Vec3{-2, -4, -6}));
  EXPECT_EQ(a / 2.0f, (Vec3{0.5f, 1, 1.5f}));
  EXPECT_EQ(to_float(to_double(b)), b);
}
TEST(Vector, NormalisedOrZero) {
  EXPECT_EQ(normalized_or_zero(Vec3{0, 0, 0}), (Vec3{0, 0, 0}));
  EXPECT_NEAR(norm(normalized_or_zero(Vec3{1e-3f, -5, 3e4f})), 1, 2e-7);
}
TEST(Vector, FiniteMeansAllThree) {
  EXPECT_TRUE(is_finite(Vec3{3e38f, -3e38f, 0}));
  EXPECT_FALSE(is_finite(Vec3{0, NAN, 0}));
  EXPECT_FALSE(is_finite(Vec3{0, 0, -INFINITY}));
}
TEST(SymmetricMatrix, OuterProductAndIdentity) {
  const Vec3 a{1, 2, 3}, x{5, -1, 2};
  SymmetricMatrix3 m = outer_product(a, 2);
  EXPECT_EQ(m * x, 2 * dot(a, x) * a);
  m += scaled_identity(10);
  EXPECT_EQ(m * x, 2 * dot(a, x) * a + 10.0f * x);
}
TEST(SymmetricMatrix, InverseUndoesTheProduct) {
  // A sum of outer products plus identity has eigenvalues in [1, 1 + 3 * 3]: condition number at most 10.
  for (int i = 0; i < 1000; ++i) {
    SymmetricMatrix3 m = scaled_identity(1);
    for (const Vec3& a : random_points(3, 2.0f, i)) m += outer_product(a, 1);
    const Vec3 x = random_points(4, 2.0f, i)[3];
    EXPECT_LT(norm(inverse(m) * (m * x) - x), 1e-5f);
    EXPECT_LT(norm(m * (inverse(m) * x) - x), 1e-5f);
  }
}
TEST(SymmetricMatrix, InverseOfAMatrixWithoutZeros) {
  // A = {2 1 1; 1 3 2; 1 2 4}: det = 13, adjugate {8 -2 -1; -2 7 -3; -1 -3 5}.
  const SymmetricMatrix3 inv = inverse(SymmetricMatrix3{2, 1, 1, 3, 2, 4});
  const float expected[] = {8, -2, -1, 7, -3, 5}, found[] = {inv.xx, inv.xy, inv.xz, inv.yy, inv.yz, inv.zz};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(found[k], expected[k] / 13, 1e-6f) << "entry " << k;
}

}  // namespace vector_math_test
MERGANSER_END
