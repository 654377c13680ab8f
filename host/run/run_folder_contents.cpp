#include "host/run/run_folder_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// True where surface.json or skin.json says that the meshes beside it were made from the run in `root`.
bool made_from(const fs::path& root, const fs::path& meshes, const char* kind) {
  try {
    const auto text = read_file(meshes / mesh_options_name(kind));
    const std::string run = nlohmann::json::parse(text.begin(), text.end()).at("run");
    return fs::equivalent(run, root);
  } catch (const std::exception&) {
    return false;
  }
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

/// Meshes that were made from a run: its own, or those of another run.
void look_at_meshes(const fs::path& root, const fs::path& folder, const char* kind, Look::Names own,
                    bool resuming, RunFolderContents& found) {
  if (resuming || other_than_file(folder) != "a folder") return;
  RunFolderContents meshes;
  Look(meshes).at(folder, own, own, false);
  const bool of_it = made_from(root, folder, kind);
  auto& list = of_it ? found.own : found.others;
  list.insert(list.end(), meshes.own.begin(), meshes.own.end());
  if (of_it) found.obstacles.insert(found.obstacles.end(), meshes.obstacles.begin(), meshes.obstacles.end());
}

}  // namespace

std::string RunFolderContents::names() const {
  std::vector<std::string> all = obstacles;
  for (const auto* paths : {&own, &others})
    for (const fs::path& path : *paths) all.push_back("'" + path.string() + "'");
  const size_t shown = std::min(all.size(), named);
  const std::string first = fmt::format("{}", fmt::join(all.begin(), all.begin() + long(shown), ", "));
  return all.size() > shown ? fmt::format("{} and {} more", first, all.size() - shown) : first;
}

RunFolderContents look_into(const RunFolder& folder, bool resuming) {
  RunFolderContents found;
  Look look(found);
  look.at(folder.root, is_run_file, is_run_text, false);  // first: half a deletion is no run to resume
  look.at_subfolder(folder.checkpoints(), is_checkpoint_file, resuming);
  look.at_subfolder(folder.frames(), is_frame_file, resuming);
  look_at_meshes(folder.root, folder.surfaces(), surface_kind, is_surface_file, resuming, found);
  look_at_meshes(folder.root, folder.skins(), skin_kind, is_skin_file, resuming, found);
  // Copies alone, of a run that was killed before its scene.json was there, are in nobody's way.
  if (!found.own.empty() && other_than_file(folder.meshes()) == "a folder")
    look.at(folder.meshes(), is_mesh_copy, is_mesh_copy, false);
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
  for (const fs::path& path :
       {folder.frames(), folder.checkpoints(), folder.meshes(), folder.surfaces(), folder.skins()})
    if (other_than_file(path) == "a folder" && entries_of(path).empty()) fs::remove(path, error);
}

}  // namespace merganser
