/// Conjugate gradients with a preconditioner that works on all rows at once, against those that work by rows.
#include "solvers/linear/krylov/preconditioned_conjugate_gradient.h"

#include <gtest/gtest.h>

#include "device/timers.h"
#include "tests/support/tridiagonal.h"

MERGANSER_BEGIN
namespace preconditioned_conjugate_gradient_test {

using namespace gradient_test;

/// The tridiagonal matrix and its Jacobi preconditioner as host methods.
struct MultiplyTridiagonal {
  static constexpr const char* name = "test product";
  SolveProgress progress;
  Tridiagonal a;
  View<const Vec3> x;
  View<Vec3> y;
  MERGANSER_METHOD void operator()(int i) const {
    if (!progress.stopped()) y[i] = a(i, x);
  }
};
struct ApplyJacobi {
  static constexpr const char* name = "test apply";
  Jacobi jacobi;
  View<const Vec3> r;
  View<Vec3> z;
  MERGANSER_METHOD void operator()(int i) const { z[i] = jacobi(i, r[i]); }
};
struct HostOperator {
  Tridiagonal a;
  bool knows() const { return false; }
  void multiply(SolveProgress progress, View<const Vec3> x, View<Vec3> y) const {
    launch(x.count, MultiplyTridiagonal{progress, a, x, y});
  }
  void multiply_known(View<const Vec3> x, View<const Vec3>, View<Vec3> y) const { multiply({}, x, y); }
  void complete(View<Vec3>, const ActiveRows&) const {}
  void add_to_key(LaunchKey& key) const { a.add_to_key(key); }
};
struct HostJacobi {
  LaunchGraph own;  ///< as a factored matrix has
  void apply(View<const Vec3> r, View<Vec3> z) {
    own.run({r.data, z.data}, [&] { launch(r.count, ApplyJacobi{{}, r, z}); });
  }
  void add_to_key(LaunchKey&) const {}
};
// The same iterates as ConjugateGradient but for rounding; whatever the host expects, the same bits.
TEST(PreconditionedConjugateGradient, IteratesAsConjugateGradientDoes) {
  RepeatedSolve solve;
  LinearSolveLimits limits{.tolerance = 1e-6, .max_iterations = 100, .reference = 50};
  const auto expected = solve.run(limits);
  HostOperator matrix{solve.problem.a};
  HostJacobi preconditioner;
  PreconditionedConjugateGradient pcg;
  std::vector<Vec3> first;
  for (int look : {2, 0, expected.iterations, 60}) {
    solve.x.zero();
    solve.residual.assign(solve.b.const_view());
    limits.expected = look;
    const DeviceTraffic before = device_traffic();
    const auto result =
        pcg.solve(matrix, preconditioner, solve.rows, solve.residual.view(), solve.x.view(), limits);
    const DeviceTraffic after = device_traffic();
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_TRUE(result.tolerance_met);
    const auto solution = solve.x.to_host();
    if (first.empty()) first = solution;
    EXPECT_EQ(solution, first) << "the host looked after " << look << " iterations";
    for (size_t i = 0; i < solution.size(); ++i)
      ASSERT_NEAR(solution[i].x, solve.solution[i].x, 1e-5) << "row " << i;
    if (MERGANSER_GPU_HALF && look == 0) {
      EXPECT_LE(after.reads - before.reads, 2 + expected.iterations / 3);
    }
    if (MERGANSER_GPU_HALF && look == expected.iterations) {
      EXPECT_EQ(after.reads - before.reads, 1);
      EXPECT_EQ(after.graphs - before.graphs, look);
      EXPECT_EQ(after.recordings - before.recordings, 0);
    }
  }
}

}  // namespace preconditioned_conjugate_gradient_test
MERGANSER_END
