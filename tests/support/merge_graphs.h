#pragma once
/// Graphs of items that are to merge, and what must hold of their groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "device/merge_groups.h"

MERGANSER_BEGIN
namespace merge_groups_test {

inline constexpr int unlimited = 0x7fffffff;

struct Graph {
  int items = 0;
  std::vector<ItemPair> pairs;
  std::vector<int> anchored;
};

inline Graph random_graph(int items, int pairs, unsigned seed) {
  std::mt19937 engine(seed);
  Graph graph{items, {}, std::vector<int>(size_t(items), 0)};
  while (int(graph.pairs.size()) < pairs) {
    const int a = int(engine() % unsigned(items)), b = int(engine() % unsigned(items));
    if (a != b) graph.pairs.push_back({std::min(a, b), std::max(a, b)});
  }
  return graph;
}
inline Graph chain(int items) {
  Graph graph{items, {}, std::vector<int>(size_t(items), 0)};
  for (int i = 0; i + 1 < items; ++i) graph.pairs.push_back({i, i + 1});
  return graph;
}
inline Graph sheet(int side) {
  Graph graph{side * side, {}, std::vector<int>(size_t(side * side), 0)};
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) graph.pairs.push_back({i, i + 1});
    if (i + side < side * side) graph.pairs.push_back({i, i + side});
  }
  return graph;
}
/// Item 0 touches all others.
inline Graph hub(int items) {
  Graph graph{items, {}, std::vector<int>(size_t(items), 0)};
  for (int i = 1; i < items; ++i) graph.pairs.push_back({0, i});
  return graph;
}
/// A hub of hubs: 0 - 1 .. branches - their own leaves.
inline Graph hub_of_hubs(int branches, int leaves) {
  Graph graph{1 + branches * (1 + leaves), {}, {}};
  graph.anchored.assign(size_t(graph.items), 0);
  for (int b = 0; b < branches; ++b) {
    const int middle = 1 + b * (1 + leaves);
    graph.pairs.push_back({0, middle});
    for (int l = 1; l <= leaves; ++l) graph.pairs.push_back({middle, middle + l});
  }
  return graph;
}

/// Ids that are unique but unlike the item numbers.
inline std::vector<int> shuffled_ids(int items) {
  std::vector<int> id(static_cast<size_t>(items));
  std::iota(id.begin(), id.end(), 100);
  std::shuffle(id.begin(), id.end(), std::mt19937(5));
  return id;
}

struct Result {
  std::vector<int> group_of, first, member, top, left, right, continues, round_first;
  int rounds() const { return int(round_first.size()) - 1; }
  bool operator==(const Result&) const = default;
};

inline Result result_of(const MergeGroups& groups) {
  const ItemGroupsView g = groups.groups();
  const MergeTreeView t = groups.tree();
  Result r{to_host(g.group_of),
           to_host(g.first),
           to_host(g.member),
           to_host(g.top),
           to_host(t.left.subview(0, t.node_count)),
           to_host(t.right.subview(0, t.node_count)),
           to_host(t.continues.subview(0, t.node_count)),
           groups.round_first()};
  EXPECT_EQ(g.group_count, int(r.top.size()));
  return r;
}

/// few_pairs: see MergeGroups::set_few_pairs; -1: as it is.
inline Result group(const Graph& graph, GroupLimits limits, const std::vector<std::vector<int>>& stages,
                    int few_pairs = -1, bool ranks_stars = MERGANSER_GPU_HALF) {
  Array<int> id(shuffled_ids(graph.items)), anchored(graph.anchored);
  Array<ItemPair> pairs(graph.pairs);
  MergeGroups groups;
  if (few_pairs >= 0) groups.set_few_pairs(few_pairs);
  groups.set_ranks_stars(ranks_stars);
  groups.begin(id.const_view(), anchored.const_view(), limits);
  for (const auto& stage : stages) {
    std::vector<int> flags(graph.pairs.size(), 0);
    for (int k : stage) flags[size_t(k)] = 1;
    Array<int> wanted(flags);
    const int before = groups.tree().node_count;
    const int added = groups.merge(pairs.const_view(), wanted.const_view());
    EXPECT_EQ(added, groups.tree().node_count - before);
    groups.number_groups();
  }
  return result_of(groups);
}
inline Result group(const Graph& graph, GroupLimits limits) {
  std::vector<int> all(graph.pairs.size());
  std::iota(all.begin(), all.end(), 0);
  return group(graph, limits, {all});
}

inline int drawn_limit(const GroupLimits& limits, int smallest_id) {
  return uniform_int(
      random_draw(limits.seed, RandomPurpose::group_limit, unsigned(smallest_id), std::uint64_t(limits.step))
          .word[0],
      limits.least, limits.most);
}

