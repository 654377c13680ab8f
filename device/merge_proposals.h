#pragma once
/// Proposals of the open pairs: the first kernels of a round (merge_rounds.h), and those before the first
/// one.
#include "device/merge_groups.h"

MERGANSER_BEGIN

// A key: round (8 bits), priority (28: the pair's level, then random bits), place in the list of open pairs +
// 1 (28). The round makes the keys of earlier rounds the lesser ones, so `best` is cleared only every 256
// rounds; the place makes keys unique.
inline constexpr int place_bits = 28, round_bits = 8;

/// A pair's level, then its random bits.
MERGANSER_FN std::uint32_t pair_priority(int level, std::uint32_t bits) {
  return static_cast<std::uint32_t>(level) << (32 - pair_level_bits) | bits >> pair_level_bits;
}

MERGANSER_FN Word64 proposal_key(int round, std::uint32_t priority, int place) {
  // Finalizer of MurmurHash3 (Appleby, public domain): other random bits in every round from the pair's one
  // draw.
  std::uint32_t bits = priority + 0x9E3779B9u * static_cast<std::uint32_t>(round);
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6Bu;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35u;
  bits ^= bits >> 16;
  constexpr int level_shift = 32 - pair_level_bits;
  bits = bits >> pair_level_bits | priority >> level_shift << level_shift;
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
  GroupRoot joint{a.size + b.size, smaller.limit, smaller.smallest_id, a.top, {}};
  int count = 0;
  for (const int bound : a.bound)
    if (bound) joint.bound[count++] = bound;
  for (const int bound : b.bound)
    if (bound && count < most_bound) joint.bound[count++] = bound;
  return joint;
}
/// True where what binds their members allows one group. See MergeGroups::begin.
MERGANSER_FN bool compatible(const GroupRoot& a, const GroupRoot& b) {
  int count = 0;
  for (const int bound : a.bound) count += bound != 0;
  for (const int bound : b.bound) {
    if (!bound) break;
    if (++count > most_bound) return false;
    for (const int other : a.bound)
      if (bound == other) return false;
  }
  return true;
}
MERGANSER_FN bool may_join(const GroupRoot& a, const GroupRoot& b) {
  const GroupRoot joint = join(a, b);
  return joint.size <= joint.limit && compatible(a, b);
}

struct StartItems {
  static constexpr const char* name = "merge groups: start items";
  View<const int> id, bound;
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
    root[item] = {1, uniform_int(bits, limits.least, limits.most), id[item], item, {bound[item]}};
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
    open[offset[k]] = {pair.first, pair.second, pair_priority(pair.level, bits.word[0])};
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
    if (!compatible(a, b) || a.size > most - b.size) return;
    keep[k] = 1;
    if (!may_join(a, b)) return;  // a smaller id may still bring a higher limit
    key[k] = proposal_key(round, pair.priority, k);
    atomic_max(&best[pair.first], key[k]);
    atomic_max(&best[pair.second], key[k]);
  }
};

MERGANSER_END
