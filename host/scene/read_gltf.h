#pragma once
/// Meshes of glTF 2.0 files (Khronos Group, glTF 2.0 specification, 2021).
#include <filesystem>
#include <string_view>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// All triangles of the file's scene at their places, from the bytes of a .glb file or of a .gltf file with
/// its buffers inside, moved by `transform`; vertices at equal places become one, those that no triangle
/// names are left out. Skins have the pose of their joints' nodes (the node of a skinned mesh does not move
/// it), morph targets their default weights; animations are not played. Coordinates stay as they are: in glTF
/// y points upwards. Not read: buffers in files of their own, strips and fans of triangles, compressed
/// meshes, and files that require an extension which changes where triangles lie. Throws InputError with the
/// file's name, the place in it and remedy; so do nodes with two parents, and meshes without data or repeated
/// by nodes that make more than 10,000,000 triangles.
TriangleMesh read_gltf(std::string_view bytes, const std::filesystem::path& file,
                       const MeshTransform& transform = {});

}  // namespace merganser
