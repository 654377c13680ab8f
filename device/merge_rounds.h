#pragma once
/// The kernels of one round of proposals, and their order; merge_groups.h tells what a round does.
#include "device/block_launch.h"
#include "device/merge_groups.h"

MERGANSER_BEGIN

// A key: round (8 bits), random priority (28), place in the list of open pairs + 1 (28). The round makes the
// keys of earlier rounds the lesser ones, so `best` is cleared only every 256 rounds; the place makes keys
// unique.
inline constexpr int place_bits = 28, round_bits = 8;

MERGANSER_FN Word64 proposal_key(int round, std::uint32_t priority, int place) {
  // Finalizer of MurmurHash3 (Appleby, public domain): other random bits in every round from the pair's one
  // draw.
  std::uint32_t bits = priority + 0x9E3779B9u * static_cast<std::uint32_t>(round);
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6Bu;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35u;
  bits ^= bits >> 16;
  return (static_cast<Word64>(round & ((1 << round_bits) - 1)) << 56) |
         (static_cast<Word64>(bits >> 4) << place_bits) | static_cast<Word64>(place + 1);
}
MERGANSER_FN int place_of(Word64 key) { return static_cast<int>(key & ((Word64(1) << place_bits) - 1)) - 1; }

MERGANSER_FN int find_root(View<const int> parent, int item) {
  while (parent[item] != item) item = parent[item];
  return item;
}

/// The joint group, its limit being the one drawn for the smallest id of both.
MERGANSER_FN GroupRoot join(const GroupRoot& a, const GroupRoot& b) {
  const GroupRoot& smaller = a.smallest_id < b.smallest_id ? a : b;
  return {a.size + b.size, smaller.limit, smaller.smallest_id, a.anchored + b.anchored, a.top};
}
MERGANSER_FN bool may_join(const GroupRoot& a, const GroupRoot& b) {
  const GroupRoot joint = join(a, b);
  return joint.size <= joint.limit && joint.anchored <= 1;
}

struct StartItems {
  static constexpr const char* name = "merge groups: start items";
  View<const int> id, anchored;
  GroupLimits limits;
  View<int> parent;
  View<GroupRoot> root;
  View<RoundCount> count;
  View<RoundState> state;
  MERGANSER_METHOD void operator()(int item) const {
    const std::uint32_t bits =
        random_draw(limits.seed, RandomPurpose::group_limit, static_cast<std::uint32_t>(id[item]),
                    static_cast<std::uint64_t>(limits.step))
            .word[0];
    if (item == 0) {
      count[0].nodes = 0;
      state[0].items = id.count;
    }
    parent[item] = item;
    root[item] = {1, uniform_int(bits, limits.least, limits.most), id[item], anchored[item] ? 1 : 0, item};
  }
};

/// The pairs that are wanted, in their order.
struct OpenPairs {
  static constexpr const char* name = "merge groups: open pairs";
  View<const ItemPair> pairs;
  View<const int> wanted, offset, id;  ///< offset: exclusive prefix sum of wanted, with the total
  GroupLimits limits;
  int round;
  View<OpenPair> open;
  View<RoundCount> count;
  View<RoundState> state;
  MERGANSER_METHOD void operator()(int k) const {
    if (k == 0) {
      count[round].open = offset[pairs.count];
      state[0].proposing = round;
    }
    if (!wanted[k]) return;
    const ItemPair pair = pairs[k];
    const int a = id[pair.first], b = id[pair.second];
    const RandomBits bits =
        random_draw(limits.seed, RandomPurpose::pair_priority, static_cast<std::uint32_t>(a < b ? a : b),
                    static_cast<std::uint64_t>(limits.step), static_cast<std::uint32_t>(a < b ? b : a));
    open[offset[k]] = {pair.first, pair.second, bits.word[0]};
  }
};

/// Each open pair finds its two groups; it closes where they are one or can never join, and proposes itself
/// where they fit.
struct Propose {
  static constexpr const char* name = "merge groups: propose";
  View<const RoundCount> count;
  View<const RoundState> state;
  View<const int> parent;
  View<const GroupRoot> root;
  int most;
  View<OpenPair> open;
  View<Word64> best;  ///< per root item, raised
  View<Word64> key;   ///< per open pair, 0 where it does not propose
  View<int> keep, star_of, star_size, accepted;
  MERGANSER_METHOD void operator()(int k) const {
    key[k] = 0;
    keep[k] = 0;
    star_of[k] = -1;
    star_size[k] = 0;
    accepted[k] = 0;
    const int round = state[0].proposing;
    if (k >= count[round].open) return;
    OpenPair pair = open[k];
    pair.first = find_root(parent, pair.first);
    pair.second = find_root(parent, pair.second);
    open[k] = pair;
    if (pair.first == pair.second) return;
    const GroupRoot a = root[pair.first], b = root[pair.second];
    if (a.anchored + b.anchored > 1 || a.size > most - b.size) return;
    keep[k] = 1;
    if (!may_join(a, b)) return;  // a smaller id may still bring a higher limit
    key[k] = proposal_key(round, pair.priority, k);
    atomic_max(&best[pair.first], key[k]);
    atomic_max(&best[pair.second], key[k]);
  }
};

