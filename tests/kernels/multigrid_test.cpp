/// Multigrid-preconditioned conjugate gradients for pressure equations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "device/timers.h"
#include "tests/support/grid_poisson.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace multigrid_test {

constexpr double pi = std::numbers::pi;
double everywhere(const Vec3d&) { return -1; }

/// Water with a tilted, wavy surface, a spray of drops above it and a bubble in it.
double stormy(const Vec3d& x) {
  const double surface = x.z - 0.5 - 0.15 * x.x - 0.06 * std::sin(9 * x.x) * std::cos(7 * x.y);
  const double bubble = 0.11 - norm(x - Vec3d{0.4, 0.6, 0.3});
  const double drop = norm(x - Vec3d{0.6, 0.3, 0.85}) - 0.07;
  return std::min(std::max(surface, bubble), drop);
}
double rough(const Vec3d& x) { return std::sin(40 * x.x * x.y) + (x.z > 0.3 ? 1 : -2); }

/// p = cos(pi x) cos(2 pi y) cos(pi z) has no flux through the walls; second order: the error falls to a
/// quarter, 3.7 leaves room for higher terms.
TEST(Multigrid, SecondOrderWithWalls) {
  const Field exact = [](const Vec3d& x) {
    return std::cos(pi * x.x) * std::cos(2 * pi * x.y) * std::cos(pi * x.z);
  };
  double before = 0;
  for (int n : {8, 16, 32}) {
    GridPoisson problem(n, everywhere, [&](const Vec3d& x) { return 6 * pi * pi * exact(x); });
    EXPECT_TRUE(problem.matrix.singular());
    EXPECT_TRUE(problem.solve(1e-10).tolerance_met);
    const double error = problem.error(exact);
    if (n > 8) {
      EXPECT_GT(before / error, 3.7) << n;
    }
    before = error;
  }
}

/// p = (R^2 - r^2) exp(x) vanishes on a sphere: -laplacian p = (6 + 4 x' + r^2 - R^2) exp(x), x' from the
/// centre. Order log2(e_16/e_64)/2 of the largest error at least 1.7.
TEST(Multigrid, OrderWithFreeSurface) {
  const Vec3d centre{0.51, 0.48, 0.503};
  const double R = 0.37;
  const Field phi = [&](const Vec3d& x) { return norm(x - centre) - R; };
  const Field exact = [&](const Vec3d& x) {
    return (R * R - norm_squared(x - centre)) * std::exp(x.x - centre.x);
  };
  const Field source = [&](const Vec3d& x) {
    const Vec3d d = x - centre;
    return (6 + 4 * d.x + norm_squared(d) - R * R) * std::exp(d.x);
  };
  double error[2];
  for (int k = 0; k < 2; ++k) {
    GridPoisson problem(k == 0 ? 16 : 64, phi, source);
    EXPECT_TRUE(problem.solve(1e-9).tolerance_met);
    error[k] = problem.error(exact);
  }
  const double order = std::log2(error[0] / error[1]) / 2;
  note("errors %.3e, %.3e, order %.2f\n", error[0], error[1], order);
  EXPECT_GT(order, 1.7);
}

int iterations(int n, const Field& level_set, double tolerance) {
  GridPoisson problem(n, level_set, rough);
  const LinearSolveResult result = problem.solve(tolerance);
  EXPECT_TRUE(result.tolerance_met);
  EXPECT_LE(result.residual, tolerance);
  note("%d^3: %d iterations, residual %.1e\n", n, result.iterations, result.residual);
  return result.iterations;
}
/// One cycle, its coarse levels in one launch and level by level.
TEST(Multigrid, CoarseLevelsInABlockGiveTheSameBits) {
  for (int n : {4, 7, 16, 30, 40})
    for (const Field& level_set : {Field(stormy), Field(everywhere)}) {
      GridPoisson problem(n, level_set, rough);
      const Array<float> r(problem.right_side);
      Array<float> z(r.size()), by_levels(r.size());
      problem.matrix.precondition(r.view(), z.view());
      problem.matrix.precondition_by_levels(r.view(), by_levels.view());
      EXPECT_EQ(z.to_host(), by_levels.to_host()) << n << "^3 cells";
    }
}

#if MERGANSER_GPU_HALF
/// The solve without the host against the plain one: the same iterations, the same solution to rounding in
/// the work vectors, which the tolerance bounds. Whatever the host expects, the bits are the same.
TEST(Multigrid, SolveOnTheDeviceIsThePlainOne) {
  for (int n : {12, 40})
    for (const Field& level_set : {Field(stormy), Field(everywhere)})
      for (const LinearSolveLimits& limits :
           {LinearSolveLimits{1e-6, 100, 0}, LinearSolveLimits{1e-9, 100, 0}, LinearSolveLimits{1e-6, 5, 0},
            LinearSolveLimits{1e-3, 100, 2.5}, LinearSolveLimits{1e-6, 0, 0}}) {
        GridPoisson problem(n, level_set, rough);
        const Array<float> b(problem.right_side);
        Array<double> plain(problem.box.count());
        GridConjugateGradient cg;
        const LinearSolveResult expected = cg.solve_plain(problem.matrix, b.view(), plain.view(), limits);
        std::vector<double> first;
        for (int look : {8, 0, 3, 60, 8}) {
          Array<double> x(problem.box.count());
          LinearSolveLimits looking = limits;
          looking.expected = look;
          const LinearSolveResult result = cg.solve_on_device(problem.matrix, b.view(), x.view(), looking);
          EXPECT_EQ(result.iterations, expected.iterations);
          EXPECT_EQ(result.tolerance_met, expected.tolerance_met);
          EXPECT_NEAR(result.residual, expected.residual, 0.05 * expected.residual + 1e-14);
          const auto found = x.to_host(), right = plain.to_host();
          if (first.empty()) first = found;
          EXPECT_EQ(found, first) << "the host looked after " << look << " iterations";
          double largest = 0, error = 0;
          for (size_t i = 0; i < found.size(); ++i) {
            largest = std::max(largest, std::abs(right[i]));
            error = std::max(error, std::abs(found[i] - right[i]));
          }
          EXPECT_LE(error, 1e-4 * largest) << n << "^3 cells";
        }
      }
}
TEST(Multigrid, AnIterationIsOneGraphAndTheHostLooksOnce) {
  GridPoisson problem(40, Field(stormy), rough);
  const Array<float> b(problem.right_side);
  Array<double> x(problem.box.count());
  GridConjugateGradient cg;
  LinearSolveLimits limits{1e-6, 100, 0};
  for (int use = 0; use < 3; ++use) {
    x.zero();
    limits.expected = cg.solve_on_device(problem.matrix, b.view(), x.view(), limits).iterations;
  }
  x.zero();
  const DeviceTraffic before = device_traffic();
  const LinearSolveResult result = cg.solve_on_device(problem.matrix, b.view(), x.view(), limits);
  const DeviceTraffic after = device_traffic();
  EXPECT_EQ(after.graphs - before.graphs, result.iterations + 1);
  EXPECT_EQ(after.reads - before.reads, 1);
  EXPECT_EQ(after.recordings - before.recordings, 0);
  EXPECT_LE(after.kernels - before.kernels, 2);
}
#endif

TEST(MultigridSlow, IterationsHardlyGrow) {
  for (const Field& level_set : {Field(stormy), Field(everywhere)})
    for (double tolerance : {1e-4, 1e-6, 1e-8})
      EXPECT_LT(iterations(128, level_set, tolerance), 1.3 * iterations(32, level_set, tolerance));
}

}  // namespace multigrid_test
MERGANSER_END