/// Everything that must hold of groups and trees, whatever order they were made in.
inline void expect_valid(const Graph& graph, const GroupLimits& limits, const Result& r) {
  const auto id = shuffled_ids(graph.items);
  const int groups = int(r.top.size()), nodes = int(r.left.size());
  // Member lists: ascending, partition of the grouped items, consistent with group_of.
  std::vector<int> listed(size_t(graph.items), -1), smallest(size_t(groups), unlimited),
      anchors(size_t(groups), 0);
  for (int g = 0; g < groups; ++g) {
    EXPECT_GE(r.first[size_t(g) + 1] - r.first[size_t(g)], 2);
    for (int k = r.first[size_t(g)]; k < r.first[size_t(g) + 1]; ++k) {
      const int item = r.member[size_t(k)];
      if (k > r.first[size_t(g)]) {
        EXPECT_LT(r.member[size_t(k) - 1], item);
      }
      EXPECT_EQ(listed[size_t(item)], -1);
      listed[size_t(item)] = g;
      smallest[size_t(g)] = std::min(smallest[size_t(g)], id[size_t(item)]);
      anchors[size_t(g)] += graph.anchored[size_t(item)];
    }
  }
  EXPECT_EQ(listed, r.group_of);
  auto size_of = [&](int g) { return r.first[size_t(g) + 1] - r.first[size_t(g)]; };
  for (int g = 0; g < groups; ++g) {
    EXPECT_LE(size_of(g), drawn_limit(limits, smallest[size_t(g)]));
    EXPECT_LE(anchors[size_t(g)], 1);
  }
  // Every pair is inside one group, or its groups together would break a rule.
  for (const ItemPair& pair : graph.pairs) {
    const int a = listed[size_t(pair.first)], b = listed[size_t(pair.second)];
    if (a >= 0 && a == b) continue;
    const int size = (a < 0 ? 1 : size_of(a)) + (b < 0 ? 1 : size_of(b));
    const int least = std::min(a < 0 ? id[size_t(pair.first)] : smallest[size_t(a)],
                               b < 0 ? id[size_t(pair.second)] : smallest[size_t(b)]);
    const int anchored = (a < 0 ? graph.anchored[size_t(pair.first)] : anchors[size_t(a)]) +
                         (b < 0 ? graph.anchored[size_t(pair.second)] : anchors[size_t(b)]);
    EXPECT_TRUE(size > drawn_limit(limits, least) || anchored > 1)
        << "pair " << pair.first << " " << pair.second;
  }
  // Trees: each vertex has one parent at most, tops have none, and the leaves under a top are its group.
  std::vector<int> parent(size_t(graph.items + nodes), -1);
  for (int n = 0; n < nodes; ++n)
    for (int child : {r.left[size_t(n)], r.right[size_t(n)]}) {
      EXPECT_LT(child, graph.items + n);
      EXPECT_EQ(parent[size_t(child)], -1);
      parent[size_t(child)] = graph.items + n;
    }
  for (int item = 0; item < graph.items; ++item) {
    int v = item;
    while (parent[size_t(v)] >= 0) v = parent[size_t(v)];
    EXPECT_EQ(listed[size_t(item)] < 0 ? item : r.top[size_t(listed[size_t(item)])], v);
  }
  // Rounds: a node's children come from earlier rounds or from the node before it in its star.
  ASSERT_EQ(r.round_first.back(), nodes);
  for (size_t round = 0; round + 1 < r.round_first.size(); ++round) {
    EXPECT_EQ(r.continues[size_t(r.round_first[round])], 0);
    for (int n = r.round_first[round]; n < r.round_first[round + 1]; ++n)
      for (int child : {r.left[size_t(n)], r.right[size_t(n)]})
        EXPECT_TRUE(
            child < graph.items + r.round_first[round] ||
            (r.continues[size_t(n)] == 1 && child == graph.items + n - 1 && child == r.left[size_t(n)]));
  }
}

/// Sequential union-find: the number of connected components with two or more items.
inline int component_count(const Graph& graph) {
  std::vector<int> root(size_t(graph.items));
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[size_t(i)] != i) i = root[size_t(i)] = root[size_t(root[size_t(i)])];
    return i;
  };
  for (const ItemPair& pair : graph.pairs) root[size_t(find(pair.first))] = find(pair.second);
  std::set<int> tops;
  for (const ItemPair& pair : graph.pairs) tops.insert(find(pair.first));
  return int(tops.size());
}

}  // namespace merge_groups_test
MERGANSER_END
