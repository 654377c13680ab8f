#pragma once
/// Groups of merged items: from a list of pairs to groups of limited size and to one binary merge tree per
/// group. Conflict-free, capped, and the same bits for any number of threads.
///
/// Items are 0 .. item_count-1. Rounds of proposals: every pair that is still open, lies between two groups
/// and fits the limit proposes itself to both groups with a 64-bit key, random priority above pair index.
/// Each group keeps its greatest key. A pair that is the greatest of both its groups is accepted; then the
/// other groups whose greatest key leads to one of these two follow in the order of their keys, as long as
/// they fit. (Without followers a group with many neighbors would take one of them a round.) The accepted
/// pairs of such a star become consecutive nodes of the tree, the star's first node marked: one thread merges
/// them in ascending order and splits them in descending order. Nodes of a round are consecutive, so merging
/// walks the rounds forward and splitting walks them back.
#include <vector>

#include "device/array.h"
#include "device/atomics.h"
#include "device/launch_graph.h"
#include "device/random.h"
#include "device/scan.h"

MERGANSER_BEGIN

/// Levels of pairs: of those that a group cannot all take, pairs of a higher level go first.
inline constexpr int pair_level_bits = 3, most_pair_level = (1 << pair_level_bits) - 1;
/// Two items that shall join the same group.
struct ItemPair {
  int first, second;
  int level = 0;  ///< at most most_pair_level
};
/// Numbers of pairs and items.
struct PairCount {
  int pairs = 0, items = 0;
};

/// Greatest size of a group. Each group has its own limit, uniform in [least, most], drawn for (seed, the
/// smallest id among its members, step); two groups join if their joint size is within the limit of the joint
/// group.
struct GroupLimits {
  std::uint32_t seed = 0;
  long long step = 0;
  int least = 0x7fffffff, most = 0x7fffffff;
};

/// The merge trees. A vertex v < item_count is an item, any other is node v - item_count.
struct MergeTreeView {
  int item_count = 0;
  int node_count = 0;
  View<const int> left, right;  ///< per node: the two vertices it joins
  View<const int>
      continues;  ///< per node: 0 = first of its star, 1 = belongs to the star of the node before it
};

/// Groups of two and more items, in the order of their root items.
struct ItemGroupsView {
  View<const int> group_of;  ///< per item: its group, or -1
  View<const int> first;     ///< per group, one more at the end
  View<const int>
      member;           ///< items, ascending within a group; behind first[group_count] those that are alone
  View<const int> top;  ///< per group: the tree's topmost vertex
  int group_count = 0;
};

/// Members of a group that may be bound, see MergeGroups::begin.
inline constexpr int most_bound = 4;
/// A group while groups grow, kept at its root item.
struct GroupRoot {
  int size, limit, smallest_id;
  int top;                ///< topmost vertex of its tree
  int bound[most_bound];  ///< of its members that are bound, then zeros
};
/// A pair that may still be accepted.
struct OpenPair {
  int first, second;       ///< root items of both groups
  std::uint32_t priority;  ///< level and random bits of the pair; every round mixes the latter anew
};
/// Counts after a round, on the device.
struct RoundCount {
  int open, nodes;
  int groups;     ///< after the last round that was read
  PairCount all;  ///< before the first round of a merge_counted_on_device()
};
/// Progress of the rounds, on the device, so that a recorded sequence of launches can be replayed.
struct RoundState {
  int items;
  int proposing, accepting;  ///< number of the round that proposes, and of the one that accepts
};
struct MergeWork;
struct NumberingWork;

