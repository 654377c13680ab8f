#pragma once
/// One round of proposals; merge_groups.h tells what a round does.
#include "device/block_phases.h"
#include "device/merge_stars.h"

MERGANSER_BEGIN

struct KeepOpenPairs {
  static constexpr const char* name = "merge groups: keep open pairs";
  View<const OpenPair> open;
  View<const int> keep, offset;
  View<OpenPair> still_open;
  View<RoundCount> count;
  View<const RoundState> state;
  MERGANSER_METHOD void operator()(int k) const {
    if (keep[k]) still_open[offset[k]] = open[k];
    if (k == 0) count[state[0].accepting + 1].open = offset[offset.count - 1];
  }
};

/// Memory of the rounds. Views of pairs have room for all that were open at first.
struct MergeWork {
  int most;  ///< greatest limit of all groups
  View<int> parent;
  View<GroupRoot> root;
  View<Word64> best;
  View<Word64> key;
  View<int> keep, keep_offset, star_of, star_size, star_first, candidate, accepted, accepted_first;
  View<int> ranked;  ///< as AcceptStars has it
  View<int> left, right, continues;
  View<RoundCount> count;
  View<RoundState> state;
};

/// The next round over the first `bound` open pairs, of which there may be fewer (see RoundCount). `phases`:
/// Launches or a Block (block_phases.h).
MERGANSER_EITHER_SIDE
template <class Phases>
MERGANSER_METHOD void run_round(const MergeWork& work, int bound, View<OpenPair> open,
                                View<OpenPair> still_open, Phases& phases) {
  const int n = bound;
  const View<int> keep = work.keep.subview(0, n), star_of = work.star_of.subview(0, n),
                  star_size = work.star_size.subview(0, n), accepted = work.accepted.subview(0, n);
  const View<int> star_first = work.star_first.subview(0, n + 1),
                  accepted_first = work.accepted_first.subview(0, n + 1),
                  keep_offset = work.keep_offset.subview(0, n + 1);
  phases.run(n, Propose{.count = work.count,
                        .state = work.state,
                        .parent = work.parent,
                        .root = work.root,
                        .most = work.most,
                        .open = open,
                        .best = work.best,
                        .key = work.key,
                        .keep = keep,
                        .star_of = star_of,
                        .star_size = star_size,
                        .accepted = accepted});
  phases.run(n, FormStars{.open = open,
                          .key = work.key,
                          .best = work.best,
                          .star_of = star_of,
                          .star_size = star_size,
                          .state = work.state});
  phases.scan(star_size, star_first);
  phases.run(
      n,
      ListStars{
          .star_of = star_of, .star_first = star_first, .star_size = star_size, .candidate = work.candidate});
  if (!work.ranked.empty())
    phases.run(n, RankCandidates{.key = work.key,
                                 .star_of = star_of,
                                 .star_first = star_first,
                                 .candidate = work.candidate,
                                 .ranked = work.ranked});
  phases.run(n, AcceptStars{.open = open,
                            .key = work.key,
                            .best = work.best,
                            .star_of = star_of,
                            .star_first = star_first,
                            .ranked = work.ranked,
                            .candidate = work.candidate,
                            .accepted = accepted,
                            .keep = keep,
                            .parent = work.parent,
                            .root = work.root});
  phases.scan(accepted, accepted_first);
  phases.run(n, AddNodes{.state = work.state,
                         .star_of = star_of,
                         .star_first = star_first,
                         .candidate = work.candidate,
                         .accepted_first = accepted_first,
                         .open = open,
                         .root = work.root,
                         .count = work.count,
                         .left = work.left,
                         .right = work.right,
                         .continues = work.continues});
  phases.scan(keep, keep_offset);
  phases.run(n, KeepOpenPairs{.open = open,
                              .keep = keep,
                              .offset = keep_offset,
                              .still_open = still_open,
                              .count = work.count,
                              .state = work.state});
}

MERGANSER_END
