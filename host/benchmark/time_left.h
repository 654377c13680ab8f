#pragma once
/// Estimate of the time left for a set of benchmark cases.
#include <cstddef>
#include <vector>

namespace merganser {

/// Cases cost what is expected of them, in any one unit; what a unit takes [s] is learnt from the cases that
/// are done and from the share of the one that runs.
class TimeLeft {
 public:
  explicit TimeLeft(std::vector<double> costs) : costs_(std::move(costs)) {}

  size_t cases() const { return costs_.size(); }
  size_t cases_done() const { return done_; }
  void case_done(double seconds);
  /// [s] for the rest of the case that runs and for those that follow, -1 = not known yet. The case has run
  /// for `seconds`, the last `measured` of them through `share` of its steps; a share of 0: it is set up.
  double seconds(double seconds, double measured, double share) const;

 private:
  std::vector<double> costs_;
  size_t done_ = 0;
  double done_seconds_ = 0, done_cost_ = 0;
};

}  // namespace merganser
