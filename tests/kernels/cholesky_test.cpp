/// The sparse Cholesky factorization against Eigen's in double.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/cholesky/explicit_inverse.h"
#include "tests/support/cholesky_oracle.h"
#include "tests/support/note.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace cholesky_test {

using test::CholeskyOracle;
using test::random_sides;

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
      if (right_sides == 24 && matrix.rows() > 6000) continue;  // the oracle takes a second a side
      const std::vector<float> b = random_sides(matrix.rows(), right_sides),
                               x = solved(cholesky, b, right_sides);
      const double error = oracle.error(b, x, right_sides), residual = oracle.residual(b, x, right_sides);
      if (right_sides == 3)
        note("%s, %d rows, condition %.1e: error %.1e, residual %.1e\n", what.c_str(), matrix.rows(),
             condition, error, residual);
      EXPECT_LT(error, 1e-5) << what;
      EXPECT_LT(residual, 1e-6) << what;
    }
  }
}

TEST(Cholesky, Blocks) {
  expect_exact("block", jittered_block(8, 8, 8), 1);
  expect_exact("block", jittered_block(20, 10, 10), 4500);
}
TEST(Cholesky, Balls) { expect_exact("ball", shell(14, 0), 4500); }
TEST(Cholesky, ThinShells) { expect_exact("shell", shell(24, 0.85), 4500); }
TEST(CholeskySlow, LargeBlock) { expect_exact("block", jittered_block(31, 31, 31), 4500); }
TEST(CholeskySlow, LargeShell) { expect_exact("shell", shell(54, 0.85), 4500); }

/// The lower triangle of a dense matrix, without its zeros off the diagonal.
HostSparseMatrix lower_triangle(const std::vector<std::vector<double>>& rows) {
  HostSparseMatrix matrix;
  matrix.first.push_back(0);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k <= i; ++k)
      if (k == i || rows[i][k] != 0)
        matrix.column.push_back(static_cast<int>(k)), matrix.value.push_back(rows[i][k]);
    matrix.first.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

TEST(Cholesky, WrittenOutByHand) {
  // A = [4 2 0; 2 5 0; 0 0 0.25] = L L^T with L = [2 0 0; 1 2 0; 0 0 0.5], b = A (1, -2, 8): exact in float.
  Cholesky cholesky(lower_triangle({{4}, {2, 5}, {0, 0, 0.25}}), {}, {});
  EXPECT_EQ(solved(cholesky, {0, -8, 2}, 1), (std::vector<float>{1, -2, 8}));
  EXPECT_EQ(cholesky.setup_metrics().nonzeros, 4);
}
TEST(Cholesky, OneRowAndDiagonalMatrices) {
  Cholesky one(lower_triangle({{4}}), {}, {});
  EXPECT_EQ(solved(one, {8, 2}, 2), (std::vector<float>{2, 0.5f}));
  std::vector<std::vector<double>> rows;
  std::vector<float> b, x;
  for (int i = 0; i < 100; ++i) {
    rows.emplace_back(size_t(i) + 1, 0.0);
    rows.back().back() = 1 << 2 * (i % 8);  // square roots are exact
    x.push_back(static_cast<float>(i));
    b.push_back(static_cast<float>(i * (1 << 2 * (i % 8))));
  }
  Cholesky diagonal(lower_triangle(rows), {}, {});
  EXPECT_EQ(solved(diagonal, b, 1), x);
}

/// Two blocks out of each other's reach, and a row on its own between them.
TEST(Cholesky, DisconnectedBodies) {
  std::vector<Point3> positions = jittered_block(7, 7, 7);
  positions.push_back({-50, 0, 0});
  for (const Point3& x : jittered_block(6, 9, 6)) positions.push_back({x[0] + 40, x[1], x[2]});
  expect_exact("bodies", positions, 100);
}

