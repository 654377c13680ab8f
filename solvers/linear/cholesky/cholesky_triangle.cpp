#include "solvers/linear/cholesky/cholesky_triangle.h"

#include <limits>

#include "device/launch.h"
#include "solvers/linear/cholesky/cholesky_front_sequence.h"

MERGANSER_BEGIN

namespace {
/// Number (row, side) of A x.
struct SparseRowsProduct {
  static constexpr const char* name = "sparse product";
  View<const int> first, column;
  View<const float> value;
  int right_sides;
  const float* x;
  float* y;
  MERGANSER_METHOD void operator()(int index) const {
    const int row = index / right_sides, k = index % right_sides;
    float sum = 0;
    for (int e = first[row]; e < first[row + 1]; ++e) sum += value[e] * x[column[e] * right_sides + k];
    y[index] = sum;
  }
};
}  // namespace

AssembledMatrix::AssembledMatrix(const HostSparseMatrix& lower) {
  const int n = lower.rows();
  std::vector<int> first(size_t(n) + 1, 0), column;
  std::vector<float> value;
  for (int i = 0; i < n; ++i)
    for (auto e = lower.first[size_t(i)]; e < lower.first[size_t(i) + 1]; ++e) {
      ++first[size_t(i) + 1];
      if (lower.column[size_t(e)] < i) ++first[size_t(lower.column[size_t(e)]) + 1];
    }
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  column.resize(size_t(first.back()));
  value.resize(column.size());
  std::vector<int> next(first.begin(), first.end() - 1);
  const auto add = [&](int row, int of_column, double number) {
    column[size_t(next[size_t(row)])] = of_column;
    value[size_t(next[size_t(row)]++)] = static_cast<float>(number);
  };
  // Row i's own entries, columns up to i, come before those that later rows give it.
  for (int i = 0; i < n; ++i)
    for (auto e = lower.first[size_t(i)]; e < lower.first[size_t(i) + 1]; ++e) {
      add(i, lower.column[size_t(e)], lower.value[size_t(e)]);
      if (lower.column[size_t(e)] < i) add(lower.column[size_t(e)], i, lower.value[size_t(e)]);
    }
  matrix_.rows = n;
  matrix_.first.assign(first);
  matrix_.column.assign(column);
  matrix_.value.assign(value);
}

void AssembledMatrix::solve(View<const float> x, View<float> y, int right_sides) const {
  launch(matrix_.rows * right_sides, SparseRowsProduct{matrix_.first.view(), matrix_.column.view(),
                                                       matrix_.value.view(), right_sides, x.data, y.data});
}

#if MERGANSER_GPU_HALF
namespace {
/// Numbers of the caller's rows into the order of elimination.
struct PermuteRows {
  static constexpr const char* name = "sparse permute";
  View<const int> order;
  int right_sides;
  const float* from;
  View<float> to;
  MERGANSER_METHOD void operator()(int i) const {
    to[i] = from[order[i / right_sides] * right_sides + i % right_sides];
  }
};
/// And back.
struct ReturnRows {
  static constexpr const char* name = "sparse return";
  View<const int> order;
  int right_sides;
  View<const float> from;
  float* to;
  MERGANSER_METHOD void operator()(int i) const {
    to[order[i / right_sides] * right_sides + i % right_sides] = from[i];
  }
};
}  // namespace

TriangularCholesky::TriangularCholesky(const HostSparseMatrix& matrix,
                                       const std::vector<Point3>& rest_positions) {
  const MatrixGraph graph(matrix);
  const FrontTree tree =
      analyze(graph, rest_positions.empty() ? metis_order(graph) : geometric_order(graph, rest_positions));
  std::vector<int> first(1, 0);
  for (int s = 0; s < tree.fronts(); ++s)
    for (int j = 0; j < tree.columns(s); ++j) {
      const std::int64_t end = std::int64_t(first.back()) + tree.columns(s) - j + tree.below(s);
      if (end > std::numeric_limits<int>::max())
        throw FactorTooLarge(end * 8, 8ll * std::numeric_limits<int>::max());
      first.push_back(static_cast<int>(end));
    }
  upper_.rows = matrix.rows();
  upper_.first.assign(first);
  upper_.column.resize(first.back());
  upper_.value.resize(first.back());
  order_.assign(tree.order);
  const Array<int> below(tree.row);
  factorize_triangle(PermutedMatrix(matrix, tree), tree,
                     {upper_.first.view(), below.view(), upper_.column.data(), upper_.value.data()});
}

void TriangularCholesky::solve(View<const float> right_side, View<float> solution, int right_sides) {
  if (!triangle_ || triangle_->right_sides() != right_sides)
    triangle_ = std::make_unique<LibraryTriangle>(upper_, right_sides);
  const int count = upper_.rows * right_sides;
  launch(count, PermuteRows{order_.view(), right_sides, right_side.data, triangle_->vectors()});
  triangle_->solve();
  launch(count, ReturnRows{order_.view(), right_sides, triangle_->vectors(), solution.data});
}
#endif

MERGANSER_END