/// A pair that is the greatest of both its groups starts a star; one that is the greatest of one group only
/// follows the star that the other group is in the middle of, if there is one.
struct FormStars {
  static constexpr const char* name = "merge groups: form stars";
  View<const OpenPair> open;
  View<const Word64> key, best;
  View<int> star_of, star_size;
  View<RoundState> state;
  MERGANSER_METHOD void operator()(int k) const {
    if (k == 0) state[0].accepting = state[0].proposing++;
    if (key[k] == 0) return;
    const OpenPair pair = open[k];
    const bool first_best = best[pair.first] == key[k], second_best = best[pair.second] == key[k];
    if (!first_best && !second_best) return;
    int star = k;
    if (!first_best || !second_best) {
      const int middle = first_best ? pair.second : pair.first;
      star = place_of(best[middle]);
      const int other = open[star].first == middle ? open[star].second : open[star].first;
      if (best[other] != best[middle]) return;
    }
    star_of[k] = star;
    atomic_add(&star_size[star], 1);
  }
};

struct ListStars {
  static constexpr const char* name = "merge groups: list stars";
  View<const int> star_of, star_first;
  View<int> star_size;  ///< counted down
  View<int> candidate;  ///< in arbitrary order; AcceptStars sorts it
  MERGANSER_METHOD void operator()(int k) const {
    const int star = star_of[k];
    if (star >= 0) candidate[star_first[star] + atomic_add(&star_size[star], -1) - 1] = k;
  }
};

MERGANSER_FN void sift_down(int* heap, int at, int count, const Word64* key) {
  const int value = heap[at];
  for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && key[heap[child + 1]] < key[heap[child]]) ++child;
    if (key[heap[child]] >= key[value]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

/// Places in descending order of their keys: insertion sort, heap sort for the stars of hubs.
MERGANSER_FN void sort_descending(int* place, int count, const Word64* key) {
  if (count <= 32) {
    for (int i = 1; i < count; ++i) {
      const int value = place[i];
      int j = i;
      for (; j > 0 && key[place[j - 1]] < key[value]; --j) place[j] = place[j - 1];
      place[j] = value;
    }
    return;
  }
  for (int at = count / 2 - 1; at >= 0; --at) sift_down(place, at, count, key);
  for (int last = count - 1; last > 0; --last) {
    const int least = place[0];
    place[0] = place[last];
    place[last] = least;
    sift_down(place, 0, last, key);
  }
}

/// Stars of more candidates are not sorted by one thread where many can rank them.
inline constexpr int sorted_by_one = 32;

/// A candidate's place in a large star is the number of those with greater keys.
struct RankCandidates {
  static constexpr const char* name = "merge groups: rank candidates";
  View<const Word64> key;
  View<const int> star_of, star_first, candidate;
  View<int> ranked;
  MERGANSER_METHOD void operator()(int k) const {
    const int star = star_of[k];
    if (star < 0) return;
    const int first = star_first[star], end = star_first[star + 1];
    if (end - first <= sorted_by_one) return;
    const Word64 own = key[k];
    int place = first;
    for (int c = first; c < end; ++c) place += key[candidate[c]] > own ? 1 : 0;
    ranked[place] = k;
  }
};

/// Each star takes its candidates in the order of their keys as long as they fit. No other star touches these
/// groups.
struct AcceptStars {
  static constexpr const char* name = "merge groups: accept stars";
  View<const OpenPair> open;
  View<const Word64> key, best;
  View<const int> star_of, star_first;
  View<const int> ranked;  ///< pairs of large stars in order; empty: sorted here
  View<int> candidate;     ///< in: pairs; out: for each accepted one the root item that joins
  View<int> accepted;      ///< per pair that leads a star: how many
  View<int> keep, parent;
  View<GroupRoot> root;
  MERGANSER_METHOD void operator()(int k) const {
    if (star_of[k] != k) return;
    int* joined = candidate.data + star_first[k];
    const int* list = joined;
    const int count = star_first[k + 1] - star_first[k];
    if (count > sorted_by_one && !ranked.empty())
      list = ranked.data + star_first[k];
    else
      sort_descending(joined, count, key.data);
    const int middle = open[k].first;
    GroupRoot group = root[middle];
    int taken = 0;
    for (int c = 0; c < count; ++c) {
      const int pair = list[c];
      const bool first_joins = pair != k && best[open[pair].first] == key[pair];
      const int joining = first_joins ? open[pair].first : open[pair].second;
      if (!may_join(group, root[joining])) continue;
      group = join(group, root[joining]);
      parent[joining] = middle;
      keep[pair] = 0;
      joined[taken++] = joining;
    }
    root[middle] = group;
    accepted[k] = taken;
  }
};

struct AddNodes {
  static constexpr const char* name = "merge groups: add nodes";
  View<const RoundState> state;
  View<const int> star_of, star_first, candidate, accepted_first;
  View<const OpenPair> open;
  View<GroupRoot> root;
  View<RoundCount> count;
  View<int> left, right, continues;
  MERGANSER_METHOD void operator()(int k) const {
    const int round = state[0].accepting, first_node = count[round].nodes;
    if (k == 0) count[round + 1].nodes = first_node + accepted_first[accepted_first.count - 1];
    if (star_of[k] != k) return;
    const int middle = open[k].first;
    int top = root[middle].top;
    for (int a = 0; a < accepted_first[k + 1] - accepted_first[k]; ++a) {
      const int node = first_node + accepted_first[k] + a;
      left[node] = top;
      right[node] = root[candidate[star_first[k] + a]].top;
      continues[node] = a > 0 ? 1 : 0;
      top = state[0].items + node;
    }
    root[middle].top = top;
  }
};

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
/// Launches or a Block (block_launch.h).
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
