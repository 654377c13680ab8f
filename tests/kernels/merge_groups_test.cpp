/// Merge groups: limits kept, every pair satisfied or rightly left out, trees that fit the groups, the same
/// bits whatever the threads.
#include "device/merge_groups.h"

#include <gtest/gtest.h>
#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

MERGANSER_BEGIN
namespace {

constexpr int unlimited = 0x7fffffff;

struct Graph {
  int items = 0;
  std::vector<ItemPair> pairs;
  std::vector<int> anchored;
};

Graph random_graph(int items, int pairs, unsigned seed) {
  std::mt19937 engine(seed);
  Graph graph{items, {}, std::vector<int>(size_t(items), 0)};
  while (int(graph.pairs.size()) < pairs) {
    const int a = int(engine() % unsigned(items)), b = int(engine() % unsigned(items));
    if (a != b) graph.pairs.push_back({std::min(a, b), std::max(a, b)});
  }
  return graph;
}
Graph chain(int items) {
  Graph graph{items, {}, std::vector<int>(size_t(items), 0)};
  for (int i = 0; i + 1 < items; ++i) graph.pairs.push_back({i, i + 1});
  return graph;
}
Graph sheet(int side) {
  Graph graph{side * side, {}, std::vector<int>(size_t(side * side), 0)};
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) graph.pairs.push_back({i, i + 1});
    if (i + side < side * side) graph.pairs.push_back({i, i + side});
  }
  return graph;
}
/// Item 0 touches all others.
Graph hub(int items) {
  Graph graph{items, {}, std::vector<int>(size_t(items), 0)};
  for (int i = 1; i < items; ++i) graph.pairs.push_back({0, i});
  return graph;
}
/// A hub of hubs: 0 - 1 .. branches - their own leaves.
Graph hub_of_hubs(int branches, int leaves) {
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
std::vector<int> shuffled_ids(int items) {
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

Result result_of(const MergeGroups& groups) {
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
Result group(const Graph& graph, GroupLimits limits, const std::vector<std::vector<int>>& stages,
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
Result group(const Graph& graph, GroupLimits limits) {
  std::vector<int> all(graph.pairs.size());
  std::iota(all.begin(), all.end(), 0);
  return group(graph, limits, {all});
}

int drawn_limit(const GroupLimits& limits, int smallest_id) {
  return uniform_int(
      random_draw(limits.seed, RandomPurpose::group_limit, unsigned(smallest_id), std::uint64_t(limits.step))
          .word[0],
      limits.least, limits.most);
}

/// Everything that must hold of groups and trees, whatever order they were made in.
void expect_valid(const Graph& graph, const GroupLimits& limits, const Result& r) {
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
int component_count(const Graph& graph) {
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

TEST(MergeGroups, LimitsAreKeptAndPairsSatisfiedOrRightlyLeftOut) {
  for (int most : {2, 4, 8, 64})
    for (unsigned seed : {1u, 2u, 3u}) {
      const GroupLimits limits{seed, 17, std::max(2, most / 2), most};
      for (int pairs : {1, 300, 1500, 4000}) {
        const Graph graph = random_graph(1000, pairs, seed);
        expect_valid(graph, limits, group(graph, limits));
      }
      const Graph lattice = sheet(40);
      expect_valid(lattice, limits, group(lattice, limits));
    }
}

TEST(MergeGroups, UnlimitedGroupsAreTheConnectedComponents) {
  for (const Graph& graph :
       {random_graph(2000, 900, 1), random_graph(2000, 5000, 2), chain(3000), sheet(50), hub(2500)}) {
    const Result r = group(graph, {});
    expect_valid(graph, {}, r);
    EXPECT_EQ(int(r.top.size()), component_count(graph));
  }
}

TEST(MergeGroups, AtMostOneAnchoredItemPerGroup) {
  for (unsigned seed : {1u, 2u}) {
    Graph graph = random_graph(1000, 2500, seed);
    for (int i = 0; i < graph.items; i += 7) graph.anchored[size_t(i)] = 1;
    for (int most : {8, unlimited}) {
      const GroupLimits limits{seed, 3, most, most};
      expect_valid(graph, limits, group(graph, limits));
    }
  }
}

TEST(MergeGroups, MorePairsExtendTheGroups) {
  const Graph graph = random_graph(2000, 3000, 4);
  std::vector<std::vector<int>> stages(2);
  for (int k = 0; k < 3000; ++k) {
    if (k % 3 != 0) stages[0].push_back(k);
    stages[1].push_back(k);
  }
  for (int most : {16, unlimited}) {
    const GroupLimits limits{1, 5, std::min(8, most), most};
    expect_valid(graph, limits, group(graph, limits, stages));
  }
  // The first stage's groups stay together.
  const Result first = group(graph, {1, 5, 8, 16}, {stages[0]}), both = group(graph, {1, 5, 8, 16}, stages);
  EXPECT_GT(both.left.size(), first.left.size());
  EXPECT_TRUE(std::equal(first.left.begin(), first.left.end(), both.left.begin()));
  for (size_t i = 0; i < first.group_of.size(); ++i)
    for (size_t j = i + 1; j < std::min(first.group_of.size(), i + 40); ++j)
      if (first.group_of[i] >= 0 && first.group_of[i] == first.group_of[j]) {
        EXPECT_EQ(both.group_of[i], both.group_of[j]);
      }
}

/// A second stage that adds nothing leaves the groups as they are, also where nobody numbers them again.
TEST(MergeGroups, StayWhereNothingIsAdded) {
  const Graph graph = random_graph(300, 500, 4);
  const Array<int> id(shuffled_ids(graph.items)), anchored(graph.anchored), wanted(std::vector<int>(500, 1));
  const Array<ItemPair> pairs(graph.pairs);
  for (int few_pairs : {0, 1 << 20}) {
    MergeGroups groups;
    groups.set_few_pairs(few_pairs);
    groups.begin(id.const_view(), anchored.const_view(), {1, 5, 2, 4});
    EXPECT_GT(groups.merge(pairs.const_view(), wanted.const_view()), 0);
    groups.number_groups();
    const Result first = result_of(groups);
    int added = 1;
    for (int stage = 0; stage < 20 && added > 0; ++stage) {
      const Result before = result_of(groups);
      added = groups.merge(pairs.const_view(), wanted.const_view());
      if (added > 0)
        groups.number_groups();
      else
        EXPECT_EQ(result_of(groups), before);
    }
    EXPECT_EQ(added, 0);
    EXPECT_GT(first.top.size(), 50u);
  }
}

TEST(MergeGroups, NoPairsNoGroups) {
  const Result r = group({50, {}, std::vector<int>(50, 0)}, {}, {{}});
  EXPECT_TRUE(r.top.empty());
  EXPECT_EQ(r.group_of, std::vector<int>(50, -1));
}

TEST(MergeGroups, SameBitsFromRunToRunAndForAnyThreads) {
  const Graph graph = random_graph(20000, 40000, 9);
  for (int most : {16, unlimited}) {
    const GroupLimits limits{3, 11, std::min(8, most), most};
    const Result once = group(graph, limits);
    EXPECT_EQ(group(graph, limits), once);
#if !MERGANSER_COMPILED_BY_NVCC
    const int threads = omp_get_max_threads();
    for (int n : {1, 2, 4}) {
      omp_set_num_threads(n);
      EXPECT_EQ(group(graph, limits), once) << n << " threads";
    }
    omp_set_num_threads(threads);
#endif
  }
}

/// All rounds in one launch, one launch a phase, and launches that end in one block for the last pairs.
TEST(MergeGroups, OneLaunchGivesTheGroupsOfMany) {
  constexpr int never = 0, always = 1 << 20;
  for (unsigned seed : {1u, 3u})
    for (int most : {2, 24, unlimited}) {
      const GroupLimits limits{seed, 17, most == unlimited ? most : std::max(2, most / 2), most};
      std::vector<Graph> graphs{random_graph(1000, 1, seed),
                                random_graph(1000, 700, seed),
                                random_graph(700, 4000, seed),
                                hub(900),
                                sheet(30),
                                chain(1000)};
      for (Graph& graph : graphs) {
        if (seed > 2)
          for (int i = 0; i < graph.items; i += 7) graph.anchored[size_t(i)] = 1;
        std::vector<std::vector<int>> stages(3);
        for (int k = 0; k < int(graph.pairs.size()); ++k) {
          if (k % 3 != 0) stages[0].push_back(k);
          stages[2].push_back(k);
        }
        stages[1] = stages[0];  // nothing new: no nodes
        const Result plain = group(graph, limits, stages, never);
        expect_valid(graph, limits, plain);
        EXPECT_EQ(group(graph, limits, stages, always), plain);
        EXPECT_EQ(group(graph, limits, stages, 60), plain);
        EXPECT_EQ(group(graph, limits, stages, never, !MERGANSER_GPU_HALF), plain);
        EXPECT_EQ(group(graph, limits, stages, always, !MERGANSER_GPU_HALF), plain);
      }
    }
}

/// The same object step after step, as a simulation has it: batches of rounds are replayed with other pairs,
/// items and rounds than they were recorded with.
TEST(MergeGroups, StepAfterStepAsFromTheBeginning) {
  MergeGroups groups;
  groups.set_few_pairs(50);
  for (int step = 0; step < 8; ++step) {
    Graph graph = random_graph(2000 - 37 * step, 3000 - 250 * step, unsigned(step));
    for (int i = 0; i < graph.items; i += 11) graph.anchored[size_t(i)] = 1;
    const GroupLimits limits{1, step, 20, 60};
    std::vector<int> flags(graph.pairs.size());
    for (size_t k = 0; k < flags.size(); ++k) flags[k] = k % 3 != 0;
    const Array<int> id(shuffled_ids(graph.items)), anchored(graph.anchored), some(flags),
        all(std::vector<int>(flags.size(), 1));
    const Array<ItemPair> pairs(graph.pairs);
    groups.begin(id.const_view(), anchored.const_view(), limits);
    for (const Array<int>* wanted : {&some, &all}) {
      groups.merge(pairs.const_view(), wanted->const_view());
      groups.number_groups();
    }
    std::vector<std::vector<int>> stages(2);
    for (int k = 0; k < int(flags.size()); ++k) {
      if (flags[size_t(k)]) stages[0].push_back(k);
      stages[1].push_back(k);
    }
    EXPECT_EQ(result_of(groups), group(graph, limits, stages, 0)) << "step " << step;
  }
}

/// Rounds are few by nature; many merges one after the other fill the list of rounds to near 256, where keys
/// start anew, and the last one goes beyond.
TEST(MergeGroups, HundredsOfRounds) {
  const GroupLimits limits{1, 2, unlimited, unlimited};
  for (const int short_stages : {249, 251, 254}) {
    const Graph graph = chain(2 * short_stages + 1500);
    std::vector<std::vector<int>> stages(size_t(short_stages) + 1);
    for (int stage = 0; stage < short_stages; ++stage)
      for (int k = 0; k <= 2 * stage; ++k) stages[size_t(stage)].push_back(k);
    for (int k = 0; k < int(graph.pairs.size()); ++k) stages.back().push_back(k);
    const Result plain = group(graph, limits, stages, 0);
    EXPECT_GT(plain.rounds(), 256);
    EXPECT_EQ(int(plain.top.size()), 1);
    EXPECT_EQ(group(graph, limits, stages, 1 << 20), plain);
    EXPECT_EQ(group(graph, limits, stages, 100), plain);
  }
}

TEST(MergeGroups, LeftOutPairsAreDrawnAnewEachStep) {
  const Graph graph = sheet(30);
  std::vector<int> left_out(graph.pairs.size(), 0);
  const int steps = 40;
  for (int step = 0; step < steps; ++step) {
    const Result r = group(graph, {1, step, 8, 16});
    for (size_t k = 0; k < graph.pairs.size(); ++k)
      if (r.group_of[size_t(graph.pairs[k].first)] != r.group_of[size_t(graph.pairs[k].second)])
        ++left_out[k];
  }
  // About half of the pairs are left out in each step; for one to be so in all of 40 has a chance near 2^-40.
  EXPECT_LT(*std::max_element(left_out.begin(), left_out.end()), steps);
  EXPECT_GT(*std::min_element(left_out.begin(), left_out.end()), 0);
}

TEST(MergeGroups, LimitsAreDrawnAllOverTheirRange) {
  // A sheet large enough that groups fill up: sizes reach from the least limit to the greatest.
  const Result r = group(sheet(150), {1, 0, 8, 24});
  std::vector<int> of_size(25, 0);
  for (size_t g = 0; g + 1 < r.first.size(); ++g) ++of_size[size_t(r.first[g + 1] - r.first[g])];
  for (int size = 8; size <= 24; ++size) EXPECT_GT(of_size[size_t(size)], 5) << size;
}

TEST(MergeGroups, RoundsGrowWithTheLogarithm) {
  // log2(20000) = 14.3. Measured (the count depends on nothing but seed and step): chain 11, sheet 11, hub 1,
  // hub of hubs 2.
  const std::vector<std::pair<const char*, Graph>> graphs{{"chain", chain(20000)},
                                                          {"sheet", sheet(141)},
                                                          {"hub", hub(20000)},
                                                          {"hub of hubs", hub_of_hubs(141, 141)}};
  for (const auto& [name, graph] : graphs) {
    const Result r = group(graph, {});
    EXPECT_EQ(int(r.top.size()), 1) << name;
    EXPECT_LE(r.rounds(), 24) << name;
    RecordProperty(name, r.rounds());
  }
}

}  // namespace
MERGANSER_END
