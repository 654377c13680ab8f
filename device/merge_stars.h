#pragma once
/// Stars of pairs around one group, which a round accepts as far as they fit; see merge_groups.h.
#include "device/merge_proposals.h"

MERGANSER_BEGIN

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

MERGANSER_END
