#pragma once
/// Copies of the files that a scene names, in the folder of its run, so that the folder can be moved to
/// another place or machine and be continued there.
#include "host/files/atomic_file.h"
#include "host/run/run_folder.h"
#include "host/scene/scene.h"

namespace merganser {

/// The text of a run's scene.json: files that the scene names are those in meshes/, by paths relative to it.
std::string scene_text_of_run(const Scene& scene, const RunFolder& folder);

/// The files that a scene names, read before anything in the run's folder is deleted: they may lie there.
class MeshCopies {
 public:
  /// Throws InputError where a file is another one than the scene was loaded with.
  MeshCopies(const Scene& scene, const RunFolder& folder);
  /// Throws FileError.
  void write(const InPlace& in_place) const;

 private:
  struct Copy {
    std::filesystem::path to;
    std::string bytes;
  };
  std::vector<Copy> copies_;
};

/// True for the name of a copy: its checksum, and the name of the file.
bool is_mesh_copy(std::string_view name);

/// The scene with the checksums of files in place of their paths, for comparisons.
std::string scene_by_content(const Scene& scene);

}  // namespace merganser