/// Blocks that are ordered by themselves, though they lie in the same place: as little fill as each alone.
TEST(Cholesky, BlocksOrderedByThemselves) {
  std::vector<Point3> positions = jittered_block(9, 8, 7), more = jittered_block(6, 7, 8);
  const HostSparseMatrix a = elastic_matrix(positions, 100), b = elastic_matrix(more, 300);
  const long long nonzeros =
      Cholesky(a, positions, {}).setup_metrics().nonzeros + Cholesky(b, more, {}).setup_metrics().nonzeros;
  HostSparseMatrix both = a;
  for (size_t i = 1; i < b.first.size(); ++i) both.first.push_back(a.first.back() + b.first[i]);
  for (const int column : b.column) both.column.push_back(a.rows() + column);
  both.value.insert(both.value.end(), b.value.begin(), b.value.end());
  positions.insert(positions.end(), more.begin(), more.end());
  Cholesky together(both, positions, {.blocks = {0, a.rows()}});
  EXPECT_EQ(together.setup_metrics().nonzeros, nonzeros);
  EXPECT_GT(Cholesky(both, positions, {}).setup_metrics().nonzeros, nonzeros);
  const std::vector<float> sides = random_sides(both.rows(), 3);
  EXPECT_LT(CholeskyOracle(both).error(sides, solved(together, sides, 3), 3), 1e-5);
}

/// The inverse that a factor in half precision stands for is off by some 1e-3, symmetric to rounding, and
/// positive; it takes half the memory.
TEST(Cholesky, HalfPrecisionIsAPreconditioner) {
  const std::vector<Point3> positions = jittered_block(14, 12, 10);
  const HostSparseMatrix matrix = elastic_matrix(positions, 4500);
  const CholeskyOracle oracle(matrix);
  Cholesky single(matrix, positions, {}), half(matrix, positions, {.storage = FactorStorage::half});
  EXPECT_EQ(2 * half.setup_metrics().bytes, single.setup_metrics().bytes);
  const std::vector<float> b = random_sides(matrix.rows(), 3), x = solved(half, b, 3);
  const double error = oracle.error(b, x, 3);
  note("half precision: error %.1e\n", error);
  EXPECT_LT(error, 5e-3);
  EXPECT_GT(error, 1e-5);  // it is in half precision
  const auto product = [&](size_t k, size_t l) {
    double sum = 0, size = 0;
    for (size_t i = 0; i < b.size(); i += 3)
      sum += double(b[i + k]) * x[i + l], size += std::abs(b[i + k] * x[i + l]);
    return std::pair(sum, size);
  };
  EXPECT_GT(product(0, 0).first, 0);
  EXPECT_NEAR(product(0, 1).first, product(1, 0).first, 1e-6 * product(0, 1).second);
}

TEST(Cholesky, InPlace) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(9, 9, 9), 100);
  Cholesky cholesky(matrix, {}, {});
  const std::vector<float> b = random_sides(matrix.rows(), 3);
  Array<float> values(b);
  cholesky.solve(values.view(), values.view(), 3);
  EXPECT_EQ(values.to_host(), solved(cholesky, b, 3));
}

/// Rows and right sides that do and do not fill whole registers; the same bits with any number of threads.
TEST(ExplicitInverse, IsThatOfTheMatrix) {
  for (const auto& positions : {jittered_block(1, 1, 1), jittered_block(3, 3, 3), jittered_block(9, 8, 9)}) {
    const HostSparseMatrix matrix = elastic_matrix(positions, 4500);
    const CholeskyOracle oracle(matrix);
    Cholesky cholesky(matrix, positions, {});
    const ExplicitInverse inverse(cholesky);
    for (const int right_sides : {1, 12, 27}) {
      const std::vector<float> b = random_sides(matrix.rows(), right_sides);
      std::vector<float> padded = b;
      padded.resize(b.size() + ExplicitInverse::padding);
      const Array<float> right_side(padded);
      const auto solve = [&] {
        Array<float> solution(static_cast<int>(b.size()));
        inverse.solve(right_side.view(), solution.view(), right_sides);
        return solution.to_host();
      };
      const std::vector<float> x = with_threads(1, solve);
      EXPECT_LT(oracle.error(b, x, right_sides), 1e-5) << matrix.rows() << " rows";
      EXPECT_EQ(x, with_threads(2, solve));
    }
  }
}

