#include "host/run/run.h"

#include <fmt/format.h>

#include "host/files/own_files.h"
#include "host/files/sealed_image.h"
#include "host/output/skin_file.h"
#include "host/output/walls_file.h"
#include "host/run/earlier_run.h"
#include "host/run/progress.h"
#include "host/run/run_loop.h"

namespace merganser {
namespace {

/// Adds the scene's file to the error of a solver, which names its system.
std::unique_ptr<Simulation> make_simulation(const Services& services, const Scene& scene,
                                            const InitialState& initial, const Device& device) {
  try {
    return services.make_simulation(initial, device);
  } catch (const InputError& error) {
    throw InputError(scene.file.string() + ": " + error.what());
  }
}

/// --max-wall-time ended before the first step of a session. The next one would come no further, so this is
/// no exit code that a batch job answers with --resume.
[[noreturn]] void refuse_wall_time_of_relaxation(const Scene& scene, double seconds,
                                                 const RelaxationStopped& stopped) {
  throw InputError(fmt::format(
      "{}: --max-wall-time {:g} s ended while the particles of {} were relaxed, before the first step; each "
      "session relaxes them again, so no number of sessions gets further; raise --max-wall-time, or set "
      "{}.sampling to lattice",
      scene.file.string(), seconds, stopped.of, stopped.of));
}

/// Once a run: what `merganser skin` needs beside the frames, so that it needs no files but the run's.
void keep_skins(const RunStart& start, const InitialState& initial, const Services& services) {
  const std::filesystem::path file = start.folder.root / skin_record_name;
  if (!services.skin_record || has_whole_length(file)) return;
  const SkinRecord record = services.skin_record(start.scene, initial);
  if (!record.bodies.empty()) write_skin_file(file, record, [&] { start.lock->require_in_place(); });
}

/// Once a run: what pictures need beside the frames.
void keep_walls(const RunStart& start, const InitialState& initial) {
  const std::filesystem::path file = start.folder.root / walls_name;
  if (!has_whole_length(file)) write_walls_file(file, initial, [&] { start.lock->require_in_place(); });
}

}  // namespace

int run(const RunOptions& options, const Services& services) {
  const auto began = RunLoop::Clock::now();
  const StopSignals signals;
  signals.end_at_once("while the scene was read");
  RunStart start = find_start(options, services);
  Progress progress(Progress::mode_of_stderr(options.quiet), start.goal.end_time, start.goal.steps);
  for (const std::string& note : start.notes) progress.say(note);
  for (const std::string& warning : start.warnings) progress.say("warning: " + warning);
  if (start.finished()) {
    progress.say(fmt::format(
        "'{}' is finished (step {}, t = {:g} s); --end-time, --frames or --steps continue it further",
        start.folder.root.string(), start.checkpoint->checkpoint.step, start.checkpoint->checkpoint.time));
    RunChecks checks(start.scene.checks, 0);  // the mass is of no use to a verdict that is there
    checks.load(start.checkpoint->checkpoint.run);
    return report_checks(checks.results(), progress);
  }
  const Device device = select_device(options.device, options.threads);
  for (const std::string& warning : services.expect_resources(start.scene, device, start.folder.root))
    progress.say("warning: " + start.warnings.emplace_back(warning));
  const StopAsked stop = [&] {  // while particles are relaxed; there is nothing to write a checkpoint of then
    return options.max_wall_time > 0 &&
           std::chrono::duration<double>(RunLoop::Clock::now() - began).count() >= options.max_wall_time;
  };
  constexpr const char* making_particles = "while particles were made";
  signals.end_at_once(making_particles);
  const OnRelaxation relaxing = [&, line = RelaxationLine(Progress::mode_of_stderr(options.quiet))](
                                    const RelaxationProgress& state) mutable {
    signals.end_at_once(state.ended ? making_particles : "while particles were relaxed");
    line(state);
  };
  InitialState initial;
  try {
    initial = services.build_initial_state(start.scene, {.threads = device.threads,
                                                         .progress = relaxing,
                                                         .stop = stop,
                                                         .taken = start.taken ? &*start.taken : nullptr});
  } catch (const RelaxationStopped& stopped) {
    refuse_wall_time_of_relaxation(start.scene, options.max_wall_time, stopped);
  }
  if (start.taken && !start.checkpoint) {
    for (const std::string& note : notes_on_taken(*start.taken, initial)) progress.say(note);
    start.about_scene = warnings_on_taken(*start.taken, initial);
  }
  progress.say("device: " + device.description + (device.note.empty() ? "" : "; " + device.note));
  signals.end_at_once("while tables of walls were made");
  const std::unique_ptr<Simulation> simulation = make_simulation(services, start.scene, initial, device);
  for (const std::string& note : simulation->notes()) progress.say(note);
  for (std::string& warning : simulation->setup_warnings()) start.about_scene.push_back(std::move(warning));
  std::istringstream notes(services.notes_on_start ? services.notes_on_start(initial) : "");
  for (std::string note; std::getline(notes, note);) start.about_scene.push_back(note);
  signals.note();
  claim_folder(start, options);
  keep_skins(start, initial, services);
  keep_walls(start, initial);
  RunLoop loop(options, start, initial, device, *simulation, progress, signals, began);
  progress.say(
      fmt::format("scene '{}': {} particles, resolution {:g}, seed {}, until t = {:g} s; results in '{}'",
                  start.scene.title, simulation->particle_count(), start.scene.resolution, initial.seed,
                  start.goal.end_time, start.folder.root.string()));
  if (start.checkpoint)
    progress.say(
        fmt::format("resuming from step {}, t = {:g} s", simulation->step_count(), simulation->time()));
  return loop.execute();
}

}  // namespace merganser
