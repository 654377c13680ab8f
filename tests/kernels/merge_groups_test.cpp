/// Merge groups: limits kept, every pair satisfied or rightly left out, trees that fit the groups, the same
/// bits whatever the threads.
#include <gtest/gtest.h>

#include <set>
#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

#include "tests/support/merge_graphs.h"

MERGANSER_BEGIN
namespace merge_groups_test {

using namespace merge_groups_test;

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

/// A chain of three items where a group takes two: the pair of the higher level is the one that joins,
/// whatever the draw; of equal levels each is at times.
TEST(MergeGroups, HigherLevelsGoFirst) {
  const auto joined_first = [](int first_level, int second_level, unsigned seed) {
    Graph graph;
    graph.items = 3;
    graph.anchored = {0, 0, 0};
    graph.pairs = {{0, 1, first_level}, {1, 2, second_level}};
    const Result r = group(graph, {seed, 5, 2, 2});
    EXPECT_EQ(r.top.size(), 1u);
    return r.group_of[0] >= 0;
  };
  int first_of_equal = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    EXPECT_TRUE(joined_first(1, 0, seed)) << seed;
    EXPECT_FALSE(joined_first(most_pair_level - 1, most_pair_level, seed)) << seed;
    first_of_equal += joined_first(3, 3, seed);
  }
  EXPECT_GT(first_of_equal, 5);
  EXPECT_LT(first_of_equal, 35);
}

/// Particles of rigid bodies: a group has at most most_bound items that are bound, and never two of one body;
/// a pair that is in no group would break a rule.
TEST(MergeGroups, BoundItemsOfOneBodyNeverMeet) {
  Graph graph = random_graph(600, 1500, 11);
  for (int i = 0; i < graph.items; ++i) graph.anchored[size_t(i)] = i % 3 == 0 ? 0 : 1 + i % 7;
  const GroupLimits limits{1, 5, 6, 12};
  for (int few_pairs : {0, 1 << 20}) {
    std::vector<int> all(graph.pairs.size());
    std::iota(all.begin(), all.end(), 0);
    const Result r = group(graph, limits, {all}, few_pairs);
    const auto id = shuffled_ids(graph.items);
    const auto members = [&](int item) {
      std::vector<int> of_item{item};
      if (const int g = r.group_of[size_t(item)]; g >= 0)
        of_item.assign(r.member.begin() + r.first[size_t(g)], r.member.begin() + r.first[size_t(g) + 1]);
      return of_item;
    };
    const auto allowed = [&](const std::vector<int>& items) {
      std::set<int> bodies;
      int least = unlimited, bound = 0;
      for (int i : items) {
        least = std::min(least, id[size_t(i)]);
        if (graph.anchored[size_t(i)]) bodies.insert(graph.anchored[size_t(i)]), ++bound;
      }
      return int(items.size()) <= drawn_limit(limits, least) && bound <= most_bound &&
             int(bodies.size()) == bound;
    };
    for (int i = 0; i < graph.items; ++i) EXPECT_TRUE(allowed(members(i))) << i;
    for (const ItemPair& pair : graph.pairs) {
      const int a = r.group_of[size_t(pair.first)];
      if (a >= 0 && a == r.group_of[size_t(pair.second)]) continue;
      std::vector<int> both = members(pair.first);
      for (int i : members(pair.second)) both.push_back(i);
      EXPECT_FALSE(allowed(both)) << pair.first << " " << pair.second;
    }
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

}  // namespace merge_groups_test
MERGANSER_END