class MergeGroups {
 public:
  /// Every item alone. `id` (unique) keys all draws. `bound`: 0 for an item that is free, else a positive
  /// number; of the items with the same number no two may join the same group, and no group has more than
  /// most_bound that are bound. `id` and `bound` must stay valid until the last merge() or number_groups().
  void begin(View<const int> id, View<const int> bound, const GroupLimits& limits);
  /// Joins groups along the pairs with wanted[k] = 1 (else 0), starting from the groups as they are; may be
  /// called again with more pairs (name those left out before once more: a larger group may have a higher
  /// limit). Returns the number of nodes added. Blocking: reads back how the rounds went; once where pairs
  /// are few.
  int merge(View<const ItemPair> pairs, View<const int> wanted);
  /// The first merge() after a begin(), of pairs and items whose numbers only the device knows: the views,
  /// and those of begin(), are room for them. Nothing happens where they do not suffice or there is no pair;
  /// else items are as many as `count` says from here on. Returns the numbers. Needs in_one_launch() of the
  /// room. Blocking: reads back how the rounds went and both numbers at once.
  PairCount merge_counted_on_device(View<const ItemPair> pairs, View<const int> wanted,
                                    View<const PairCount> count);
  /// Numbers the groups and lists their members. Blocks only where the last merge() did not count groups.
  void number_groups();
  /// Up to this many pairs all rounds and the numbering are one launch; 0: never. The same groups either way.
  void set_few_pairs(int most) { few_pairs_ = most; }
  /// True: candidates of large stars are ranked by a thread each, else sorted by one. The same groups either
  /// way. Before the first merge().
  void set_ranks_stars(bool on) { ranks_stars_ = on; }
  PairCount most_in_one_launch() const { return {few_pairs_, 2 * few_pairs_}; }
  bool in_one_launch(int pairs) const { return pairs <= few_pairs_ && item_count_ <= 2 * few_pairs_; }

  MergeTreeView tree() const;
  /// As of the last number_groups().
  ItemGroupsView groups() const;
  /// First node of every round that accepted something, and the number of nodes at the end.
  const std::vector<int>& round_first() const { return round_first_; }
  /// The same on the device: [r].nodes is the first node of round r.
  View<const RoundCount> round_count() const { return round_count_.view(); }

 private:
  void start();
  void reserve_pairs(int count);
  void reserve_groups();
  MergeWork work();
  NumberingWork numbering();
  /// Roots of the groups as they are; the number of groups is the last of group_index_.
  void find_roots();
  void merge_by_launches(View<const ItemPair> pairs, View<const int> wanted);
  /// From round `round` on; `opens`: `wanted` of the pairs are to be opened. May number the groups as well.
  /// `count`: see merge_counted_on_device(); else empty.
  PairCount merge_in_block(View<const ItemPair> pairs, View<const int> wanted, bool opens, int round,
                           bool numbers, View<const PairCount> count = {});
  /// Rounds from `round` on as far as without a reading, over the first `open` pairs; on the GPU eight, as
  /// one launch graph.
  void run_batch(int round, int open);
  LaunchKey batch_key(int bound) const;
  bool note_round(const RoundCount& after);

  /// On a GPU a launch takes some microseconds, as long as a phase over some thousand pairs in one block.
  int few_pairs_ = MERGANSER_GPU_HALF ? 4096 : 0;
  bool ranks_stars_ = MERGANSER_GPU_HALF;
  int item_count_ = 0;
  GroupLimits limits_;
  Array<int> parent_;      ///< per item, towards the root item
  Array<GroupRoot> root_;  ///< per item, valid at root items
  Array<Word64> best_;     ///< per root item: greatest key of this round
  View<const int> id_, bound_;
  bool started_ = false;  ///< false: every item is alone, but that is not written yet
  std::vector<int> round_first_{0};
  Array<RoundCount> round_count_;  ///< after round r at r + 1
  Array<RoundState> state_;

  Array<OpenPair> open_, still_open_;
  Array<Word64> key_;  // per open pair
  Array<int> keep_, keep_offset_, star_of_, star_size_, star_first_, candidate_, accepted_, accepted_first_;
  Array<int> ranked_;                    // per open pair; empty where stars are not ranked
  Array<int> left_, right_, continues_;  // per node
  Array<int> group_flag_, group_index_, group_size_, root_of_, group_of_, first_, member_, top_, scattered_;
  Array<unsigned> sort_key_;
  int group_count_ = 0;
  bool numbered_ = false;     ///< the groups as they are
  bool roots_found_ = false;  ///< of the groups as they are, by find_roots(); group_count_ is their number
  Scratch scratch_;
  LaunchGraph graph_;
};

MERGANSER_END
