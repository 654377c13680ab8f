#include "host/run_start.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/atomic_file.h"
#include "host/input_files.h"
#include "host/version.h"

namespace merganser {
namespace {

bool changes_parameters(const SceneOverrides& overrides) {
  return overrides.resolution || overrides.seed || !overrides.set.empty();
}

void refuse_to_overwrite(const RunFolder& folder) {
  throw InputError(fmt::format(
      "'{}' already holds a run ({}); --resume continues it, --overwrite replaces it, -o DIR writes "
      "elsewhere",
      folder.root.string(), folder.state()));
}

/// Key path of the first difference of two scenes, such as "/systems/0/density0".
std::string first_difference(const Scene& a, const Scene& b) {
  const auto changes =
      nlohmann::json::diff(nlohmann::json::parse(a.resolved_json), nlohmann::json::parse(b.resolved_json));
  return changes.empty() ? "" : changes[0].at("path").get<std::string>();
}

/// A resumed run goes on with the scene of its folder; asking for another one is an error.
void compare_with_folder(const RunOptions& options, const Services& services, RunStart& start) {
  const bool in_folder = std::filesystem::is_directory(options.scene);
  const std::filesystem::path file = in_folder ? start.folder.scene() : options.scene;
  const bool asked = changes_parameters(options.overrides);
  if (!asked && (in_folder || !std::filesystem::exists(file))) return;
  SceneOverrides wanted = options.overrides, stored;
  wanted.frames.reset();
  wanted.end_time = stored.end_time = start.scene.end_time;  // the only thing that may change
  const std::string where =
      first_difference(services.load_scene(start.folder.scene(), stored), services.load_scene(file, wanted));
  if (where.empty()) return;
  if (asked)
    throw InputError(fmt::format(
        "--resume: the command line asks for another scene than the one in '{}' (first difference: "
        "{}); leave out --set, --resolution and --seed or start a new run with -o",
        start.folder.root.string(), where));
  start.warnings.push_back(
      fmt::format("the run goes on with '{}', which differs from '{}' (first difference: {})",
                  start.folder.scene().string(), file.string(), where));
}

/// End time and steps that the command line asks for, or else the earlier ones.
RunGoal goal_of(const RunOptions& options, const FrameClock& frames, const RunGoal& earlier) {
  RunGoal goal = earlier;
  if (options.steps) goal.steps = *options.steps;
  if (options.overrides.end_time || options.overrides.frames) {
    goal.end_time = options.overrides.end_time ? *options.overrides.end_time
                                               : static_cast<double>(*options.overrides.frames) / frames.rate;
    if (!options.steps) goal.steps = -1;
  }
  goal.end_time = frames.snap(goal.end_time);
  return goal;
}

RunStart find_resumed_start(const RunOptions& options, const Services& services, const RunFolder& folder) {
  RunStart start;
  start.folder = folder;
  start.lock = std::make_unique<FolderLock>(folder.root);
  if (!std::filesystem::exists(folder.scene()))
    throw InputError("--resume: '" + folder.scene().string() + "' is missing; --overwrite starts again");
  const std::vector<char> text = read_file(folder.scene());
  start.scene_text.assign(text.begin(), text.end());
  const std::string unknown = compare_input_files(start.scene_text, folder.scene());
  if (!unknown.empty()) start.warnings.push_back(unknown);
  start.scene = services.load_scene(folder.scene(), {});
  start.frames.rate = start.scene.frame_rate;
  compare_with_folder(options, services, start);
  RunGoal earlier{start.scene.end_time, -1};
  start.checkpoint = read_newest_checkpoint(folder.checkpoints());
  if (start.checkpoint) {
    const Checkpoint& checkpoint = start.checkpoint->checkpoint;
    for (const std::string& warning : start.checkpoint->warnings) start.warnings.push_back(warning);
    if (checkpoint.scene_hash != checksum(start.scene_text))
      throw InputError(
          fmt::format("--resume: '{}' was changed after the checkpoint had been written; restore it or start "
                      "again with --overwrite",
                      folder.scene().string()));
    if (checkpoint.version != version())
      start.warnings.push_back(
          fmt::format("the checkpoint was written by version {}; this is {}: results may differ in the "
                      "last digits from an uninterrupted run",
                      checkpoint.version, version()));
    earlier.end_time = checkpoint.run.get<double>("goal/end_time").at(0);
    earlier.steps = checkpoint.run.get<std::int64_t>("goal/steps").at(0);
  } else {
    start.notes.push_back("no checkpoint yet in '" + folder.root.string() + "'; starting from the beginning");
  }
  start.goal = goal_of(options, start.frames, earlier);
  return start;
}

}  // namespace

int FrameClock::last_before(double time) const {
  int frame = static_cast<int>(std::floor(time * rate));
  while (time_of(frame) > time) --frame;
  while (time_of(frame + 1) <= time) ++frame;
  return frame;
}

double FrameClock::snap(double time) const {
  const double nearest = std::round(time * rate);
  return std::abs(time * rate - nearest) < 1e-9 * std::max(1.0, nearest) ? nearest / rate : time;
}

int RunStart::frames_written() const {
  return checkpoint ? static_cast<int>(checkpoint->checkpoint.run.get<std::int64_t>("frames").at(0)) : 0;
}

bool RunStart::finished() const {
  if (!checkpoint || folder.state() != "finished") return false;
  return goal.reached(checkpoint->checkpoint.time, checkpoint->checkpoint.step);
}

RunStart find_start(const RunOptions& options, const Services& services) {
  const bool in_folder = std::filesystem::is_directory(options.scene);
  if (in_folder && !options.resume)
    throw InputError("'" + options.scene.string() +
                     "' is a folder; name a scene file, or continue a run with --resume");
  const RunFolder folder = in_folder && options.output.empty() ? RunFolder{options.scene}
                                                               : run_folder(options.scene, options.output);
  if (options.resume && folder.holds_run()) return find_resumed_start(options, services, folder);

  if (folder.holds_run() && !options.overwrite) refuse_to_overwrite(folder);
  if (in_folder) throw InputError("--resume: '" + folder.root.string() + "' holds no run");
  RunStart start;
  start.folder = folder;
  start.scene = services.load_scene(options.scene, options.overrides);
  start.scene_text = start.scene.resolved_json;
  start.frames.rate = start.scene.frame_rate;
  start.goal = goal_of(options, start.frames, {start.scene.end_time, -1});
  if (options.resume)
    start.notes.push_back("no run to resume in '" + folder.root.string() + "'; starting a new one");
  return start;
}

void claim_folder(RunStart& start, const RunOptions& options) {
  if (start.lock) return;  // resumed
  create_folder(start.folder.root);
  start.lock = std::make_unique<FolderLock>(start.folder.root);
  if (start.folder.holds_run() && !options.overwrite) refuse_to_overwrite(start.folder);
  start.folder.remove_run();
  write_file_atomically(start.folder.scene(), {start.scene_text});
}

}  // namespace merganser
