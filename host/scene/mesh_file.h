#pragma once
/// Meshes from files.
#include "host/scene/input_files.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// An OBJ, PLY or STL file. Throws InputError with file, line and remedy.
inline TriangleMesh read_mesh(const std::filesystem::path& file) {
  return parse_mesh(read_input_file(file), file);
}

}  // namespace merganser
