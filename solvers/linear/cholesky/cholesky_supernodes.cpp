#include "solvers/linear/cholesky/cholesky_supernodes.h"

#include <algorithm>

MERGANSER_BEGIN

std::vector<int> elimination_tree(const MatrixGraph& graph, const std::vector<int>& order,
                                  const std::vector<int>& position) {
  const int n = graph.rows();
  std::vector<int> parent(size_t(n), -1), ancestor(size_t(n), -1);
  for (int p = 0; p < n; ++p) {
    const int row = order[p];
    for (int e = graph.first[row]; e < graph.first[row + 1]; ++e)
      for (int k = position[graph.neighbor[e]], next; k >= 0 && k < p; k = next) {
        next = ancestor[k];
        ancestor[k] = p;
        if (next < 0) parent[k] = p;
      }
  }
  return parent;
}

std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first_child(size_t(n), -1), sibling(size_t(n), -1), result, stack;
  for (int i = n - 1; i >= 0; --i)
    if (parent[i] >= 0) sibling[i] = first_child[parent[i]], first_child[parent[i]] = i;
  result.reserve(size_t(n));
  for (int root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const int node = stack.back();
      if (first_child[node] >= 0) {
        stack.push_back(first_child[node]);
        first_child[node] = sibling[first_child[node]];
      } else {
        stack.pop_back();
        result.push_back(node);
      }
    }
  }
  return result;
}

std::vector<int> column_counts(const MatrixGraph& graph, const std::vector<int>& order,
                               const std::vector<int>& position, const std::vector<int>& parent) {
  const int n = graph.rows();
  std::vector<int> count(size_t(n), 0), first(size_t(n), -1), ancestor(count), last_leaf(size_t(n), -1),
      highest_first(size_t(n), -1);
  for (int j = 0; j < n; ++j) {
    ancestor[j] = j;
    if (first[j] < 0) count[j] = 1;  // a leaf of the tree
    for (int k = j; k >= 0 && first[k] < 0; k = parent[k]) first[k] = j;
  }
  for (int j = 0; j < n; ++j) {
    if (parent[j] >= 0) --count[parent[j]];
    const int row = order[j];
    for (int e = graph.first[row]; e < graph.first[row + 1]; ++e) {
      const int i = position[graph.neighbor[e]];
      if (i <= j || first[j] <= highest_first[i]) continue;  // j is no leaf of row i's subtree
      highest_first[i] = first[j];
      ++count[j];
      if (last_leaf[i] >= 0) {
        int common = last_leaf[i];
        while (common != ancestor[common]) common = ancestor[common];
        for (int k = last_leaf[i], next; k != common; k = next) next = ancestor[k], ancestor[k] = common;
        --count[common];
      }
      last_leaf[i] = j;
    }
    if (parent[j] >= 0) ancestor[j] = parent[j];
  }
  for (int j = 0; j < n; ++j)
    if (parent[j] >= 0) count[parent[j]] += count[j];
  return count;
}

namespace {

double trapezoid(double columns, double rows) { return columns * rows - columns * (columns - 1) / 2; }

/// True where a supernode of `columns` columns may hold so many zeros: small ones cost more as calls than
/// as numbers.
bool worth_merging(int columns, double zeros, double size) {
  const double share = zeros / size;
  return columns <= 8 || (columns <= 32 && share < 0.25) || (columns <= 96 && share < 0.08) || share < 0.02;
}

}  // namespace

std::vector<std::vector<int>> merged_supernodes(const std::vector<int>& parent,
                                                const std::vector<int>& counts) {
  // Supernodes of columns with the same structure, in postorder.
  const int n = static_cast<int>(parent.size());
  std::vector<int> start, of_column(static_cast<size_t>(n));
  for (int j = 0; j < n; ++j) {
    if (j == 0 || parent[j - 1] != j || counts[j] != counts[j - 1] - 1) start.push_back(j);
    of_column[j] = static_cast<int>(start.size()) - 1;
  }
  const int fronts = static_cast<int>(start.size());
  start.push_back(n);
  struct Merged {
    int columns, rows;  ///< rows: own and below
    double zeros;
    std::vector<int> parts;  ///< supernodes, in the order of elimination
  };
  std::vector<Merged> merged(static_cast<size_t>(fronts));
  std::vector<int> up(static_cast<size_t>(fronts), -1);
  std::vector<std::vector<int>> children(static_cast<size_t>(fronts));
  for (int s = 0; s < fronts; ++s) {
    merged[s] = {start[s + 1] - start[s], counts[start[s]], 0, {}};
    const int above = parent[start[s + 1] - 1];
    if (above >= 0) up[s] = of_column[above], children[up[s]].push_back(s);
  }
  std::vector<bool> gone(static_cast<size_t>(fronts), false);
  for (int s = 0; s < fronts; ++s) {
    Merged& own = merged[s];
    // Largest child first: it shares the most rows.
    std::vector<int> candidates = children[s], kept;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](int a, int b) { return merged[a].rows > merged[b].rows; });
    std::vector<int> parts;
    for (int c : candidates) {
      const Merged& child = merged[c];
      const int columns = own.columns + child.columns, rows = own.rows + child.columns;
      const double size = trapezoid(columns, rows);
      const double zeros = own.zeros + child.zeros + size - trapezoid(own.columns, own.rows) -
                           trapezoid(child.columns, child.rows);
      if (!worth_merging(columns, zeros, size)) {
        kept.push_back(c);
        continue;
      }
      own.columns = columns, own.rows = rows, own.zeros = zeros;
      parts.insert(parts.end(), child.parts.begin(), child.parts.end());
      kept.insert(kept.end(), children[c].begin(), children[c].end());
      for (int grandchild : children[c]) up[grandchild] = s;
      gone[c] = true;
    }
    parts.push_back(s);
    own.parts = std::move(parts);
    children[s] = std::move(kept);
  }
  std::vector<std::vector<int>> result;
  for (int s : postorder(up)) {
    if (gone[s]) continue;
    std::vector<int> columns;
    for (int part : merged[s].parts)
      for (int j = start[part]; j < start[part + 1]; ++j) columns.push_back(j);
    result.push_back(std::move(columns));
  }
  return result;
}

MERGANSER_END
