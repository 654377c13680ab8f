#pragma once
/// The sparse grid: bricks of 4 x 4 x 4 points where the surface may pass, and nothing elsewhere. Grid point
/// (i, j, k) lies at (i, j, k) cell; brick b holds points 4 b to 4 b + 3.
#include "device/array.h"
#include "device/launch.h"
#include "device/scan.h"
#include "solvers/geometry/surface/brick_words.h"

MERGANSER_BEGIN

/// Places of grid points.
struct BrickLattice {
  float cell;  ///< [m]
  MERGANSER_METHOD Vec3 position(const Int3& point) const {
    return {float(point.x) * cell, float(point.y) * cell, float(point.z) * cell};
  }
  MERGANSER_METHOD static Int3 point(const Int3& brick, int bit) {
    return {brick_side * brick.x + (bit & 3), brick_side * brick.y + (bit >> 2 & 3),
            brick_side * brick.z + (bit >> 4)};
  }
};

class BrickGrid {
 public:
  void clear();
  /// Adds the bricks of `candidates` (any order, any number of times) that are not there yet, in ascending
  /// order, behind the others. Changes `candidates`. Returns how many. Blocking.
  int add(Array<Word64>& candidates);
  int count() const { return key_.size(); }
  /// Keys by slot: the order in which bricks were added.
  View<const Word64> key() const { return key_.view(); }
  /// Keys in ascending order, and the slot of each.
  View<const Word64> sorted_key() const { return sorted_key_.view(); }
  View<const int> sorted_slot() const { return sorted_slot_.view(); }
  /// Ranks (places in ascending order) of a brick's 27 neighbors, -1 where there is none, by its own rank:
  /// neighbors()[27 rank + n], n as in neighbor_offset().
  View<const int> neighbors() const { return neighbors_.view(); }

 private:
  Array<Word64> key_, sorted_key_;
  Array<int> sorted_slot_, neighbors_, flag_, selected_, count_, offsets_;
  Scratch scratch_;
};

/// First index with sorted[index] >= key.
MERGANSER_FN int lower_bound_of(View<const Word64> sorted, Word64 key) {
  int low = 0, high = sorted.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted.data[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

MERGANSER_END
