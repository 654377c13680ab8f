#pragma once
/// Which marked pairs the second stage merges, [MS] sec. 5.1.
#include "device/merge_groups.h"
#include "solvers/coupling/merge_split/merge.h"

MERGANSER_BEGIN

/// Marked pairs that approach at the end of the step, by eq. 22 with the beginning's n, are to be merged as
/// well.
struct FindTurned {
  static constexpr const char* name = "second stage: find turned pairs";
  View<const ItemPair> pairs;
  View<const int> items;
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
    if (!(dot(n, end_velocity[j] - end_velocity[i]) < 0)) return;
    merges[k] = 1;
    if (!turned.empty()) atomic_max(&turned[0], 1);
  }
};

MERGANSER_END
