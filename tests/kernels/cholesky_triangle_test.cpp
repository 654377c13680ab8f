/// The matrix and its factor in compressed rows: the alternatives that libraries solve with.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/cholesky/cholesky_triangle.h"
#include "tests/support/cholesky_oracle.h"

MERGANSER_BEGIN
namespace cholesky_triangle_test {

using test::CholeskyOracle;
using test::random_sides;

template <class Solver>
std::vector<float> result_of(Solver& solver, const std::vector<float>& b, int right_sides) {
  const Array<float> from(b);
  Array<float> into(from.size());
  solver.solve(from.view(), into.view(), right_sides);
  return into.to_host();
}

/// A x in double.
std::vector<double> product(const HostSparseMatrix& lower, const std::vector<float>& x, int right_sides) {
  std::vector<double> y(x.size(), 0.0);
  for (int i = 0; i < lower.rows(); ++i)
    for (auto e = lower.first[size_t(i)]; e < lower.first[size_t(i) + 1]; ++e)
      for (int k = 0; k < right_sides; ++k) {
        const size_t a = size_t(i * right_sides + k), b = size_t(lower.column[size_t(e)] * right_sides + k);
        y[a] += lower.value[size_t(e)] * x[b];
        if (a != b) y[b] += lower.value[size_t(e)] * x[a];
      }
  return y;
}

/// Sums of some 100 floats: 1e-6 of the greatest number is what rounding may take.
void expect_product(const std::vector<float>& found, const std::vector<double>& expected) {
  double largest = 0;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-6 * largest) << i;
}

TEST(CholeskyTriangle, ProductsWithTheAssembledMatrix) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(9, 8, 7), 100);
  AssembledMatrix assembled(matrix);
  const std::vector<int> first = assembled.matrix().first.to_host(),
                         column = assembled.matrix().column.to_host();
  for (int i = 0; i < matrix.rows(); ++i)
    for (int e = first[size_t(i)] + 1; e < first[size_t(i) + 1]; ++e)
      ASSERT_LT(column[size_t(e) - 1], column[size_t(e)]) << "row " << i;
  for (const int right_sides : {1, 3, 24}) {
    const std::vector<float> x = random_sides(matrix.rows(), right_sides);
    expect_product(result_of(assembled, x, right_sides), product(matrix, x, right_sides));
#if MERGANSER_GPU_HALF
    LibraryProduct library(assembled.matrix());
    expect_product(result_of(library, x, right_sides), product(matrix, x, right_sides));
#endif
  }
}

#if MERGANSER_GPU_HALF
/// Other numbers of right sides one after the other, in place and not, several bodies.
TEST(CholeskyTriangle, SolvesAsTheFactorDoes) {
  std::vector<Point3> positions = jittered_block(11, 9, 8);
  for (const Point3& x : jittered_block(4, 5, 3)) positions.push_back({x[0] - 40, x[1], x[2]});
  const HostSparseMatrix matrix = elastic_matrix(positions, 100);
  const CholeskyOracle oracle(matrix);
  for (const auto& rest : {positions, std::vector<Point3>()}) {
    TriangularCholesky triangle(matrix, rest);
    for (const int right_sides : {3, 1, 3, 24}) {
      const std::vector<float> b = random_sides(matrix.rows(), right_sides);
      const std::vector<float> x = result_of(triangle, b, right_sides);
      EXPECT_LT(oracle.error(b, x, right_sides), 1e-5) << right_sides << ", by " << sparse_library();
      Array<float> values(b);
      triangle.solve(values.view(), values.view(), right_sides);
      EXPECT_EQ(values.to_host(), x);
    }
  }
}
TEST(CholeskyTriangle, NamesTheRowThatIsNotPositiveDefinite) {
  HostSparseMatrix matrix = elastic_matrix(jittered_block(9, 9, 9), 1);
  matrix.value[size_t(matrix.first[401] - 1)] = -0.5;
  EXPECT_THROW(TriangularCholesky(matrix, {}), NotPositiveDefinite);
}
#endif

}  // namespace cholesky_triangle_test
MERGANSER_END
