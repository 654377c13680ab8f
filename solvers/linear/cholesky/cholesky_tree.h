#pragma once
/// Symbolic factorization: which rows each supernode's columns fill, before any number is computed.
///
/// The elimination tree (Liu 1990) is postordered, columns of equal structure form supernodes, and small
/// supernodes are merged with their parents where that stores few zeros. A supernode with its rows is a
/// front.
#include <cstdint>
#include <vector>

#include "solvers/linear/cholesky/cholesky_ordering.h"

MERGANSER_BEGIN

/// Fronts in postorder. A position is a row's place in the order of elimination.
struct FrontTree {
  std::vector<int> order;               ///< by position: the caller's row
  std::vector<int> position;            ///< by the caller's row
  std::vector<int> first_column;        ///< per front, one more at the end: its columns' first position
  std::vector<int> parent;              ///< per front, -1 for a root
  std::vector<std::int64_t> first_row;  ///< per front, one more at the end: its entries in `row`
  std::vector<int> row;                 ///< positions below the front's own columns, ascending
  std::vector<int> level;               ///< 0 = no children, else one more than the highest child
  std::vector<int> first_child, child;  ///< children of front s: child[first_child[s]...], ascending
  long long nonzeros = 0;               ///< of L, without the zeros that merging adds

  int fronts() const { return static_cast<int>(parent.size()); }
  int columns(int s) const { return first_column[s + 1] - first_column[s]; }
  int below(int s) const { return static_cast<int>(first_row[s + 1] - first_row[s]); }
};

FrontTree analyze(const MatrixGraph& graph, std::vector<int> order);

/// The tree cut into subtrees, each one thread's work, and the fronts above them, which all threads work on
/// one after the other. It depends on the weights alone.
struct TreeCut {
  std::vector<std::vector<int>> subtree;  ///< fronts in postorder; the heaviest subtree first
  std::vector<int> top;                   ///< in postorder
};
/// Subtrees weigh at most max(whole / 32, least).
TreeCut cut_tree(const FrontTree& tree, const std::vector<double>& weight, double least);

MERGANSER_END
