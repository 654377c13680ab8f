#include "host/run/run_folder_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "device/errors.h"
#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/exporters.h"
#include "host/run/mesh_copies.h"

namespace merganser {
namespace {

namespace fs = std::filesystem;
constexpr size_t named = 5;  // files that a message names

bool is_run_file(std::string_view name) {
  return is_run_text(name) || name == "statistics.csv" || name == "probes.csv";
}

/// True where surface.json or skin.json says that the meshes beside it were made from the run in `root`. A
/// path there counts from the meshes' folder.
bool made_from(const fs::path& root, const fs::path& meshes, const char* kind) {
  try {
    const auto text = read_file(meshes / mesh_options_name(kind));
    const std::string run = nlohmann::json::parse(text.begin(), text.end()).at("run");
    return fs::equivalent(meshes / run, root);
  } catch (const std::exception&) {
    return false;
  }
}

std::string first_of(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), named);
  const std::string first = fmt::format("{}", fmt::join(names.begin(), names.begin() + long(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", first, names.size() - shown) : first;
}

class Look {
 public:
  explicit Look(RunFolderContents& found) : found_(found) {}
  using Names = bool (*)(std::string_view);
  /// Sorts the entries of a folder: its own files, those being `written` under a temporary name, and all else
  /// where `all` counts.
  void at(const fs::path& folder, Names own, Names written, bool all) {
    for (const fs::path& entry : entries_of(folder)) {
      const std::string name = entry.filename().string();
      if (own(name) || is_temporary_of(name, written))
        file(entry);
      else if (all)
        found_.others.push_back(entry);
    }
  }
  /// frames/ or checkpoint/: whatever it holds would be mixed with a run.
  void at_subfolder(const fs::path& folder, Names own, bool resuming) {
    const std::string other = other_than_file(folder);
    std::error_code none;
    const bool linked = other == "a link" && fs::is_directory(folder, none);
    if (other == "a folder" || (linked && (resuming || entries_of(folder).empty())))
      at(folder, own, own, true);
    else if (fs::exists(fs::symlink_status(folder, none)))
      found_.obstacles.push_back(
          fmt::format("'{}' is {}", folder.string(), other.empty() ? "a file" : other));
  }

 private:
  void file(const fs::path& path) {
    const std::string other = other_than_file(path);
    if (other.empty())
      found_.own.push_back(path);
    else
      found_.obstacles.push_back(fmt::format("'{}' is {}", path.string(), other));
  }
  RunFolderContents& found_;
};

/// Meshes that were made from a run: its own, in any folder in that of the run, or those of another run. In
/// folders that are links they stay.
void look_at_meshes(const RunFolder& run, const fs::path& folder, const char* kind, Look::Names own,
                    RunFolderContents& found) {
  std::error_code none;
  RunFolderContents meshes;
  const std::string other = other_than_file(folder);
  if (other != "a folder" && !(other == "a link" && fs::is_directory(folder, none))) return;
  Look(meshes).at(folder, own, own, false);
  const bool of_it = made_from(run.root, folder, kind), kept = !of_it || other == "a link";
  if (!of_it && folder != run.surfaces() && folder != run.skins()) return;
  auto& list = kept ? found.others : found.own;
  list.insert(list.end(), meshes.own.begin(), meshes.own.end());
  if (!kept) found.obstacles.insert(found.obstacles.end(), meshes.obstacles.begin(), meshes.obstacles.end());
}

}  // namespace

std::string RunFolderContents::names() const {
  std::vector<std::string> all = obstacles;
  for (const auto* paths : {&own, &others})
    for (const fs::path& path : *paths) all.push_back("'" + path.string() + "'");
  return first_of(all);
}

std::string RunFolderContents::names_of_others() const {
  std::vector<std::string> all;
  for (const fs::path& path : others) all.push_back("'" + path.string() + "'");
  return first_of(all);
}

RunFolderContents look_into(const RunFolder& folder, bool resuming) {
  RunFolderContents found;
  Look look(found);
  look.at(folder.root, is_run_file, is_run_text, false);  // first: half a deletion is no run to resume
  look.at_subfolder(folder.checkpoints(), is_checkpoint_file, resuming);
  look.at_subfolder(folder.frames(), is_frame_file, resuming);
  // Copies alone, of a run that was killed before its scene.json was there, are in nobody's way.
  if (!found.own.empty() && other_than_file(folder.meshes()) == "a folder")
    look.at(folder.meshes(), is_mesh_copy, is_mesh_copy, false);
  if (resuming) return found;
  std::vector<fs::path> places = entries_of(folder.root);
  places.push_back(folder.root);
  for (const fs::path& entry : places) {
    look_at_meshes(folder, entry, surface_kind, is_surface_file, found);
    look_at_meshes(folder, entry, skin_kind, is_skin_file, found);
  }
  return found;
}

void require_no_obstacles(const RunFolderContents& contents) {
  if (!contents.obstacles.empty())
    throw InputError(fmt::format(
        "{}, not what a run writes there{}; move it away or choose another folder "
        "with -o",
        contents.obstacles[0],
        contents.obstacles.size() > 1 ? fmt::format(" (and {} more such)", contents.obstacles.size() - 1)
                                      : ""));
}

void remove_own(const RunFolder& folder, const RunFolderContents& contents) {
  std::error_code error;
  for (const fs::path& path : contents.own) {
    fs::remove(path, error);
    if (error) throw_file_error("delete", path, error.value());
  }
  std::set<fs::path> emptied{folder.frames(), folder.checkpoints(), folder.meshes()};
  for (const fs::path& path : contents.own) emptied.insert(path.parent_path());
  emptied.erase(folder.root);
  for (const fs::path& path : emptied)
    if (other_than_file(path) == "a folder" && entries_of(path).empty()) fs::remove(path, error);
}

}  // namespace merganser
