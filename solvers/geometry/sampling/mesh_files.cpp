/// Meshes of files of any format.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "solvers/base/text_encoding.h"
#include "solvers/geometry/sampling/mesh_source.h"
#include "solvers/geometry/sampling/polygon.h"
#include "solvers/geometry/sampling/weld.h"

namespace merganser {

void expect_finite(const std::vector<Point3>& vertices, const MeshSource& source) {
  for (const Point3& v : vertices)
    if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2]))
      source.fail("a vertex is not a finite number");
}

void add_polygon(FileMesh& mesh, const std::vector<long long>& corners, const MeshSource& source) {
  if (corners.size() < 3) source.fail("a face has fewer than three corners");
  for (long long corner : corners)
    if (corner < 0 || corner >= static_cast<long long>(mesh.vertices.size()))
      source.fail("a face names vertex " + std::to_string(corner + 1) + ", but there are " +
                  std::to_string(mesh.vertices.size()) + " so far");
  const std::vector<Triangle> triangles = triangulated(mesh.vertices, {corners.begin(), corners.end()});
  mesh.triangles.insert(mesh.triangles.end(), triangles.begin(), triangles.end());
}

std::string_view MeshWords::word() {
  constexpr std::string_view blank = " \t\v\f\r";
  const size_t begin = std::min(text_.find_first_not_of(blank), text_.size()),
               end = std::min(text_.find_first_of(blank, begin), text_.size());
  const std::string_view found = text_.substr(begin, end - begin);
  text_.remove_prefix(end);
  return found;
}

bool MeshWords::number(double& value) {
  std::string_view text = word();
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range)
    value = text.find("e-") != text.npos || text.find("E-") != text.npos ? 0 : HUGE_VAL;
  return error != std::errc::invalid_argument;
}

TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& file,
                        const MeshTransform& transform) {
  MeshSource source{.file = file.string(), .bytes = bytes};
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::string text;  // binary STL may begin with anything, and says its length
  if (needs_conversion(bytes) && !(extension == ".stl" && is_binary_stl(bytes)))
    source.bytes = text = utf8_of(bytes, source.file);
  FileMesh mesh;
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
  keep_named_vertices(mesh);
  expect_finite(mesh.vertices, source);
  return placed(mesh, transform, source.file);
}

}  // namespace merganser
