#include "host/run/run_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/files/atomic_file.h"
#include "host/version.h"

namespace merganser {
namespace {

constexpr const char *statistics_rows = "statistics/rows", *probe_rows = "probes/rows",
                     *told_warnings = "warnings";              // in checkpoints
constexpr const char* unwritten_frames = "unwritten_frames/";  // in the checkpoint after an error
constexpr const char* out_of_time = "stopped: wall-time limit";

double seconds_since(RunLoop::Clock::time_point start) {
  return std::chrono::duration<double>(RunLoop::Clock::now() - start).count();
}

double mobile_mass(const InitialState& initial) {
  double mass = 0;
  for (const SystemState& system : initial.systems)
    for (size_t i = 0; i < system.mass.size(); ++i)
      if (system.immobile.empty() || !system.immobile[i]) mass += system.mass[i];
  return mass;
}

std::vector<double> times_of_written_frames(const RunStart& start) {
  std::vector<double> times;
  for (int k = 0; k < start.frames_written(); ++k) times.push_back(start.frames.time_of(k));
  return times;
}

/// Rows of a table before the checkpoint, as it says under `name`.
long long rows_before(const RunStart& start, const char* name) {
  if (!start.checkpoint) return 0;
  const auto rows = start.checkpoint->checkpoint.run.get<std::int64_t>(name);
  if (rows.size() != 1) throw FileError(fmt::format("checkpoint: '{}' is not one number", name));
  return rows[0];
}

long long last_step(const RunStart& start) {
  return start.checkpoint ? start.checkpoint->checkpoint.step : 0;
}

Summary summary_of(const RunStart& start, const InitialState& initial, const Device& device) {
  Summary summary;
  summary.scene = start.scene.title;
  summary.scene_file = start.scene.file;
  summary.resolution = start.scene.resolution;
  summary.seed = initial.seed;
  summary.device = device.description;
  summary.threads = device.threads;
  summary.end_time = start.goal.end_time;
  summary.warnings = start.warnings;
  for (const SystemState& system : initial.systems) summary.particles_per_system.emplace_back(system.name, 0);
  return summary;
}

}  // namespace

RunLoop::RunLoop(const RunOptions& options, const RunStart& start, const InitialState& initial,
                 const Device& device, Simulation& simulation, Progress& progress, const StopSignals& signals,
                 Clock::time_point began)
    : options_(options),
      start_(start),
      simulation_(simulation),
      progress_(progress),
      signals_(signals),
      began_(began),
      checks_(start.scene.checks, mobile_mass(initial)),
      interval_(checks_.wants_every_step().empty() ? start.scene.statistics_interval : 1),
      frames_(start.folder.root, times_of_written_frames(start),
              [&start] { start.lock->require_in_place(); }),
      statistics_(start.folder.statistics(), Column::statistics, simulation.columns(), last_step(start),
                  rows_before(start, statistics_rows)),
      summary_(summary_of(start, initial, device)) {
  if (!columns_of(Column::probes, simulation.columns()).empty()) {
    probe_rows_ = rows_before(start, probe_rows);
    probes_.emplace(start.folder.probes(), Column::probes, simulation.columns(), last_step(start),
                    probe_rows_);
  }
  if (start.checkpoint) load(*start.checkpoint);
  for (const std::string& warning : start.about_scene)
    if (note_warning(warning)) progress_.say("warning: " + warning);
  announce_losses();
  announce_interval();
  if (start.checkpoint) write_earlier_frames(start.checkpoint->checkpoint.run);
}

void RunLoop::load(const FoundCheckpoint& found) {
  const StateArchive& run = found.checkpoint.run;
  try {
    simulation_.load(found.checkpoint.simulation);
    totals_.load(run);
    checks_.load(run);
  } catch (const std::logic_error& error) {  // std::out_of_range: a list is shorter than the scene needs
    throw FileError(
        fmt::format("checkpoint '{}' does not fit its scene ({}); delete it, and the one before is used",
                    found.file.string(), error.what()));
  }
  shown_ = warnings_so_far();  // an earlier session has told them
  summary_.warnings = texts(run, told_warnings);
  for (const std::string& warning : start_.warnings) note_warning(warning);
  summary_.checkpoint = found.file.lexically_relative(start_.folder.root).string();
}

/// Those that a session before had no room for.
void RunLoop::write_earlier_frames(const StateArchive& run) {
  for (;;) {
    const std::string name = unwritten_frames + std::to_string(frames_.count());
    const auto found = std::find_if(run.arrays().begin(), run.arrays().end(),
                                    [&](const NamedArray& array) { return array.name == name; });
    if (found == run.arrays().end()) return;
    frames_.write(start_.frames.time_of(frames_.count()), found->bytes);
  }
}

int RunLoop::execute() {
  try {
    look_at_simulation();
    tell_warnings();
    write_summary("running", -1);
    const std::string reason = advance();
    simulation_.look(false);
    tell_warnings();
    save_checkpoint();
    look_at_simulation();
    if (reason != "finished") {
      if (reason == out_of_time && newest_.step == 0) warn_of_no_step();
      write_summary(reason, stopped_exit_code);
      report(reason);
      progress_.say("to continue: merganser run " + start_.folder.root.string() + " --resume");
      return stopped_exit_code;
    }
    for (const std::string& warning : simulation_.warnings_now()) announce(warning);
    const std::string failures = RunChecks::failures(checks_.results());
    write_summary(reason, failures.empty() ? 0 : failed_check_exit_code, failures);
    report(reason);
    const int exit_code = report_checks(summary_.checks, progress_);
    if (totals_.unmet_tolerances > 0)
      progress_.say(fmt::format("in {} of {} steps a linear solver stopped at its iteration cap",
                                totals_.unmet_tolerances, summary_.step));
    return exit_code;
  } catch (const Error& error) {
    fail(error);
  } catch (const std::bad_alloc&) {
    fail(DeviceError("out of memory; lower --resolution"));
  }
}

/// Steps until the goal is reached or the run is asked to stop; says which.
std::string RunLoop::advance() {
  last_checkpoint_ = Clock::now();
  for (;;) {
    while (frames_.count() <= due_frame()) write_frame();
    if (start_.goal.reached(simulation_.time(), simulation_.step_count())) return "finished";
    if (signals_.received()) return "stopped: " + StopSignals::name(signals_.received());
    if (out_of_wall_time()) return out_of_time;
    if (options_.checkpoint_every > 0 && seconds_since(last_checkpoint_) >= options_.checkpoint_every) {
      save_checkpoint();
      look_at_simulation();
      write_summary("running", -1);
    }
    step();
    if (frames_.failed()) wait_for_frames(&FrameWriter::finish);
  }
}

int RunLoop::due_frame() const {
  return start_.frames.last_before(std::min(simulation_.time(), start_.goal.end_time));
}

void RunLoop::step() {
  const double before = simulation_.time();
  const auto begin = Clock::now();
  const double stop_time = std::min(start_.frames.time_of(frames_.count()), start_.goal.end_time);
  const StepStatistics row = simulation_.advance(stop_time, row_is_due(simulation_.step_count() + 1));
  newest_ = row;
  step_seconds_ = seconds_since(begin);
  if (!(simulation_.time() > before))
    throw DivergenceError(
        fmt::format("step {} did not advance time beyond {} s: the step size has become too small",
                    simulation_.step_count(), before));
  const int particles = simulation_.particle_count();
  try {
    write_rows(row);
  } catch (const FileError&) {
    start_.lock->require_in_place();  // where the whole folder is gone, that is what to say
    throw;
  }
  checks_.observe(row);
  totals_.observe(row, particles, step_seconds_);
  if (row.has_row) tell_warnings();
  progress_.update(row, particles);
}

void RunLoop::write_rows(const StepStatistics& row) {
  if (row.has_row) statistics_.append(row);
  if (!probes_ || !probes_->has_values(row)) return;
  probes_->append(row);
  ++probe_rows_;
}

/// Of the step with this number. Steps that end a frame or the run have rows whatever is due.
bool RunLoop::row_is_due(long long step) const { return step % interval_ == 0 || step == start_.goal.steps; }

void RunLoop::write_frame() {
  start_.lock->require_in_place();
  wait_for_frames(&FrameWriter::wait_for_room);
  frames_.write(simulation_.time(), simulation_.frame_now());
  // An error is then found in the state that gives the frame.
  if (!frames_.has_room()) wait_for_frames(&FrameWriter::finish);
}

/// Throws what has failed in writing frames.
void RunLoop::wait_for_frames(void (FrameWriter::*wait)()) {
  try {
    (frames_.*wait)();
  } catch (const FileError&) {
    // The state is sound and the disk may still have room for it; the resumed run then writes first what is
    // missing.
    try {
      write_state();
    } catch (const FileError&) {  // the checkpoint before is still there
    }
    throw;
  }
}

/// True when the next step, the last look and the last checkpoint might not fit into the time that is left.
bool RunLoop::out_of_wall_time() const {
  return options_.max_wall_time > 0 &&
         seconds_since(began_) + 4 * step_seconds_ + 2 * checkpoint_seconds_ + frames_.seconds_left() >=
             options_.max_wall_time;
}

/// The limit has passed before the first step of this session, and the next one would come no further.
void RunLoop::warn_of_no_step() {
  announce(fmt::format(
      "--max-wall-time {:g} s passed before the first step of this session: particles, tables and "
      "memory took {:.3g} s, and each session needs that again; raise --max-wall-time to more than that and "
      "some steps",
      options_.max_wall_time, seconds_since(began_) - checkpoint_seconds_));
}

/// Without its scene a checkpoint cannot be resumed. One that someone else has removed is written again; one
/// that was changed is named.
void RunLoop::keep_scene() {
  const std::filesystem::path file = start_.folder.scene();
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, none))) {
    write_file_atomically(file, {start_.scene_text}, [this] { start_.lock->require_in_place(); });
    return announce(
        fmt::format("'{}' was removed while the run went on; it was written again", file.string()));
  }
  const std::vector<char> text = read_file(file);
  if (scene_changed_ || std::string_view(text.data(), text.size()) == start_.scene_text) return;
  scene_changed_ = true;
  announce(fmt::format("'{}' was changed while the run went on, and --resume refuses it; restore it",
                       file.string()));
}

