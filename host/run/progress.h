#pragma once
/// Progress of a run on stderr: one line that renews itself on a terminal, start and end lines elsewhere,
/// nothing when quiet.
#include <chrono>
#include <string>

#include "host/simulation/simulation.h"
#include "host/terminal_line.h"
#include "solvers/geometry/relaxation/relaxed_sampling.h"

namespace merganser {

class Progress {
 public:
  enum class Mode { quiet, plain, terminal };
  /// plain or terminal, as stderr is.
  static Mode mode_of_stderr(bool quiet);

  /// The goal is a time [s] or, where it is not negative, a number of steps, whichever comes first.
  Progress(Mode mode, double end_time, long long end_step);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After every step; renews the line a few times a second.
  void update(const StepStatistics& row, int particles);
  /// "merganser: <text>" on a line of its own, unless quiet.
  void say(const std::string& text);
  /// The same, even when quiet.
  void insist(const std::string& text);
  /// Line of the present state.
  std::string line(const StepStatistics& row, int particles, double particle_steps_per_second,
                   double seconds_left) const;

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  Mode mode_;
  double end_time_;
  long long end_step_;
  bool visible_ = false;
  // Speed over the recent past: sums that fade with a time constant of some seconds.
  Clock::time_point last_update_ = Clock::now(), last_shown_{};
  double last_done_ = -1;
  double faded_seconds_ = 0, faded_done_ = 0, faded_particle_steps_ = 0;
  double done(const StepStatistics& row) const;
};

/// The same of particles that are relaxed, an OnRelaxation: how far they still move, and the time left if
/// they do not settle before.
class RelaxationLine {
 public:
  explicit RelaxationLine(Progress::Mode mode) : mode_(mode) {}
  void operator()(const RelaxationProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  std::string relaxing_text(const RelaxationProgress& progress) const;
  Progress::Mode mode_;
  Clock::time_point start_{};
};

}  // namespace merganser
