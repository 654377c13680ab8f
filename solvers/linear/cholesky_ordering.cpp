#include "solvers/linear/cholesky_ordering.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <metis.h>

MERGANSER_BEGIN

MatrixGraph::MatrixGraph(const HostSparseMatrix& matrix) {
  const int n = matrix.rows();
  const std::int64_t entries = 2 * (static_cast<std::int64_t>(matrix.column.size()) - n);
  if (entries > std::numeric_limits<int>::max())
    throw InputError("the matrix has " + std::to_string(entries) +
                     " entries off the diagonal; orderings take 2,147,483,647 at most: use fewer particles");
  first.assign(size_t(n) + 1, 0);
  for (int i = 0; i < n; ++i)
    for (auto e = matrix.first[i]; e < matrix.first[i + 1] - 1; ++e)
      ++first[size_t(i) + 1], ++first[size_t(matrix.column[e]) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  neighbor.resize(size_t(entries));
  std::vector<int> next(first.begin(), first.end() - 1);
  for (int i = 0; i < n; ++i)
    for (auto e = matrix.first[i]; e < matrix.first[i + 1] - 1; ++e) {
      const int k = matrix.column[e];
      neighbor[next[i]++] = k;
      neighbor[next[k]++] = i;
    }
}

std::vector<int> metis_order(const MatrixGraph& graph) {
  static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32-bit indices");
  std::vector<int> order(size_t(graph.rows())), inverse(order.size());
  std::iota(order.begin(), order.end(), 0);
  if (graph.neighbor.empty()) return order;  // METIS wants an edge
  idx_t rows = graph.rows();
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  auto* first = const_cast<idx_t*>(graph.first.data());
  auto* neighbor = const_cast<idx_t*>(graph.neighbor.data());
  if (METIS_NodeND(&rows, first, neighbor, nullptr, options, order.data(), inverse.data()) != METIS_OK)
    throw InputError("METIS could not order the matrix; use the geometric ordering");
  return order;
}

namespace {

constexpr int leaf_rows = 64;  ///< a set this small is not cut further

/// Which set of the recursion a row belongs to now, and work space.
struct Dissection {
  const MatrixGraph& graph;
  const std::vector<Point3>& positions;
  std::vector<int> part;  ///< per row
  int parts = 0;
  std::vector<int> order;

  void dissect(std::vector<int>::iterator begin, std::vector<int>::iterator end) {
    if (end - begin <= leaf_rows) {
      order.insert(order.end(), begin, end);
      return;
    }
    const auto middle = halve(begin, end);
    const int low = ++parts, high = ++parts;
    for (auto i = begin; i != middle; ++i) part[*i] = low;
    for (auto i = middle; i != end; ++i) part[*i] = high;
    const auto apart_from = [this](int other) {
      return [this, other](int row) {
        return std::none_of(&graph.neighbor[graph.first[row]],
                            &graph.neighbor[graph.first[row]] + degree(row),
                            [&](int k) { return part[k] == other; });
      };
    };
    const auto low_border = std::stable_partition(begin, middle, apart_from(high));
    const auto high_border = std::stable_partition(middle, end, apart_from(low));
    const bool cut_low = middle - low_border <= end - high_border;
    const std::vector<int> separator(cut_low ? low_border : high_border, cut_low ? middle : end);
    dissect(begin, cut_low ? low_border : middle);
    dissect(middle, cut_low ? end : high_border);
    order.insert(order.end(), separator.begin(), separator.end());
  }

 private:
  int degree(int row) const { return graph.first[row + 1] - graph.first[row]; }
  std::vector<int>::iterator halve(std::vector<int>::iterator begin, std::vector<int>::iterator end) const {
    Point3 low = positions[*begin], high = low;
    for (auto i = begin; i != end; ++i)
      for (size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], positions[*i][axis]);
        high[axis] = std::max(high[axis], positions[*i][axis]);
      }
    size_t longest = 0;
    for (size_t axis = 1; axis < 3; ++axis)
      if (high[axis] - low[axis] > high[longest] - low[longest]) longest = axis;
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](int a, int b) {
      const double x = positions[a][longest], y = positions[b][longest];
      return x != y ? x < y : a < b;
    });
    return middle;
  }
};

}  // namespace

std::vector<int> geometric_order(const MatrixGraph& graph, const std::vector<Point3>& positions) {
  std::vector<int> rows(size_t(graph.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  Dissection dissection{graph, positions, std::vector<int>(rows.size(), 0), 0, {}};
  dissection.order.reserve(rows.size());
  dissection.dissect(rows.begin(), rows.end());
  return dissection.order;
}

MERGANSER_END
