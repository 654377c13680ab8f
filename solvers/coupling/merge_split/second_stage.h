#pragma once
/// Selection of the marked pairs that the second stage merges, [MS] sec. 5.1.
#include "device/merge_groups.h"
#include "solvers/coupling/merge_split/contact_search.h"

MERGANSER_BEGIN

/// Marked pairs that approach at the end of the step, by eq. 22 with the beginning's n, are to be merged as
/// well.
struct FindTurned {
  static constexpr const char* name = "second stage: find turned pairs";
  View<const ItemPair> pairs;
  View<const int> items;
  View<const ContactSystem> systems;
  View<const int> system;  ///< per particle
  View<const Vec3> position, end_velocity;
  Vec3 period;
  View<const int> merged;  ///< 1 = merged in an earlier stage
  View<int> merges;        ///< 1 = merged in this stage or an earlier one, written; may be `merged`
  View<int> turned;        ///< [0] = 1 where there is one, 0 before; empty where nobody asks
  MERGANSER_METHOD void operator()(int k) const {
    merges[k] = merged[k];
    if (merged[k]) return;
    const int i = items[pairs[k].first], j = items[pairs[k].second];
    const Vec3 n = nearest_image(position[j] - position[i], period);
    if (!approaches(n, end_velocity[j] - end_velocity[i], systems[system[i]], systems[system[j]])) return;
    merges[k] = 1;
    if (!turned.empty()) atomic_max(&turned[0], 1);
  }
};

/// Pairs of groups of two that the group holds together against what would part them, from the impulses [N s]
/// that the groups gave to the particles: they are let go, once a step.
struct FindPulled {
  static constexpr const char* name = "second stage: find pulled pairs";
  View<const ItemPair> pairs;
  View<const int> items;
  View<const Vec3> position, impulse;
  View<const int> group_of;     ///< per particle
  View<const int> group_first;  ///< per group
  Vec3 period;
  View<const int> merged;  ///< 1 = merged in an earlier stage
  View<int> merges;        ///< 0 where let go, else `merged`; written; may be `merged`
  View<int> released;      ///< 1 = let go in this step; updated
  View<int> pulled;        ///< [0] = 1 where there is one, 0 before
  MERGANSER_METHOD void operator()(int k) const {
    merges[k] = merged[k];
    if (!merged[k] || released[k]) return;
    const int i = items[pairs[k].first], j = items[pairs[k].second], group = group_of[i];
    if (group < 0 || group_of[j] != group || group_first[group + 1] - group_first[group] != 2) return;
    const Vec3 n = nearest_image(position[j] - position[i], period), given = impulse[i] - impulse[j];
    if (!(dot(given, n) > 1e-3f * norm(given) * norm(n))) return;
    merges[k] = 0;
    released[k] = 1;
    atomic_max(&pulled[0], 1);
  }
};

MERGANSER_END