void RunLoop::save_checkpoint() {
  const auto begin = Clock::now();
  wait_for_frames(&FrameWriter::finish);  // which a resumed run counts on
  write_state();
  checkpoint_seconds_ = seconds_since(begin);
}

/// A checkpoint. Where frames have failed, it holds those that its own state does not give any more.
void RunLoop::write_state() {
  start_.lock->require_in_place();
  statistics_.sync();  // the rows that a resumed run counts on
  if (probes_) probes_->sync();
  keep_scene();
  Checkpoint checkpoint{version(),          checksum(start_.scene_text), simulation_.step_count(),
                        simulation_.time(), simulation_.save(),          {}};
  RunTotals totals = totals_;
  totals.wall_seconds += seconds_since(began_);
  totals.save(checkpoint.run);
  checks_.save(checkpoint.run);
  put_texts(checkpoint.run, told_warnings, summary_.warnings);
  checkpoint.run.put(statistics_rows, std::vector<std::int64_t>{totals_.rows});
  if (probes_) checkpoint.run.put(probe_rows, std::vector<std::int64_t>{probe_rows_});
  checkpoint.run.put("frames", std::vector<std::int64_t>{frames_.written()});
  if (const int first = frames_.written();
      frames_.failed() && start_.frames.time_of(first) < simulation_.time()) {
    const auto unwritten = frames_.unwritten();
    for (size_t k = 0; k < unwritten.size(); ++k)
      checkpoint.run.put(unwritten_frames + std::to_string(size_t(first) + k),
                         std::vector<signed char>(unwritten[k].begin(), unwritten[k].end()));
  }
  checkpoint.run.put("goal/end_time", std::vector<double>{start_.goal.end_time});
  checkpoint.run.put("goal/steps", std::vector<std::int64_t>{start_.goal.steps});
  const std::filesystem::path file =
      write_checkpoint(start_.folder.checkpoints(), checkpoint, [this] { start_.lock->require_in_place(); });
  summary_.checkpoint = file.lexically_relative(start_.folder.root).string();
  last_checkpoint_ = Clock::now();
}

}  // namespace merganser
