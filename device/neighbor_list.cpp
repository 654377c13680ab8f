#include "device/neighbor_list.h"

#include <string>

#include "device/sum_of.h"

MERGANSER_BEGIN

namespace {
struct SumCounts {
  static constexpr const char* name = "neighbor list total";
  View<const int> count;
  MERGANSER_METHOD long long operator()(int i) const { return count[i]; }
};
}  // namespace

void NeighborList::make_rows() {
  const View<const int> counts = first_.const_view().subview(0, first_.size() - 1);
  total_.run(counts.count, sum_of(SumCounts{counts}));
  const long long total = total_.read();
  if (total > 0x7fffffff)
    throw DeviceError("neighbor lists of " + std::to_string(total) + " entries for " +
                      std::to_string(counts.count) +
                      " particles; use a smaller radius or a lower --resolution");
  exclusive_scan(counts, first_.view(), scratch_);
  neighbor_.resize(static_cast<int>(total));
}

MERGANSER_END
