#pragma once
/// Meshes of glTF 2.0 files (Khronos Group, glTF 2.0 specification, 2021).
#include <filesystem>
#include <string_view>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// All triangles of the file's scene at their places, from the bytes of a .glb file or of a .gltf file with
/// its buffers inside; equal corners become one vertex. Coordinates stay as they are: in glTF y points
/// upwards. Not read: buffers in files of their own, sparse accessors, strips and fans of triangles,
/// compressed meshes, and files that require an extension which changes where triangles lie. Throws
/// InputError with the file's name, the place in it and remedy.
TriangleMesh read_gltf(std::string_view bytes, const std::filesystem::path& file);

}  // namespace merganser
