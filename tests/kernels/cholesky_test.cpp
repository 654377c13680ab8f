/// The sparse Cholesky factorization against Eigen's in double.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "solvers/diagnostics/elastic_matrix.h"
#include "solvers/linear/cholesky.h"
#include "tests/support/cholesky_oracle.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace {

std::vector<float> solved(Cholesky& cholesky, const std::vector<float>& b, int right_sides) {
  const Array<float> right_side(b);
  Array<float> solution(right_side.size());
  cholesky.solve(right_side.view(), solution.view(), right_sides);
  return solution.to_host();
}

/// Points of a jittered lattice within a ball, or between two balls.
std::vector<Point3> shell(int edge, double inner) {
  const double radius = 0.5 * (edge - 1);
  std::vector<Point3> inside;
  for (const Point3& x : jittered_block(edge, edge, edge)) {
    double square = 0;
    for (double component : x) square += (component - radius) * (component - radius);
    if (square <= radius * radius && square >= inner * inner * radius * radius) inside.push_back(x);
  }
  return inside;
}

/// The factor is rounded to float: errors grow with the condition number, by 6e-8 times a small part of it,
/// and 1e-5 is what is asked for up to 1e4.
void expect_exact(const std::string& what, const std::vector<Point3>& positions, double stiffness) {
  const HostSparseMatrix matrix = elastic_matrix(positions, stiffness);
  const CholeskyOracle oracle(matrix);
  const double condition = oracle.condition();
  EXPECT_LT(condition, 1.1e4) << what;
  for (const CholeskyOrdering ordering : {CholeskyOrdering::metis, CholeskyOrdering::geometric}) {
    Cholesky cholesky(matrix, positions, {.ordering = ordering});
    for (const int right_sides : {1, 3, 24}) {
      const std::vector<float> b = random_sides(matrix.rows(), right_sides),
                               x = solved(cholesky, b, right_sides);
      const double error = oracle.error(b, x, right_sides), residual = oracle.residual(b, x, right_sides);
      if (right_sides == 3)
        std::printf("%s, %d rows, condition %.1e: error %.1e, residual %.1e\n", what.c_str(), matrix.rows(),
                    condition, error, residual);
      EXPECT_LT(error, 1e-5) << what;
      EXPECT_LT(residual, 1e-6) << what;
    }
  }
}

TEST(Cholesky, Blocks) {
  expect_exact("block", jittered_block(8, 8, 8), 1);
  expect_exact("block", jittered_block(20, 10, 10), 100);
}
TEST(Cholesky, Balls) { expect_exact("ball", shell(14, 0), 100); }
TEST(Cholesky, ThinShells) { expect_exact("shell", shell(24, 0.85), 100); }

}  // namespace
MERGANSER_END
