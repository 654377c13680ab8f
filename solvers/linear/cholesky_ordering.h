#pragma once
/// Fill-reducing orderings of a symmetric matrix' graph.
#include <vector>

#include "solvers/linear/cholesky.h"

MERGANSER_BEGIN

/// Neighbors of every row, without itself, both directions.
struct MatrixGraph {
  explicit MatrixGraph(const HostSparseMatrix& matrix);
  int rows() const { return static_cast<int>(first.size()) - 1; }
  std::vector<int> first, neighbor;
};

/// The caller's rows in the order of elimination.
std::vector<int> metis_order(const MatrixGraph& graph);
/// Nested dissection: the rows are halved across the longest side of their box; those of one half that have a
/// neighbor in the other half separate them and come last.
std::vector<int> geometric_order(const MatrixGraph& graph, const std::vector<Point3>& positions);

MERGANSER_END
