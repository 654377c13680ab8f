#pragma once
/// The folder of a run: which files it holds, and that only one process writes them.
#include <filesystem>
#include <string>

#include "host/files/own_files.h"

namespace merganser {

/// Paths within the folder of a run (host/run/README.md).
struct RunFolder {
  std::filesystem::path root;
  std::filesystem::path scene() const { return root / "scene.json"; }
  std::filesystem::path statistics() const { return root / "statistics.csv"; }
  std::filesystem::path probes() const { return root / "probes.csv"; }
  std::filesystem::path summary() const { return root / "summary.json"; }
  std::filesystem::path checkpoints() const { return root / "checkpoint"; }
  std::filesystem::path frames() const { return root / "frames"; }
  std::filesystem::path meshes() const { return root / "meshes"; }  ///< copies of what the scene names
  /// Particles of another run that this one has started from.
  std::filesystem::path start() const { return root / start_particles_name; }
  std::filesystem::path surfaces() const { return root / "surface"; }
  std::filesystem::path skins() const { return root / "skin"; }

  /// True where a run has begun here.
  bool holds_run() const;
  /// "finished", "stopped: SIGTERM", ... as its summary says; "unfinished" where it does not.
  std::string state() const;
  /// Name of the last checkpoint in the folder that the summary knows of; empty where it knows of none.
  std::string last_checkpoint() const;
};

/// The folder that -o names, or runs/<name of the scene file>.
RunFolder run_folder(const std::filesystem::path& scene_file, const std::filesystem::path& output);

/// Keeps a second process out of a folder while it lives. The lock belongs to the process: a kill releases
/// it.
class FolderLock {
 public:
  /// Throws InputError where another process holds it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Throws FileError where the folder was removed or renamed since; nothing must be written under its name
  /// then.
  void require_in_place() const;

 private:
  std::filesystem::path folder_;
  int directory_;
};

}  // namespace merganser
