/// Conjugate gradients against a tridiagonal system that a direct elimination solves in double.
#include "solvers/linear/conjugate_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

MERGANSER_BEGIN
namespace {

/// y_i = 2.5 x_i - x_(i-1) - x_(i+1); row `fixed` comes out as zero.
struct Tridiagonal {
  static constexpr const char* name = "test tridiagonal";
  View<const Vec3> x;
  View<Vec3> y;
  int fixed;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 zero{0, 0, 0};
    if (i == fixed) {
      y[i] = zero;
      return;
    }
    y[i] = 2.5f * x[i] - (i > 0 ? x[i - 1] : zero) - (i + 1 < x.count ? x[i + 1] : zero);
  }
};
struct TridiagonalOperator : LinearOperator {
  int fixed = -1;
  void apply(View<const Vec3> x, View<Vec3> y) override { launch(x.count, Tridiagonal{x, y, fixed}); }
};

struct Scale {
  static constexpr const char* name = "test jacobi";
  View<const Vec3> r;
  View<Vec3> z;
  int fixed;
  MERGANSER_METHOD void operator()(int i) const { z[i] = (i == fixed ? 0.0f : 0.4f) * r[i]; }
};
struct Jacobi : Preconditioner {
  int fixed = -1;
  void apply(View<const Vec3> r, View<Vec3> z) override { launch(r.count, Scale{r, z, fixed}); }
};

struct Problem {
  static constexpr int count = 3000;
  std::vector<Vec3> b = std::vector<Vec3>(count);
  std::vector<float> weight = std::vector<float>(count, 1.0f);
  TridiagonalOperator a;
  Jacobi preconditioner;
  std::vector<Vec3> start = std::vector<Vec3>(count, Vec3{0, 0, 0});
  Problem() {
    for (int i = 0; i < count; ++i) {
      const float s = static_cast<float>(i);
      b[size_t(i)] = {std::sin(0.1f * s), 1.0f, std::cos(0.7f * s)};
    }
  }
  void fix(int row, Vec3 value) {
    a.fixed = preconditioner.fixed = row;
    weight[size_t(row)] = 0;
    start[size_t(row)] = value;
  }
  /// x component by elimination in double (Thomas).
  std::vector<double> direct() const {
    std::vector<double> diagonal(count, 2.5), right(count), x(count);
    for (int i = 0; i < count; ++i) right[size_t(i)] = b[size_t(i)].x;
    auto coupling = [&](int i, int j) { return i == a.fixed || j == a.fixed ? 0.0 : -1.0; };
    if (a.fixed >= 0) {
      const double value = start[size_t(a.fixed)].x;
      diagonal[size_t(a.fixed)] = 1;
      right[size_t(a.fixed)] = value;
      right[size_t(a.fixed) - 1] += value;
      right[size_t(a.fixed) + 1] += value;
    }
    for (size_t i = 1; i < count; ++i) {
      const double f = coupling(int(i), int(i) - 1) / diagonal[i - 1];
      diagonal[i] -= f * coupling(int(i) - 1, int(i));
      right[i] -= f * right[i - 1];
    }
    for (size_t i = count; i-- > 0;)
      x[i] = (right[i] - (i + 1 < count ? coupling(int(i), int(i) + 1) * x[i + 1] : 0)) / diagonal[i];
    return x;
  }
  LinearSolveResult solve(std::vector<Vec3>& x, double tolerance, int max_iterations) {
    Array<Vec3> device_b(b), device_x(x);
    Array<float> device_weight(weight);
    ConjugateGradient cg;
    const double reference = cg.weighted_norm(device_weight.const_view(), device_b.const_view());
    const auto result = cg.solve(a, preconditioner, device_weight.const_view(), device_b.const_view(),
                                 device_x.view(), {tolerance, max_iterations, reference});
    x = device_x.to_host();
    return result;
  }
};

double largest_error(const std::vector<Vec3>& x, const std::vector<double>& exact) {
  double error = 0;
  for (size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(double(x[i].x) - exact[i]));
  return error;
}

// Least eigenvalue 0.5, |b| about 70: a residual of 1e-6 |b| bounds each error by 1.5e-4; float rounding adds
// a few 1e-7.
TEST(ConjugateGradient, EqualsElimination) {
  Problem problem;
  auto x = problem.start;
  const auto result = problem.solve(x, 1e-6, 200);
  EXPECT_TRUE(result.tolerance_met);
  EXPECT_LE(result.residual, 1e-6);
  EXPECT_LT(largest_error(x, problem.direct()), 2e-5);
}
TEST(ConjugateGradient, FixedRowsKeepTheirValueAndActOnTheOthers) {
  Problem problem;
  problem.fix(1200, {5, -2, 1});
  auto x = problem.start;
  EXPECT_TRUE(problem.solve(x, 1e-6, 200).tolerance_met);
  EXPECT_EQ(x[1200], (Vec3{5, -2, 1}));
  EXPECT_LT(largest_error(x, problem.direct()), 2e-5);
}
TEST(ConjugateGradient, StartsFromTheGuess) {
  Problem problem;
  auto x = problem.start;
  const auto cold = problem.solve(x, 1e-6, 200);
  const auto warm = problem.solve(x, 1e-5, 200);
  EXPECT_GT(cold.iterations, 5);
  EXPECT_EQ(warm.iterations, 0);
}
TEST(ConjugateGradient, ReportsTheIterationCap) {
  Problem problem;
  auto x = problem.start;
  const auto result = problem.solve(x, 1e-6, 4);
  EXPECT_EQ(result.iterations, 4);
  EXPECT_FALSE(result.tolerance_met);
  EXPECT_GT(result.residual, 1e-6);
}
TEST(ConjugateGradient, ZeroRightHandSideNeedsNoIteration) {
  Problem problem;
  std::fill(problem.b.begin(), problem.b.end(), Vec3{0, 0, 0});
  auto x = problem.start;
  const auto result = problem.solve(x, 1e-6, 10);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_TRUE(result.tolerance_met);
}

}  // namespace
MERGANSER_END
