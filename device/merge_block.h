#pragma once
/// All rounds of proposals and the numbering of groups in one launch, for some thousand pairs: the plain
/// rounds of merge_rounds.h, one after the other in one block, which decides by itself when the last one is
/// done.
#include "device/merge_numbering.h"

MERGANSER_BEGIN

struct ClearBest {
  static constexpr const char* name = "merge groups: clear best";
  View<Word64> best;
  MERGANSER_METHOD void operator()(int item) const { best[item] = 0; }
};

struct NoteCounts {
  static constexpr const char* name = "merge groups: note counts";
  View<const PairCount> counted;
  int round;
  View<RoundCount> count;
  MERGANSER_METHOD void operator()(int) const { count[round].all = counted[0]; }
};

/// Rounds of pairs in one block: from `round` on, before `end_round` in any case. After the last round (one
/// that accepted nothing or left nothing open), if it comes so early, groups are numbered.
struct MergeInBlock {
  static constexpr const char* name = "merge groups: all rounds";
  bool starts;  ///< every item is alone before
  bool opens;   ///< false: goes on with the pairs that are open
  View<const ItemPair> pairs;
  View<const int> wanted, id, bound;
  View<const PairCount> counted;  ///< empty, or how many pairs and items there are in the views' room
  GroupLimits limits;
  int round, end_round;
  View<OpenPair> open, still_open;
  MergeWork work;
  bool numbers;  ///< whether groups are numbered at the end
  NumberingWork numbering;

  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const {
    int at = round;
    PairCount all{pairs.count, id.count};
    if (!counted.empty()) {
      all = counted[0];
      phases.run(1, NoteCounts{counted, at, work.count});
      if (all.pairs == 0 || all.pairs > pairs.count || all.items > id.count) return;
    }
    const View<const int> items = id.subview(0, all.items);
    if (starts)
      phases.run(all.items, StartItems{items, bound, limits, work.parent, work.root, work.count, work.state});
    if (opens) {
      const View<const ItemPair> those = pairs.subview(0, all.pairs);
      const View<int> offset = work.keep_offset.subview(0, all.pairs + 1);
      phases.scan(wanted.subview(0, all.pairs), offset);
      phases.run(all.pairs,
                 OpenPairs{those, wanted, offset, items, limits, at, open, work.count, work.state});
    }
    View<OpenPair> now = open, next = still_open;
    int left = work.count[at].open, added = 1;
    for (; left > 0 && added > 0 && at < end_round; ++at) {
      if (at % (1 << round_bits) == 0) phases.run(all.items, ClearBest{work.best});
      run_round(work, left, now, next, phases);
      left = work.count[at + 1].open;
      added = work.count[at + 1].nodes - work.count[at].nodes;
      const View<OpenPair> exchanged = now;
      now = next;
      next = exchanged;
    }
    if (numbers && !(left > 0 && added > 0)) number_in_block(work, numbering.of(all.items), at, phases);
  }
};

MERGANSER_END
