#pragma once
/// Meshes from files.
#include "host/scene/input_files.h"
#include "host/scene/read_gltf.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// An OBJ, PLY, STL, OFF or glTF file at its place. Throws InputError with file, line and remedy.
inline TriangleMesh read_mesh(const std::filesystem::path& file, const MeshTransform& transform = {}) {
  const std::string bytes = read_input_file(file), extension = file.extension().string();
  return (extension == ".glb" || extension == ".gltf" ? read_gltf : parse_mesh)(bytes, file, transform);
}

}  // namespace merganser
