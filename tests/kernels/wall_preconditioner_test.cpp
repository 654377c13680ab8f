/// Blocks of walls around a preconditioner against the formula in double precision
/// (solvers/coupling/implicit/wall_preconditioner.h).
#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "device/launch.h"
#include "solvers/coupling/implicit/wall_preconditioner.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace wall_preconditioner_test {

Eigen::Matrix3d dense(const SymmetricMatrix3& a) {
  return (Eigen::Matrix3d() << a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz).finished();
}
float random(int i, int k) { return uniform_float(test_bits(i, 91).word[k]); }
Vec3 direction(int i, int k) { return normalized_or_zero(random_vector(i, 17 + k)); }

/// Rows of every third kind: at no wall, at one with friction, at two.
struct Rows {
  explicit Rows(int count) {
    for (int i = 0; i < count; ++i) {
      const float h = i % 7 == 6 ? 0.0f : 0.1f + random(i, 0), size = 0.1f + 40 * random(i, 1);
      SymmetricMatrix3 block = outer_product(direction(i, 0), size), w{};
      block += scaled_identity(size);
      for (int k = 0; k < i % 3; ++k) {
        const Vec3 n = direction(i, 1 + k);
        w += outer_product(n, 20 * (h + size));
        const float friction = size * random(i, 2);
        w += scaled_identity(friction);
        w += outer_product(n, -friction);
      }
      own.push_back(block);
      block += w;
      mass.push_back(h);
      diagonal.push_back(block);
      stiffness.push_back(w);
    }
  }
  int count() const { return int(mass.size()); }
  /// D of a row.
  double scale(size_t i) const {
    return double(FindWallYield::stiffness_share) * (double(mass[i]) + dense(own[i]).trace() / 3);
  }
  std::vector<float> mass;
  std::vector<SymmetricMatrix3> own, diagonal, stiffness;
};

/// What the device makes of them.
struct FoundBlocks {
  explicit FoundBlocks(const Rows& rows) : yield(rows.count()), held(rows.count()) {
    const Array<float> mass(rows.mass);
    const Array<SymmetricMatrix3> diagonal(rows.diagonal), stiffness(rows.stiffness);
    launch(rows.count(), FindWallYield{mass.const_view(), diagonal.const_view(), stiffness.const_view(),
                                       yield.view(), held.view()});
    synchronize();  // the rows go away
  }
  Array<SymmetricMatrix3> yield, held;
};

TEST(WallPreconditioner, BlocksAreThoseOfTheFormula) {
  const int count = 60;
  const Rows rows(count);
  const FoundBlocks found_blocks(rows);
  const auto yield = found_blocks.yield.to_host(), held = found_blocks.held.to_host();
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  for (size_t i = 0; i < size_t(count); ++i) {
    const Eigen::Matrix3d p = dense(yield[i]), q = dense(held[i]);
    if (i % 3 == 0 || !(rows.mass[i] > 0)) {
      EXPECT_EQ(p, one) << i;
      EXPECT_EQ(q, Eigen::Matrix3d::Zero()) << i;
      continue;
    }
    const double d = rows.scale(i);
    const Eigen::Matrix3d w = dense(rows.stiffness[i]), wanted = (one + w / d).inverse();
    // Cofactors cancel: rounding times the square of the condition, up to 1e-7 (20/0.5)^2, of an entry of 1.
    EXPECT_LT((p - wanted).norm(), 1e-4) << i;
    EXPECT_LT((q - wanted * (one - wanted) / d).norm(), 2e-4 / d) << i;
    // Exact where the preconditioner is 1/D.
    EXPECT_LT((p * p / d + q - (d * one + w).inverse()).norm(), 2e-4 / d) << i;
    // Positive definite together with a B of which no eigenvalue is below 1/(10 D).
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> whole(p * p / (10 * d) + q);
    EXPECT_GT(whole.eigenvalues().minCoeff(), 0) << i;
  }
}

/// With B = 1/D on all rows, what stands before and behind it makes z = (D + W)^-1 (share r).
TEST(WallPreconditioner, RowsAreSolvedWhereTheInnerOneIsDiagonal) {
  const int count = 60;
  const Rows rows(count);
  const FoundBlocks found_blocks(rows);
  std::vector<Vec3> r;
  std::vector<float> shares;
  for (int i = 0; i < count; ++i) r.push_back(direction(i, 5)), shares.push_back(0.25f + 0.5f * random(i, 3));
  const Array<Vec3> residual(r);
  const Array<float> share(shares);
  Array<Vec3> inner(count), z(count);
  launch(count, YieldToWalls{found_blocks.yield.const_view(), share.const_view(), residual.const_view(),
                             inner.view()});
  auto by_inner = inner.to_host();
  for (size_t i = 0; i < size_t(count); ++i) by_inner[i] = float(1 / rows.scale(i)) * by_inner[i];
  z.assign(by_inner);
  launch(count, HoldByWalls{found_blocks.yield.const_view(), found_blocks.held.const_view(),
                            share.const_view(), residual.const_view(), z.view()});
  const auto found = z.to_host();
  for (size_t i = 0; i < size_t(count); ++i) {
    const Eigen::Matrix3d w = rows.mass[i] > 0 ? dense(rows.stiffness[i]) : Eigen::Matrix3d::Zero();
    const double d = rows.scale(i);
    const Eigen::Vector3d wanted = (d * Eigen::Matrix3d::Identity() + w).inverse() * double(shares[i]) *
                                   Eigen::Vector3d(r[i].x, r[i].y, r[i].z);
    EXPECT_LT((Eigen::Vector3d(found[i].x, found[i].y, found[i].z) - wanted).norm(), 4e-4 / d) << i;
  }
}

}  // namespace wall_preconditioner_test
MERGANSER_END
