#include "host/benchmark/time_left.h"

#include <algorithm>
#include <numeric>

namespace merganser {

void TimeLeft::case_done(double seconds) {
  done_seconds_ += seconds;
  if (done_ < costs_.size()) done_cost_ += costs_[done_];
  ++done_;
}

double TimeLeft::seconds(double seconds, double measured, double share) const {
  if (done_ >= costs_.size()) return 0;
  const double cost = costs_[done_];
  double whole;  // of this case
  if (share > 0)
    whole = seconds + measured / share * (1 - share);
  else if (done_cost_ > 0)
    whole = std::max(seconds, done_seconds_ / done_cost_ * cost);
  else
    return -1;
  const double rate = (done_seconds_ + whole) / (done_cost_ + cost);
  const double others = std::accumulate(costs_.begin() + std::ptrdiff_t(done_) + 1, costs_.end(), 0.0);
  return whole - seconds + rate * others;
}

}  // namespace merganser
