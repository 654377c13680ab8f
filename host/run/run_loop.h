#pragma once
/// The loop of a run: steps, frames, rows of statistics, checkpoints, and what is left behind at every way
/// out.
#include <chrono>
#include <optional>
#include <string>

#include "host/checks/run_checks.h"
#include "host/output/frame_writer.h"
#include "host/output/statistics.h"
#include "host/run/progress.h"
#include "host/run/run_start.h"
#include "host/run/stop_signals.h"
#include "host/run/summary.h"

namespace merganser {

/// Says what the checks of a finished run say, failed ones even when quiet; returns the exit code.
int report_checks(const std::vector<CheckResult>& checks, Progress& progress);

class RunLoop {
 public:
  using Clock = std::chrono::steady_clock;
  /// Everything is kept by reference. Loads the checkpoint of `start` into the simulation. `began`: of the
  /// session.
  RunLoop(const RunOptions& options, const RunStart& start, const InitialState& initial, const Device& device,
          Simulation& simulation, Progress& progress, const StopSignals& signals, Clock::time_point began);

  /// Runs to the goal or until it is asked to stop. Returns the exit code; throws Error after the summary has
  /// been written.
  int execute();

 private:
  void load(const FoundCheckpoint& found);
  void write_earlier_frames(const StateArchive& run);
  std::string advance();
  int due_frame() const;
  void step();
  void write_rows(const StepStatistics& row);
  void write_frame();
  bool out_of_wall_time() const;
  void warn_of_no_step();
  void wait_for_frames(void (FrameWriter::*wait)());
  void save_checkpoint();
  void write_state();
  void keep_scene();
  void look_at_simulation();
  void write_summary(const std::string& reason, int exit_code, const std::string& message = "");
  void report(const std::string& reason);
  bool row_is_due(long long step) const;
  bool note_warning(const std::string& warning);
  void announce(const std::string& warning);
  std::vector<std::string> warnings_so_far() const;
  void tell_warnings();
  void announce_losses();
  void announce_interval();
  std::string where_to_go_on() const;
  [[noreturn]] void fail(const Error& error);

  const RunOptions& options_;
  const RunStart& start_;
  Simulation& simulation_;
  Progress& progress_;
  const StopSignals& signals_;
  const Clock::time_point began_;
  RunChecks checks_;
  long long interval_;  ///< steps from one row of statistics to the next
  FrameWriter frames_;
  TableFile statistics_;
  std::optional<TableFile> probes_;  ///< where the scene has some
  long long probe_rows_ = 0;
  RunTotals totals_;
  std::vector<std::string> shown_;  ///< warnings_so_far() when they were told last
  bool scene_changed_ = false;      ///< by someone else, and said
  StepStatistics newest_;           ///< of the last step; step 0 where none was done in this session
  Summary summary_;
  Clock::time_point last_checkpoint_;
  double step_seconds_ = 0, checkpoint_seconds_ = 0;  ///< of the last one
};

}  // namespace merganser
