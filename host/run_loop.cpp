#include "host/run_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/atomic_file.h"
#include "host/version.h"

namespace merganser {
namespace {

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
      frames_(start.folder.root, times_of_written_frames(start)),
      statistics_(start.folder.statistics(), start.checkpoint ? start.checkpoint->checkpoint.step : 0),
      summary_(summary_of(start, initial, device)) {
  if (!statistics_.warning().empty()) summary_.warnings.push_back(statistics_.warning());
  if (!start.checkpoint) return;
  const Checkpoint& checkpoint = start.checkpoint->checkpoint;
  simulation_.load(checkpoint.simulation);
  totals_.load(checkpoint.run);
  checks_.load(checkpoint.run);
  summary_.checkpoint = start.checkpoint->file.lexically_relative(start.folder.root).string();
}

int RunLoop::execute() {
  try {
    look_at_simulation();
    write_summary("running", -1);
    const std::string reason = advance();
    save_checkpoint();
    const int exit_code = reason == "finished" ? 0 : stopped_exit_code;
    look_at_simulation();
    write_summary(reason, exit_code);
    report(reason);
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
    if (out_of_wall_time()) return "stopped: wall-time limit";
    if (options_.checkpoint_every > 0 && seconds_since(last_checkpoint_) >= options_.checkpoint_every) {
      save_checkpoint();
      look_at_simulation();
      write_summary("running", -1);
    }
    step();
  }
}

int RunLoop::due_frame() const {
  return start_.frames.last_before(std::min(simulation_.time(), start_.goal.end_time));
}

void RunLoop::step() {
  const double before = simulation_.time();
  const auto begin = Clock::now();
  const StepStatistics row =
      simulation_.step(std::min(start_.frames.time_of(frames_.count()), start_.goal.end_time));
  step_seconds_ = seconds_since(begin);
  if (!(simulation_.time() > before))
    throw DivergenceError(
        fmt::format("step {} did not advance time beyond {} s: the step size has become too small",
                    simulation_.step_count(), before));
  const int particles = simulation_.particle_count();
  statistics_.append(row);
  checks_.observe(row);
  const long long beyond = totals_.beyond_cfl;
  totals_.observe(row, particles, step_seconds_);
  if (beyond == 0 && totals_.beyond_cfl > 0)
    progress_.say(
        fmt::format("warning: step {} takes {:.4g} s of simulation.timeStepSize, {:.4g} s is the most in "
                    "which no particle moves "
                    "further than its radius times simulation.cflFactor: contacts can be missed; set it to "
                    "less, or to 0 for steps "
                    "that adapt",
                    row.step, row.dt, row.cfl_time_step));
  progress_.update(row, particles);
}

void RunLoop::write_frame() {
  try {
    frames_.write(simulation_.frame());
  } catch (const FileError&) {
    // The state is sound and the disk may still have room for it; the resumed run then writes this frame
    // first.
    try {
      save_checkpoint();
    } catch (const FileError&) {  // the checkpoint before is still there
    }
    throw;
  }
}

/// True when the next step and the last checkpoint might not fit into the time that is left.
bool RunLoop::out_of_wall_time() const {
  return options_.max_wall_time > 0 &&
         seconds_since(began_) + 2 * step_seconds_ + 2 * checkpoint_seconds_ >= options_.max_wall_time;
}

void RunLoop::save_checkpoint() {
  const auto begin = Clock::now();
  statistics_.sync();  // the rows that a resumed run counts on
  Checkpoint checkpoint{version(),          checksum(start_.scene_text), simulation_.step_count(),
                        simulation_.time(), simulation_.save(),          {}};
  RunTotals totals = totals_;
  totals.wall_seconds += seconds_since(began_);
  totals.save(checkpoint.run);
  checks_.save(checkpoint.run);
  checkpoint.run.put("frames", std::vector<std::int64_t>{frames_.count()});
  checkpoint.run.put("goal/end_time", std::vector<double>{start_.goal.end_time});
  checkpoint.run.put("goal/steps", std::vector<std::int64_t>{start_.goal.steps});
  const std::filesystem::path file = write_checkpoint(start_.folder.checkpoints(), checkpoint);
  summary_.checkpoint = file.lexically_relative(start_.folder.root).string();
  last_checkpoint_ = Clock::now();
  checkpoint_seconds_ = seconds_since(begin);
}

/// What the summary says of the simulation. Not asked after an error: its state is then undefined.
void RunLoop::look_at_simulation() {
  summary_.step = simulation_.step_count();
  summary_.time = simulation_.time();
  summary_.particles = simulation_.particle_count();
  summary_.device_bytes = simulation_.device_bytes();
  summary_.kernels = simulation_.kernel_times();
  const std::vector<int> counts = simulation_.particles_per_system();
  for (size_t i = 0; i < std::min(counts.size(), summary_.particles_per_system.size()); ++i)
    summary_.particles_per_system[i].second = counts[i];
}

void RunLoop::write_summary(const std::string& reason, int exit_code, const std::string& message) {
  summary_.exit_reason = reason;
  summary_.exit_code = exit_code;
  summary_.message = message;
  summary_.session_wall_seconds = seconds_since(began_);
  summary_.wall_seconds = totals_.wall_seconds + summary_.session_wall_seconds;
  summary_.frames = frames_.count();
  summary_.checks = checks_.results();
  Summary summary = summary_;
  if (totals_.beyond_cfl > 0)
    summary.warnings.push_back(fmt::format(
        "{} steps of simulation.timeStepSize were longer than particles' speeds allow (one radius times "
        "simulation.cflFactor a step): contacts can have been missed",
        totals_.beyond_cfl));
  write_file_atomically(start_.folder.summary(), {summary_json(summary, totals_)});
}

void RunLoop::report(const std::string& reason) {
  const std::string folder = start_.folder.root.string();
  const double rate = totals_.step_seconds > 0 ? totals_.particle_steps / totals_.step_seconds : 0;
  progress_.say(fmt::format(
      "{} at step {}, t = {:g} s, after {} ({} frames, {:.3g} particle-steps/s); results in '{}'", reason,
      summary_.step, summary_.time, duration_text(summary_.wall_seconds), summary_.frames, rate, folder));
  if (reason != "finished") {
    progress_.say("to continue: merganser run " + folder + " --resume");
    return;
  }
  for (const CheckResult& check : summary_.checks) {
    if (check.passed)
      progress_.say(Checks::describe(check));
    else
      progress_.insist(Checks::describe(check));
  }
  if (totals_.unmet_tolerances > 0)
    progress_.say(fmt::format("in {} of {} steps a linear solver stopped at its iteration cap",
                              totals_.unmet_tolerances, summary_.step));
}

/// Notes the error in the summary and passes it on with the checkpoint to continue from.
void RunLoop::fail(const Error& error) {
  if (totals_.last.step > 0) {
    summary_.step = totals_.last.step;
    summary_.time = totals_.last.time;
  }
  try {
    write_summary(exit_reason(error), error.exit_code(), error.what());
  } catch (const FileError&) {  // the first error is the one to tell
  }
  throw Error(error.exit_code(),
              summary_.checkpoint.empty()
                  ? fmt::format("{}; no checkpoint was written yet", error.what())
                  : fmt::format("{}; last good checkpoint: '{}' (--resume continues from it)", error.what(),
                                (start_.folder.root / summary_.checkpoint).string()));
}

}  // namespace merganser
