#include "solvers/linear/cholesky/cholesky_tree.h"

#include <algorithm>
#include <queue>

#include "solvers/linear/cholesky/cholesky_supernodes.h"

MERGANSER_BEGIN

namespace {

std::vector<int> inverse_permutation(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (size_t p = 0; p < order.size(); ++p) position[size_t(order[p])] = static_cast<int>(p);
  return position;
}

/// Rows below each front: those of its columns in A, and those of its children, less its own columns.
void find_rows(const MatrixGraph& graph, FrontTree& tree) {
  const int n = graph.rows(), fronts = static_cast<int>(tree.first_column.size()) - 1;
  std::vector<int> front_of(static_cast<size_t>(n)), seen_by(static_cast<size_t>(n), -1);
  for (int s = 0; s < fronts; ++s)
    for (int p = tree.first_column[s]; p < tree.first_column[s + 1]; ++p) front_of[p] = s;
  tree.parent.assign(size_t(fronts), -1);
  tree.level.assign(size_t(fronts), 0);
  tree.first_row.assign(1, 0);
  std::vector<std::vector<int>> children(static_cast<size_t>(fronts));
  for (int s = 0; s < fronts; ++s) {
    const int end = tree.first_column[s + 1];
    const auto begin_rows = static_cast<std::ptrdiff_t>(tree.row.size());
    const auto add = [&](int p) {
      if (p < end || seen_by[p] == s) return;
      seen_by[p] = s;
      tree.row.push_back(p);
    };
    for (int p = tree.first_column[s]; p < end; ++p)
      for (int e = graph.first[tree.order[p]]; e < graph.first[tree.order[p] + 1]; ++e)
        add(tree.position[graph.neighbor[e]]);
    for (int c : children[s])
      for (auto e = tree.first_row[c]; e < tree.first_row[c + 1]; ++e) add(tree.row[size_t(e)]);
    std::sort(tree.row.begin() + begin_rows, tree.row.end());
    tree.first_row.push_back(static_cast<std::int64_t>(tree.row.size()));
    if (tree.below(s) > 0) {
      const int parent = front_of[tree.row[size_t(begin_rows)]];
      tree.parent[s] = parent;
      tree.level[parent] = std::max(tree.level[parent], tree.level[s] + 1);
      children[parent].push_back(s);
    }
  }
  tree.first_child.assign(1, 0);
  for (const auto& of_front : children) {
    tree.child.insert(tree.child.end(), of_front.begin(), of_front.end());
    tree.first_child.push_back(static_cast<int>(tree.child.size()));
  }
}

}  // namespace

FrontTree analyze(const MatrixGraph& graph, std::vector<int> order) {
  FrontTree tree;
  std::vector<int> parent, by_subtree;
  {
    const std::vector<int> position = inverse_permutation(order);
    const std::vector<int> unordered = elimination_tree(graph, order, position);
    by_subtree = postorder(unordered);
    const std::vector<int> label = inverse_permutation(by_subtree);
    parent.resize(order.size());
    for (size_t p = 0; p < order.size(); ++p) {
      const int above = unordered[size_t(by_subtree[p])];
      parent[p] = above < 0 ? -1 : label[size_t(above)];
    }
  }
  for (int& p : by_subtree) p = order[size_t(p)];
  order = std::move(by_subtree);
  const std::vector<int> counts = column_counts(graph, order, inverse_permutation(order), parent);
  for (int count : counts) tree.nonzeros += count;
  tree.first_column.assign(1, 0);
  for (const std::vector<int>& columns : merged_supernodes(parent, counts)) {
    for (int j : columns) tree.order.push_back(order[size_t(j)]);
    tree.first_column.push_back(static_cast<int>(tree.order.size()));
  }
  tree.position = inverse_permutation(tree.order);
  find_rows(graph, tree);
  return tree;
}

TreeCut cut_tree(const FrontTree& tree, const std::vector<double>& weight, double least) {
  const int fronts = tree.fronts();
  std::vector<double> whole = weight;
  std::vector<int> first(static_cast<size_t>(fronts));  // of the subtree: fronts [first, s]
  double total = 0;
  using Candidate = std::pair<double, int>;
  std::priority_queue<Candidate> heaviest;
  for (int s = 0; s < fronts; ++s) {
    first[s] = s;
    for (int c = tree.first_child[s]; c < tree.first_child[s + 1]; ++c) {
      whole[s] += whole[tree.child[c]];
      first[s] = std::min(first[s], first[tree.child[c]]);
    }
    total += weight[s];
    if (tree.parent[s] < 0) heaviest.push({whole[s], s});
  }
  TreeCut cut;
  const double limit = std::max(total / 32, least);
  for (; !heaviest.empty() && heaviest.top().first > limit;) {
    const int s = heaviest.top().second;
    heaviest.pop();
    cut.top.push_back(s);
    for (int c = tree.first_child[s]; c < tree.first_child[s + 1]; ++c)
      heaviest.push({whole[tree.child[c]], tree.child[c]});
  }
  std::sort(cut.top.begin(), cut.top.end());
  for (; !heaviest.empty(); heaviest.pop()) {
    const int s = heaviest.top().second;
    std::vector<int> fronts_below;
    for (int f = first[s]; f <= s; ++f) fronts_below.push_back(f);
    cut.subtree.push_back(std::move(fronts_below));
  }
  return cut;
}

MERGANSER_END
