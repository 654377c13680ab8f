#include "device/compact.h"

#include "device/launch.h"

MERGANSER_BEGIN

namespace {
struct ScatterSelected {
  static constexpr const char* name = "compact scatter";
  View<const int> flags;
  View<const int> offsets;
  View<int> selected;
  View<int> total;
  MERGANSER_METHOD void operator()(int i) const {
    if (flags[i]) selected[offsets[i]] = i;
    if (i == flags.count - 1) total[0] = offsets[flags.count];
  }
};
}  // namespace

void compact_indices(View<const int> flags, View<int> selected, View<int> count, Array<int>& offsets,
                     Scratch& scratch) {
  if (flags.count == 0) {
    fill_zero(count.data, sizeof(int));
    return;
  }
  offsets.resize(flags.count + 1);
  exclusive_scan(flags, offsets.view(), scratch);
  launch(flags.count, ScatterSelected{flags, offsets.view(), selected, count});
}

MERGANSER_END
