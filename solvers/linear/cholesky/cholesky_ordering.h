#pragma once
/// Fill-reducing orderings of a symmetric matrix' graph.
#include <vector>

#include "solvers/linear/cholesky/cholesky.h"

MERGANSER_BEGIN

/// Neighbors of every row, without itself, both directions.
struct MatrixGraph {
  explicit MatrixGraph(const HostSparseMatrix& matrix);
  /// Of rows [begin, end), which have no neighbors outside, counted from `begin`.
  MatrixGraph(const MatrixGraph& whole, int begin, int end);
  int rows() const { return static_cast<int>(first.size()) - 1; }
  std::vector<int> first, neighbor;
};

/// The caller's rows in the order of elimination.
std::vector<int> metis_order(const MatrixGraph& graph);
/// Nested dissection by planes across the longest side of the rows' box (or, where they lie askew, across
/// their principal axis) through the median. A plane's separator is the smallest set of rows that touches
/// every edge across it.
std::vector<int> geometric_order(const MatrixGraph& graph, const std::vector<Point3>& positions);

MERGANSER_END
