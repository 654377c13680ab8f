/// Meshes of files of any format.
#include <algorithm>
#include <cmath>

#include "solvers/geometry/sampling/mesh_source.h"
#include "solvers/geometry/sampling/polygon.h"

namespace merganser {

void expect_finite(const std::vector<Float3>& vertices, const MeshSource& source) {
  for (const Float3& v : vertices)
    if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2]))
      source.fail("a vertex is not a finite number");
}

void add_polygon(TriangleMesh& mesh, const std::vector<long long>& corners, const MeshSource& source) {
  if (corners.size() < 3) source.fail("a face has fewer than three corners");
  for (long long corner : corners)
    if (corner < 0 || corner >= static_cast<long long>(mesh.vertices.size()))
      source.fail("a face names vertex " + std::to_string(corner + 1) + ", but there are " +
                  std::to_string(mesh.vertices.size()) + " so far");
  const std::vector<Triangle> triangles = triangulated(mesh.vertices, {corners.begin(), corners.end()});
  mesh.triangles.insert(mesh.triangles.end(), triangles.begin(), triangles.end());
}

TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& file) {
  MeshSource source{.file = file.string(), .bytes = bytes};
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // some editors begin texts with it
  if ((extension == ".obj" || extension == ".off") && bytes.starts_with(byte_order_mark))
    source.at = byte_order_mark.size();
  TriangleMesh mesh;
  if (extension == ".obj") {
    mesh = read_obj(source);
  } else if (extension == ".ply") {
    mesh = read_ply(source);
  } else if (extension == ".stl") {
    mesh = read_stl(source);
  } else if (extension == ".off") {
    mesh = read_off(source);
  } else {
    throw InputError("mesh file '" + file.string() + "': unknown extension '" + extension +
                     "'; .obj, .ply, .stl, .off, .glb and .gltf are read");
  }
  source.line = 0;
  if (mesh.vertices.empty() || mesh.triangles.empty()) source.fail("no triangles found");
  expect_finite(mesh.vertices, source);
  return mesh;
}

}  // namespace merganser
