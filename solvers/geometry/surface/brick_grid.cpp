#include "solvers/geometry/surface/brick_grid.h"

#include "device/compact.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {

constexpr int key_bits = 63;

/// 1 where a sorted candidate is the first of its kind and not among the bricks yet.
struct FlagNewBricks {
  static constexpr const char* name = "surface flag new bricks";
  View<const Word64> candidate, present;
  View<int> flag;
  MERGANSER_METHOD void operator()(int i) const {
    const Word64 key = candidate[i];
    const bool first = i == 0 || candidate[i - 1] != key;
    bool held = false;
    if (first) {
      const int at = lower_bound_of(present, key);
      held = at < present.count && present[at] == key;
    }
    flag[i] = first && !held;
  }
};

struct AppendBricks {
  static constexpr const char* name = "surface append bricks";
  View<const Word64> candidate;
  View<const int> selected;
  int before;
  View<Word64> key;
  MERGANSER_METHOD void operator()(int i) const { key[before + i] = candidate[selected[i]]; }
};

struct CopyKeys {
  static constexpr const char* name = "surface copy keys";
  View<const Word64> key;
  View<Word64> sorted;
  View<int> slot;
  MERGANSER_METHOD void operator()(int i) const {
    sorted[i] = key[i];
    slot[i] = i;
  }
};

/// One search per row of three bricks along x, which lie next to each other in the order.
struct FindNeighbors {
  static constexpr const char* name = "surface brick neighbors";
  View<const Word64> key;
  View<int> neighbors;
  MERGANSER_METHOD void operator()(int rank) const {
    const Int3 brick = brick_of_key(key[rank]);
    for (int row = 0; row < 9; ++row) {
      int* out = neighbors.data + 27 * size_t(rank) + 3 * row;
      out[0] = out[1] = out[2] = -1;
      const Int3 first{brick.x - 1, brick.y + row % 3 - 1, brick.z + row / 3 - 1};
      const Word64 wanted = brick_key(first);
      for (int at = row == 4 && rank > 0 ? rank - 1 : lower_bound_of(key, wanted);
           at < key.count && key[at] <= wanted + 2; ++at)
        if (key[at] >= wanted) out[key[at] - wanted] = at;
    }
  }
};

}  // namespace

void BrickGrid::clear() {
  key_.clear();
  sorted_key_.clear();
  sorted_slot_.clear();
}

int BrickGrid::add(Array<Word64>& candidates) {
  const int count = candidates.size();
  flag_.resize(count);
  selected_.resize(count);
  count_.resize(1);
  stable_sort_by_key(candidates.view(), selected_.view(), scratch_, key_bits);
  launch(count, FlagNewBricks{candidates.const_view(), sorted_key_.const_view(), flag_.view()});
  compact_indices(flag_.view(), selected_.view(), count_.view(), offsets_, scratch_);
  const int added = count > 0 ? read_back(count_.const_view(), 0) : 0;
  if (added == 0) return 0;
  const int before = key_.size();
  key_.resize(before + added);
  launch(added, AppendBricks{candidates.const_view(), selected_.const_view(), before, key_.view()});
  sorted_key_.resize(key_.size());
  sorted_slot_.resize(key_.size());
  launch(key_.size(), CopyKeys{key_.const_view(), sorted_key_.view(), sorted_slot_.view()});
  if (before > 0) stable_sort_by_key(sorted_key_.view(), sorted_slot_.view(), scratch_, key_bits);
  neighbors_.resize(27 * key_.size());
  launch(key_.size(), FindNeighbors{sorted_key_.const_view(), neighbors_.view()});
  return added;
}

MERGANSER_END
