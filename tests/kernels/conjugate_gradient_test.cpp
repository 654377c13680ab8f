/// Conjugate gradients against a tridiagonal system that a direct elimination solves in double.
#include "solvers/linear/krylov/conjugate_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/timers.h"
#include "solvers/linear/krylov/preconditioned_conjugate_gradient.h"

MERGANSER_BEGIN
namespace {

/// Row i of A x: 2.5 x_i - x_(i-1) - x_(i+1); row `fixed` comes out as zero.
struct Tridiagonal {
  int fixed = -1, count = 0;
  float sign = 1;
  View<int> distance;
  MERGANSER_METHOD Vec3 operator()(int i, View<const Vec3> x) const {
    const Vec3 zero{0, 0, 0};
    if (i == fixed) return zero;
    return sign * (2.5f * x[i] - (i > 0 ? x[i - 1] : zero) - (i + 1 < count ? x[i + 1] : zero));
  }
  void widen(const ActiveRows& reach) const;
  void add_to_key(LaunchKey& key) const {
    for (int number : {fixed, count}) merganser::MERGANSER_BACKEND::add_to_key(key, number);
    merganser::MERGANSER_BACKEND::add_to_key(key, sign);
    merganser::MERGANSER_BACKEND::add_to_key(key, distance);
  }
};
struct WidenTridiagonal {
  static constexpr const char* name = "test widen";
  View<int> distance;
  int limit;
  MERGANSER_METHOD void operator()(int i) const {
    const bool next =
        (i > 0 && distance[i - 1] == limit - 1) || (i + 1 < distance.count && distance[i + 1] == limit - 1);
    if (next && distance[i] > limit) distance[i] = limit;
  }
};
void Tridiagonal::widen(const ActiveRows& reach) const {
  launch(count, WidenTridiagonal{distance, reach.limit});
}

struct Jacobi {
  int fixed = -1;
  MERGANSER_METHOD Vec3 operator()(int i, const Vec3& r) const { return (i == fixed ? 0.0f : 0.4f) * r; }
  void add_to_key(LaunchKey& key) const { merganser::MERGANSER_BACKEND::add_to_key(key, fixed); }
};

/// r = b - A x.
struct InitialResidual {
  static constexpr const char* name = "test residual";
  Tridiagonal a;
  View<const Vec3> b, x;
  View<Vec3> r;
  MERGANSER_METHOD void operator()(int i) const { r[i] = i == a.fixed ? Vec3{0, 0, 0} : b[i] - a(i, x); }
};

struct Problem {
  static constexpr int count = 3000;
  std::vector<Vec3> b = std::vector<Vec3>(count);
  std::vector<int> representative = std::vector<int>(count);
  Tridiagonal a{.fixed = -1, .count = count, .sign = 1, .distance = {}};
  Jacobi preconditioner;
  std::vector<Vec3> start = std::vector<Vec3>(count, Vec3{0, 0, 0});
  Problem() {
    for (int i = 0; i < count; ++i) {
      const float s = static_cast<float>(i);
      representative[size_t(i)] = i;
      b[size_t(i)] = {std::sin(0.1f * s), 1.0f, std::cos(0.7f * s)};
    }
  }
  void fix(int row, Vec3 value) {
    a.fixed = preconditioner.fixed = row;
    representative[size_t(row)] = -1;
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
  LinearSolveResult solve(std::vector<Vec3>& x, double tolerance, int max_iterations, ActiveRows reach = {}) {
    Array<Vec3> device_b(b), device_x(x), residual(count);
    Array<int> device_representative(representative);
    launch(count, InitialResidual{a, device_b.view(), device_x.view(), residual.view()});
    const SolveRows rows{.representative = device_representative.view(), .count = count, .reach = reach};
    ConjugateGradient cg;
    const double reference =
        cg.norm({.representative = rows.representative, .count = count, .reach = {}}, device_b.view());
    const auto result = cg.solve(a, preconditioner, rows, residual.view(), device_x.view(),
                                 {tolerance, max_iterations, reference});
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
// A right side of one row: 12 of 3,000 rows are within reach when all join in, and the bits are the same.
TEST(ConjugateGradient, RowsWithinReachGiveTheSameBits) {
  Problem problem;
  for (int i = 0; i < Problem::count; ++i)
    if (i != 1500) problem.b[size_t(i)] = {0, 0, 0};
  for (int cap : {3, 9, 40}) {
    auto all = problem.start, near = problem.start;
    const auto from_all = problem.solve(all, 1e-6, cap);
    std::vector<int> distance(Problem::count, ActiveRows::far_away);
    distance[1500] = 0;
    Array<int> device_distance(distance);
    problem.a.distance = device_distance.view();
    const auto from_near = problem.solve(near, 1e-6, cap, {.distance = device_distance.view(), .limit = 0});
    EXPECT_EQ(from_all.iterations, from_near.iterations);
    EXPECT_EQ(from_all.residual, from_near.residual);
    for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], near[i]) << "row " << i << ", cap " << cap;
    const auto reached = device_distance.to_host();
    const auto known =
        std::count_if(reached.begin(), reached.end(), [](int d) { return d != ActiveRows::far_away; });
    EXPECT_LT(known, 30);
  }
}

/// A problem on the device whose solves share one solver.
struct RepeatedSolve {
  Problem problem;
  Array<Vec3> b{problem.b}, x{Problem::count}, residual{Problem::count};
  Array<int> representative{problem.representative};
  SolveRows rows{.representative = representative.view(), .count = Problem::count, .reach = {}};
  ConjugateGradient cg;
  std::vector<Vec3> solution;
  LinearSolveResult run(const LinearSolveLimits& limits) {
    x.zero();
    residual.assign(b.const_view());
    const auto result = cg.solve(problem.a, problem.preconditioner, rows, residual.view(), x.view(), limits);
    solution = x.to_host();
    return result;
  }
};
// Whenever the host looks: on the GPU after so many iterations as it expects.
TEST(ConjugateGradient, WhatTheHostExpectsDoesNotMatter) {
  RepeatedSolve solve;
  const auto usual = solve.run({.tolerance = 1e-6, .max_iterations = 100, .reference = 50});
  const auto solution = solve.solution;
  EXPECT_GT(usual.iterations, 5);
  for (int expected : {0, 1, 9, 60, 1000}) {
    const auto result =
        solve.run({.tolerance = 1e-6, .max_iterations = 100, .reference = 50, .expected = expected});
    EXPECT_EQ(result.iterations, usual.iterations);
    EXPECT_EQ(result.residual, usual.residual);
    EXPECT_EQ(solve.solution, solution);
  }
}
TEST(ConjugateGradient, ToleranceRefersToWhatItWasTold) {
  RepeatedSolve solve;
  const double norm = solve.cg.norm(solve.rows, solve.b.view());
  const auto told = solve.run({.tolerance = 1e-5, .max_iterations = 100, .reference = norm});
  const auto solution = solve.solution;
  EXPECT_EQ(solve.cg.reference(), norm);
  solve.run({.tolerance = 1e-5, .max_iterations = 100, .reference = 0.01 * norm});
  EXPECT_NE(solve.solution, solution);
  solve.cg.refer_to(solve.rows, solve.b.view());
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto found = solve.run({.tolerance = 1e-5, .max_iterations = 100, .reference = -1});
    EXPECT_EQ(found.iterations, told.iterations);
    EXPECT_EQ(found.residual, told.residual);
    EXPECT_EQ(solve.cg.reference(), norm);
    EXPECT_EQ(solve.solution, solution);
  }
}
#if MERGANSER_GPU_HALF
// Tolerance, reference and cap change from solve to solve; the recorded graphs still serve. With graphs and
// without the bits are the same.
TEST(ConjugateGradient, EightIterationsAreOneGraph) {
  RepeatedSolve solve;
  const LinearSolveLimits limits{.tolerance = 1e-6, .max_iterations = 100, .reference = 50, .expected = 16};
  set_launch_graphs(false);
  const auto plain = solve.run(limits);
  const auto solution = solve.solution;
  set_launch_graphs(true);
  for (int repeat = 0; repeat < 2; ++repeat) EXPECT_EQ(solve.run(limits).iterations, plain.iterations);
  EXPECT_EQ(solve.solution, solution);
  const DeviceTraffic before = device_traffic();
  solve.run({.tolerance = 1e-5, .max_iterations = 90, .reference = 60, .expected = 13});
  const DeviceTraffic after = device_traffic();
  EXPECT_EQ(after.graphs - before.graphs, 2);
  EXPECT_EQ(after.recordings - before.recordings, 0);
  EXPECT_EQ(after.reads - before.reads, 2);  // the state and the solution
  EXPECT_LE(after.kernels - before.kernels, 2);
}
#endif

// -1 times a positive definite matrix: the first p.Ap is negative.
TEST(ConjugateGradient, IndefiniteMatrixIsReported) {
  Problem problem;
  problem.a.sign = -1;
  auto x = problem.start;
  const auto result = problem.solve(x, 1e-6, 100);
  EXPECT_FALSE(result.tolerance_met);
  EXPECT_EQ(result.iterations, 0);
}

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
    if (MERGANSER_GPU_HALF && look == expected.iterations) {
      EXPECT_EQ(after.reads - before.reads, 1);
      EXPECT_EQ(after.graphs - before.graphs, look);
      EXPECT_EQ(after.recordings - before.recordings, 0);
    }
  }
}

}  // namespace
MERGANSER_END
