#include "solvers/linear/cholesky/cholesky_ordering.h"

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

MatrixGraph::MatrixGraph(const MatrixGraph& whole, int begin, int end) {
  const int shift = whole.first[size_t(begin)];
  for (int i = begin; i <= end; ++i) first.push_back(whole.first[size_t(i)] - shift);
  for (int e = shift; e < whole.first[size_t(end)]; ++e)
    neighbor.push_back(whole.neighbor[size_t(e)] - begin);
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

MERGANSER_END
