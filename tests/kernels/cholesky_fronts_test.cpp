/// Inside the sparse Cholesky: fill, and the CPU's fast versions against the portable ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/benchmarks/elastic_matrix.h"
#include "solvers/linear/cholesky/cholesky_fronts.h"
#include "solvers/linear/cholesky/cholesky_solve.h"
#if !MERGANSER_GPU_HALF
#include "solvers/linear/cholesky/cholesky_front_sequence.h"
#include "solvers/linear/cholesky/cholesky_solve_cpu.h"
#endif
#include "tests/support/cholesky_oracle.h"

MERGANSER_BEGIN
namespace cholesky_fronts_test {

using test::random_sides;

/// The factor holds what elimination column by column, without any tree, fills in.
TEST(CholeskyFronts, CountsTheFill) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(7, 6, 5), 1);
  for (const CholeskyOrdering ordering : {CholeskyOrdering::metis, CholeskyOrdering::geometric}) {
    const MatrixGraph graph(matrix);
    const FrontTree tree =
        analyze(graph, ordering == CholeskyOrdering::metis ? metis_order(graph)
                                                           : geometric_order(graph, jittered_block(7, 6, 5)));
    const size_t n = size_t(matrix.rows());
    std::vector<std::vector<bool>> filled(n, std::vector<bool>(n, false));
    for (int i = 0; i < matrix.rows(); ++i)
      for (auto e = matrix.first[i]; e < matrix.first[i + 1]; ++e) {
        const int a = tree.position[size_t(i)], b = tree.position[size_t(matrix.column[size_t(e)])];
        filled[size_t(std::max(a, b))][size_t(std::min(a, b))] = true;
      }
    long long count = 0;
    for (size_t j = 0; j < n; ++j)
      for (size_t i = j; i < n; ++i) {
        if (!filled[i][j]) continue;
        ++count;
        for (size_t k = j + 1; k <= i; ++k)
          if (filled[k][j]) filled[i][k] = true;
      }
    EXPECT_EQ(tree.nonzeros, count);
  }
}

#if !MERGANSER_GPU_HALF
/// What cuSOLVER and cuBLAS do for the GPU, in plain loops.
struct PlainDense {
  static void factor(double* a, int n, int stride, int* info) {
    *info = 0;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k)
        for (int i = j; i < n; ++i) a[j * stride + i] -= a[k * stride + i] * a[k * stride + j];
      if (!(a[j * stride + j] > 0)) {
        *info = j + 1;
        return;
      }
      const double root = std::sqrt(a[j * stride + j]);
      for (int i = j; i < n; ++i) a[j * stride + i] /= root;
    }
  }
  static void invert(double* l, int n, int stride, int*) {
    std::vector<double> inverse(size_t(n) * size_t(n), 0);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        double sum = i == j;
        for (int k = j; k < i; ++k) sum -= l[k * stride + i] * inverse[size_t(j * n + k)];
        inverse[size_t(j * n + i)] = sum / l[i * stride + i];
      }
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) l[j * stride + i] = inverse[size_t(j * n + i)];
  }
  static void solve_transposed(const double* l, double* b, int rows, int n, int stride) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < j; ++k) b[j * stride + i] -= b[k * stride + i] * l[k * stride + j];
        b[j * stride + i] /= l[j * stride + j];
      }
  }
  static void multiply_negative(const double* l, double* b, int rows, int n, int stride) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int k = j; k < n; ++k) sum -= b[k * stride + i] * l[j * stride + k];
        b[j * stride + i] = sum;
      }
  }
  static void subtract_product(const double* a, const double* b, int rows, int columns, int inner, int stride,
                               double* c, int c_stride) {
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < inner; ++k)
        for (int i = 0; i < rows; ++i) c[j * c_stride + i] -= a[k * stride + i] * b[k * stride + j];
  }
};

/// The GPU's sequence of kernels and dense operations stores what the CPU's stores: both round doubles that
/// differ by 1e-13 to float. 1800 rows: update matrices of more than one block column.
TEST(CholeskyFronts, FrontSequenceStoresTheSame) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(15, 12, 10), 100);
  const MatrixGraph graph(matrix);
  const FrontTree tree = analyze(graph, metis_order(graph));
  int tallest = 0;
  for (int s = 0; s < tree.fronts(); ++s) tallest = std::max(tallest, tree.below(s));
  ASSERT_GT(tallest, UpdateShape::block);
  const PermutedMatrix permuted(matrix, tree);
  const std::vector<std::int64_t> offset = stored_offsets(tree);
  const std::vector<float> unset(size_t(offset.back()), std::nanf(""));  // every number must be written
  Array<float> expected(unset), found(unset);
  factorize(permuted, tree, offset, expected.data());
  PlainDense dense;
  FrontSequence<PlainDense>(permuted, tree, offset, found.data(), dense).run();
  const std::vector<float> a = expected.to_host(), b = found.to_host();
  double largest = 0;
  for (float number : a) largest = std::max(largest, std::abs(double(number)));
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1.3e-7 * std::abs(a[i]) + 1e-12 * largest) << i;
}

/// The CPU's solver against its portable twin, with the same factor. Both add the same products in another
/// order.
TEST(CholeskyFronts, SubtreeSolverAgreesWithLevelSolver) {
  const HostSparseMatrix matrix = elastic_matrix(jittered_block(15, 14, 13), 100);
  const MatrixGraph graph(matrix);
  const FrontTree tree = analyze(graph, metis_order(graph));
  FactorArrays arrays(tree);
  factorize(PermutedMatrix(matrix, tree), tree, arrays.host_offset, arrays.stored.data());
  LevelSolver levels(tree);
  SubtreeSolver subtrees(tree);
  for (const int right_sides : {1, 3, 8, 24, 28}) {
    const Array<float> b(random_sides(matrix.rows(), right_sides));
    Array<float> x(b.size()), y(b.size());
    levels.solve(arrays.view(), b.view(), x.view(), right_sides);
    subtrees.solve(arrays.view(), b.view(), y.view(), right_sides);
    const std::vector<float> expected = x.to_host(), found = y.to_host();
    double difference = 0, size = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      difference += std::pow(found[i] - expected[i], 2);
      size += std::pow(expected[i], 2);
    }
    EXPECT_LT(std::sqrt(difference / size), 2e-6) << right_sides;
  }
}
#endif

}  // namespace cholesky_fronts_test
MERGANSER_END
