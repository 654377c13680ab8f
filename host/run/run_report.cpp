/// Closing report of a run: the summary, the last lines, what is lost, what an error leaves to continue
/// from.
#include <fmt/format.h>

#include <algorithm>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/run/run_loop.h"

namespace merganser {
namespace {

std::string exit_reason(const Error& error) {
  switch (error.exit_code()) {
    case 3:
      return "device error";
    case 4:
      return "diverged";
    case 5:
      return "file error";
    default:
      return "error";
  }
}

}  // namespace

int report_checks(const std::vector<CheckResult>& checks, Progress& progress) {
  for (const CheckResult& check : checks) {
    if (check.passed)
      progress.say(RunChecks::describe(check));
    else
      progress.insist(RunChecks::describe(check));
  }
  return RunChecks::failures(checks).empty() ? 0 : failed_check_exit_code;
}

/// In the summary of this session and later ones. False where it is there already.
bool RunLoop::note_warning(const std::string& warning) {
  std::vector<std::string>& all = summary_.warnings;
  if (std::find(all.begin(), all.end(), warning) != all.end()) return false;
  all.push_back(warning);
  return true;
}

/// Once a run: on stderr, whatever is asked, and in the summary.
void RunLoop::announce(const std::string& warning) {
  if (note_warning(warning)) progress_.insist("warning: " + warning);
}

/// Texts that change as the run goes on; "" where there is nothing to say.
std::vector<std::string> RunLoop::warnings_so_far() const {
  std::vector<std::string> all = simulation_.warnings_so_far();
  all.push_back(totals_.warning());
  return all;
}

/// Each kind once on stderr; the summary has them with their newest counts.
void RunLoop::tell_warnings() {
  std::vector<std::string> now = warnings_so_far();
  shown_.resize(now.size());
  for (size_t k = 0; k < now.size(); ++k)
    if (shown_[k].empty() && !now[k].empty()) progress_.insist("warning: " + now[k]);
  shown_ = std::move(now);
}

/// Results of earlier sessions that are gone.
void RunLoop::announce_losses() {
  if (!statistics_.warning().empty()) announce(statistics_.warning());
  if (probes_ && !probes_->warning().empty()) announce(probes_->warning());
  const std::vector<int>& missing = frames_.missing();
  if (missing.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(missing.size(), 3); ++i)
    names += (i > 0 ? ", " : "") + frame_name(missing[i]);
  announce(
      fmt::format("{} of the {} frames before the checkpoint are gone from '{}' or cut ({}{}) and left out "
                  "of the series; a run from the beginning with --overwrite makes them anew",
                  missing.size(), frames_.count(), start_.folder.frames().string(), names,
                  missing.size() > 3 ? ", ..." : ""));
}

/// Where a check needs more rows than the scene asks for.
void RunLoop::announce_interval() {
  if (interval_ != start_.scene.statistics_interval)
    progress_.say("simulation.statisticsInterval: every step has a row, because the check '" +
                  checks_.wants_every_step() + "' evaluates every step");
}

/// What the summary says of the simulation. Not asked after an error: its state is then undefined.
void RunLoop::look_at_simulation() {
  summary_.step = simulation_.step_count();
  summary_.time = simulation_.time();
  summary_.particles = simulation_.particle_count();
  summary_.device_bytes = simulation_.device_bytes();
  summary_.setup = simulation_.setup_metrics();
  summary_.kernels = simulation_.kernel_times();
  const std::vector<int> counts = simulation_.particles_per_system();
  for (size_t i = 0; i < std::min(counts.size(), summary_.particles_per_system.size()); ++i)
    summary_.particles_per_system[i].second = counts[i];
}

void RunLoop::write_summary(const std::string& reason, int exit_code, const std::string& message) {
  summary_.exit_reason = reason;
  summary_.exit_code = exit_code;
  summary_.message = message;
  summary_.session_wall_seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  summary_.wall_seconds = totals_.wall_seconds + summary_.session_wall_seconds;
  summary_.frames = frames_.written();
  summary_.checks = checks_.results();
  Summary summary = summary_;
  std::copy_if(shown_.begin(), shown_.end(), std::back_inserter(summary.warnings),
               [](const std::string& warning) { return !warning.empty(); });
  write_file_atomically(start_.folder.summary(), {summary_json(summary, totals_)},
                        [this] { start_.lock->require_in_place(); });
}

void RunLoop::report(const std::string& reason) {
  const double rate = totals_.step_seconds > 0 ? totals_.particle_steps / totals_.step_seconds : 0;
  progress_.say(
      fmt::format("{} at step {}, t = {:g} s, after {} ({} frames, {:.3g} particle-steps/s); results in '{}'",
                  reason, summary_.step, summary_.time, duration_text(summary_.wall_seconds), summary_.frames,
                  rate, start_.folder.root.string()));
}

/// Notes the error in the summary and passes it on with the checkpoint to continue from.
void RunLoop::fail(const Error& error) {
  if (newest_.step > 0) {
    summary_.step = newest_.step;
    summary_.time = newest_.time;
  }
  try {
    if (error.exit_code() == DivergenceError("").exit_code()) {
      simulation_.look(true);
      tell_warnings();
    }
  } catch (...) {  // the first error is the one to tell
  }
  try {
    frames_.finish();
  } catch (...) {  // the first error is the one to tell
  }
  try {
    write_summary(exit_reason(error), error.exit_code(), error.what());
  } catch (const FileError&) {  // the first error is the one to tell
  }
  throw Error(error.exit_code(), fmt::format("{}; {}", error.what(), where_to_go_on()));
}

/// What is left to continue from after an error.
std::string RunLoop::where_to_go_on() const {
  if (summary_.checkpoint.empty()) return "no checkpoint was written yet";
  const std::filesystem::path file = start_.folder.root / summary_.checkpoint;
  try {
    start_.lock->require_in_place();
  } catch (const FileError&) {
    return "there is nothing to resume under this name; where the folder was renamed, --resume continues "
           "under its new one";
  }
  std::error_code none;
  if (!std::filesystem::exists(file, none))
    return fmt::format("its last checkpoint '{}' is gone: there is nothing to resume", file.string());
  return fmt::format("last good checkpoint: '{}' (--resume continues from it)", file.string());
}

}  // namespace merganser
