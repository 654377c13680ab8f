#pragma once
/// Elimination tree and supernodes.
#include <vector>

#include "solvers/linear/cholesky/cholesky_ordering.h"

MERGANSER_BEGIN

/// parent[p] of the elimination tree of the reordered matrix, -1 for roots (Liu 1990, with path compression).
std::vector<int> elimination_tree(const MatrixGraph& graph, const std::vector<int>& order,
                                  const std::vector<int>& position);
/// Nodes of a forest, children before parents, every subtree contiguous, children in ascending order.
std::vector<int> postorder(const std::vector<int>& parent);
/// Numbers in each column of L, diagonal included, of a postordered matrix (Gilbert, Ng & Peyton 1994).
std::vector<int> column_counts(const MatrixGraph& graph, const std::vector<int>& order,
                               const std::vector<int>& position, const std::vector<int>& parent);

/// Columns of each supernode after merging, in the order of elimination; supernodes in postorder.
std::vector<std::vector<int>> merged_supernodes(const std::vector<int>& parent,
                                                const std::vector<int>& counts);

MERGANSER_END
