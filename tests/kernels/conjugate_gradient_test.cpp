/// Conjugate gradients against a tridiagonal system that a direct elimination solves in double.
#include <gtest/gtest.h>

#include "device/timers.h"
#include "tests/support/tridiagonal.h"

MERGANSER_BEGIN
namespace conjugate_gradient_test {

using namespace gradient_test;

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

}  // namespace conjugate_gradient_test
MERGANSER_END
