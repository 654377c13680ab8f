#pragma once
/// Which marked pairs the second stage merges, [MS] sec. 5.1.
#include "device/merge_groups.h"
#include "solvers/merge_split/merge.h"

MERGANSER_BEGIN

/// Marked pairs that approach at the end of the step, by eq. 22 with the beginning's n.
struct FindTurned {
  static constexpr const char* name = "second stage: find turned pairs";
  View<const ItemPair> pairs;
  View<const int> items;
  View<const Vec3> position, end_velocity;
  Vec3 period;
  View<const int> merges;
  View<int> turned;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = items[pairs[k].first], j = items[pairs[k].second];
    const Vec3 n = nearest_image(position[j] - position[i], period);
    turned[k] = !merges[k] && dot(n, end_velocity[j] - end_velocity[i]) < 0 ? 1 : 0;
  }
};

struct AddTurned {
  static constexpr const char* name = "second stage: add turned pairs";
  View<const int> turned;
  View<int> merges;
  MERGANSER_METHOD void operator()(int k) const { merges[k] |= turned[k]; }
};

MERGANSER_END
