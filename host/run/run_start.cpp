#include "host/run/run_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/run/earlier_run.h"
#include "host/run/mesh_copies.h"
#include "host/run/run_folder_contents.h"
#include "host/scene/input_files.h"
#include "host/version.h"

namespace merganser {
namespace {

bool changes_parameters(const SceneOverrides& overrides) {
  return overrides.resolution || overrides.seed || !overrides.set.empty();
}

/// A kill while the scene was first written leaves the beginning of its text under a temporary name; one
/// before that, copies of meshes and of the particles to start with.
bool is_begun_scene(const RunFolderContents& found, const RunFolder& folder, const std::string& text) {
  if (!found.others.empty() || !found.obstacles.empty()) return false;
  return std::all_of(found.own.begin(), found.own.end(), [&](const std::filesystem::path& file) {
    const std::filesystem::path name = file.filename();
    if (file.parent_path() == folder.meshes() && is_mesh_copy(name.string())) return true;
    if (name == temporary_name(folder.start()).filename()) return true;
    if (name == folder.start().filename()) return holds_taken_particles(file);
    if (name != temporary_name(folder.scene()).filename()) return false;
    const std::vector<char> begun = read_file(file);
    return text.starts_with(std::string_view(begun.data(), begun.size()));
  });
}

/// A new run may begin where nothing is in its way, or, with --overwrite, nothing but what runs have written.
/// Changes nothing on the disk.
RunFolderContents require_room(const RunFolder& folder, const RunOptions& options, const std::string& text) {
  RunFolderContents found = look_into(folder, false);
  if (options.overwrite) require_no_obstacles(found);
  if (found.empty() || options.overwrite || is_begun_scene(found, folder, text)) return found;
  if (std::filesystem::exists(folder.scene()) && !options.resume)
    throw InputError(fmt::format(
        "'{}' already holds a run ({}: {}); --resume continues it, --overwrite replaces it, -o DIR "
        "writes elsewhere",
        folder.root.string(), folder.state(), found.names()));
  throw InputError(fmt::format(
      "'{}' holds no run to resume, but files that a new run would replace or mix with its own: {}; "
      "move them away, choose another folder with -o, or have what runs have written deleted by "
      "--overwrite without --resume",
      folder.root.string(), found.names()));
}

/// The scene.json of a run has all defaults filled in. A file that has not, alone in its folder, was written
/// by hand. Throws InputError.
void keep_handwritten_scene(const RunFolder& folder, const RunFolderContents& found,
                            const Services& services) {
  if (found.own.size() != 1 || found.own[0].filename() != folder.scene().filename()) return;
  const std::vector<char> text = read_file(folder.scene());
  try {
    const Scene scene = services.load_scene(folder.scene(), {});
    if (scene_text_of_run(scene, folder) == std::string(text.begin(), text.end())) return;
  } catch (const Error&) {  // no scene of this version's
  }
  throw InputError(
      fmt::format("'{}' is not the scene of a run, and --overwrite would replace it; move it away "
                  "or choose another folder with -o",
                  folder.scene().string()));
}

/// Key path of the first difference of two scenes, such as "/systems/0/density0".
std::string first_difference(const Scene& a, const Scene& b) {
  const auto changes = nlohmann::json::diff(nlohmann::json::parse(scene_by_content(a)),
                                            nlohmann::json::parse(scene_by_content(b)));
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

/// A number that the run loop keeps in a checkpoint.
template <class T>
T only(const Checkpoint& checkpoint, const char* name) {
  const std::vector<T> values = checkpoint.run.get<T>(name);
  if (values.size() != 1) throw FileError(fmt::format("checkpoint: '{}' is not one number", name));
  return values[0];
}

RunStart find_resumed_start(const RunOptions& options, const Services& services, const RunFolder& folder) {
  RunStart start;
  start.folder = folder;
  start.lock = std::make_unique<FolderLock>(folder.root);
  require_no_obstacles(look_into(folder, true));
  remove_temporary_files(folder.root, is_run_text);
  remove_temporary_files(folder.checkpoints(), is_checkpoint_file);
  if (!std::filesystem::exists(folder.scene()))
    throw InputError("--resume: '" + folder.scene().string() + "' is missing; --overwrite starts again");
  const std::vector<char> text = read_file(folder.scene());
  start.scene_text.assign(text.begin(), text.end());
  const std::string unknown = compare_input_files(start.scene_text, folder.scene());
  if (!unknown.empty()) start.warnings.push_back(unknown);
  start.scene = services.load_scene(folder.scene(), {});
  start.frames.rate = start.scene.frame_rate;
  if (std::filesystem::exists(folder.start())) start.taken = read_taken_particles(folder.start());
  if (!options.from.empty() && !start.taken)
    throw InputError(
        "--resume: the run in '" + folder.root.string() +
        "' did not begin with the particles of another; leave out --from or start a new run with "
        "-o");
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
    earlier.end_time = only<double>(checkpoint, "goal/end_time");
    earlier.steps = only<std::int64_t>(checkpoint, "goal/steps");
  } else if (const std::string last = folder.last_checkpoint(); !last.empty()) {
    throw FileError(
        fmt::format("--resume: '{}', which summary.json names as the last checkpoint, is gone; restore it or "
                    "start again with --overwrite",
                    (folder.root / last).string()));
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
  return std::abs(time * rate - nearest) < 1e-9 * nearest ? nearest / rate : time;
}

int RunStart::frames_written() const {
  return checkpoint ? static_cast<int>(only<std::int64_t>(checkpoint->checkpoint, "frames")) : 0;
}

bool RunStart::finished() const {
  if (!checkpoint || folder.state() != "finished") return false;
  return goal.reached(checkpoint->checkpoint.time, checkpoint->checkpoint.step);
}

RunStart find_start(const RunOptions& options, const Services& services) {
  std::error_code none;
  const bool in_folder = std::filesystem::is_directory(options.scene, none);
  if (in_folder && !options.resume)
    throw InputError("'" + options.scene.string() +
                     "' is a folder; name a scene file, or continue a run with --resume");
  const RunFolder folder = in_folder && options.output.empty() ? RunFolder{options.scene}
                                                               : run_folder(options.scene, options.output);
  if (options.resume && folder.holds_run()) return find_resumed_start(options, services, folder);
  if (in_folder) throw InputError("--resume: '" + folder.root.string() + "' holds no run");
  RunStart start;
  start.folder = folder;
  start.scene = services.load_scene(options.scene, options.overrides);
  start.scene_text = scene_text_of_run(start.scene, folder);
  const RunFolderContents found = require_room(folder, options, start.scene_text);
  keep_handwritten_scene(folder, found, services);
  if (!found.others.empty())
    start.warnings.push_back("--overwrite keeps what no run in '" + folder.root.string() +
                             "' has written there: " + found.names_of_others());
  if (!options.from.empty()) {
    std::error_code none;
    if (std::filesystem::equivalent(folder_of_earlier_run(options.from), folder.root, none))
      throw InputError("--from: '" + folder.root.string() +
                       "' is also the folder of the results; choose another one with -o");
    start.taken = read_earlier_run(options.from);
  }
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
  // Again, now that no other run can write.
  const RunFolderContents found = require_room(start.folder, options, start.scene_text);
  const MeshCopies copies(start.scene, start.folder);
  remove_own(start.folder, found);
  const InPlace in_place = [&] { start.lock->require_in_place(); };
  copies.write(in_place);
  if (start.taken) write_taken_particles(start.folder.start(), *start.taken, in_place);
  write_file_atomically(start.folder.scene(), {start.scene_text});
}

}  // namespace merganser