/// On the GPU the second solve replays the first one's launches.
TEST(Cholesky, OtherValuesInTheSameArrays) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(9, 9, 9), 100);
  Cholesky cholesky(matrix, {}, {});
  std::vector<float> b = random_sides(matrix.rows(), 3);
  Array<float> right_side(b), solution(right_side.size());
  cholesky.solve(right_side.view(), solution.view(), 3);
  for (float& value : b) value *= -2;
  right_side.assign(b);
  std::vector<float> twice = solution.to_host();
  for (float& value : twice) value *= -2;
  cholesky.solve(right_side.view(), solution.view(), 3);
  EXPECT_EQ(solution.to_host(), twice);
}

/// Every right side is solved on its own: 25 = 8 times three and one on the CPU, 24 and one on the GPU.
TEST(Cholesky, RightSidesDoNotMix) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(10, 8, 8), 100);
  const CholeskyOracle oracle(matrix);
  Cholesky cholesky(matrix, {}, {});
  for (const int right_sides : {2, 5, 8, 25}) {
    const std::vector<float> b = random_sides(matrix.rows(), right_sides);
    EXPECT_LT(oracle.error(b, solved(cholesky, b, right_sides), right_sides), 1e-5) << right_sides;
  }
}

std::string message_of(const HostSparseMatrix& matrix) {
  try {
    Cholesky cholesky(matrix, {}, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Cholesky, NamesTheRowThatIsNotPositiveDefinite) {
  HostSparseMatrix matrix = elastic_matrix(jittered_block(9, 9, 9), 1);
  matrix.value[matrix.first[401] - 1] = -0.5;  // the diagonal of row 400
  EXPECT_NE(message_of(matrix).find("not positive definite"), std::string::npos) << message_of(matrix);
  EXPECT_NE(message_of(lower_triangle({{1}, {0, -2}, {0, 0, 3}})).find("row 1 "), std::string::npos);
  // Positive diagonal, negative determinant.
  EXPECT_NE(message_of(lower_triangle({{1}, {2, 1}})).find("not positive definite"), std::string::npos);
}
TEST(Cholesky, NamesMalformedRows) {
  HostSparseMatrix matrix = lower_triangle({{1}, {0.5, 1}});
  matrix.value[1] = std::nan("");
  EXPECT_NE(message_of(matrix).find("row 1 of the matrix holds a value that is not finite"),
            std::string::npos);
  matrix.column = {0, 1, 0};
  EXPECT_NE(message_of(matrix).find("row 1 of the matrix does not end with its diagonal"), std::string::npos);
  EXPECT_THROW(Cholesky(lower_triangle({{1}}), std::vector<Point3>(2), {}), InputError);
}

TEST(Cholesky, RefusesMoreMemoryThanAllowed) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(9, 9, 9), 1);
  const long long bytes = Cholesky(matrix, {}, {}).setup_metrics().bytes;
  EXPECT_NO_THROW(Cholesky(matrix, {}, {.memory_limit = bytes}));
  try {
    Cholesky cholesky(matrix, {}, {.memory_limit = bytes - 1});
    ADD_FAILURE() << "no error";
  } catch (const FactorTooLarge& error) {
    EXPECT_EQ(error.bytes, bytes);
    EXPECT_EQ(error.limit, bytes - 1);
  }
}

/// The stored factor and the solution: the same bits from run to run and for any number of threads. 3375
/// rows: the factorization has fronts that all threads share.
TEST(CholeskyDeterminism, SameBits) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(15, 15, 15), 100);
  const std::vector<float> b = random_sides(matrix.rows(), 24);
  const auto run = [&] {
    Cholesky cholesky(matrix, {}, {});
    std::vector<float> x = solved(cholesky, b, 24);
    EXPECT_EQ(x, solved(cholesky, b, 24));
    return x;
  };
  const std::vector<float> one = with_threads(1, run);
  EXPECT_EQ(one, with_threads(2, run));
  EXPECT_EQ(one, with_threads(3, run));
}

}  // namespace cholesky_test
MERGANSER_END
