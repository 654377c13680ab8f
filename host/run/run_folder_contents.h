#pragma once
/// Contents of a run's folder under the names that runs use, so that nothing is deleted that no run has
/// written.
#include <filesystem>
#include <string>
#include <vector>

#include "host/run/run_folder.h"

namespace merganser {

struct RunFolderContents {
  /// Regular files that a run writes, and meshes in its folders that were made from it, in the order of
  /// deletion.
  std::vector<std::filesystem::path> own;
  /// What only stands in the way of a new run: other files in frames/ and checkpoint/, meshes of another run,
  /// meshes in folders that are links.
  std::vector<std::filesystem::path> others;
  /// Something else under a name of a run's ("'a/frames' is a link"): it can be neither written nor deleted.
  std::vector<std::string> obstacles;

  bool empty() const { return own.empty() && others.empty() && obstacles.empty(); }
  /// The first names and how many more there are.
  std::string names() const;
  std::string names_of_others() const;
};

/// Looks at a folder and changes nothing. Where `resuming`, frames/ and checkpoint/ may be links to folders
/// with files, for then nothing in them is deleted. Throws FileError where a folder cannot be read.
RunFolderContents look_into(const RunFolder& folder, bool resuming);

/// Throws InputError that names the first obstacle.
void require_no_obstacles(const RunFolderContents& contents);

/// Deletes the run's own files, then the folders that are empty without them. Throws FileError.
void remove_own(const RunFolder& folder, const RunFolderContents& contents);

}  // namespace merganser
