#pragma once
/// A small closed mesh in every format that is read, as bytes.
#include <array>
#include <string>
#include <vector>

namespace merganser::fuzz {

struct MeshFile {
  std::string name;
  std::string bytes;
};

/// A ball of 8 * 4^rounds triangles as OBJ, PLY (ASCII, both byte orders), STL (ASCII, binary), OFF and glTF.
std::vector<MeshFile> ball_in_all_formats(int rounds);
/// The same, and all meshes of tests/inputs.
std::vector<MeshFile> mesh_corpus();

}  // namespace merganser::fuzz
