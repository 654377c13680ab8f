#include <sstream>

#include "solvers/geometry/sampling/mesh_source.h"

namespace merganser {

namespace {
/// The numbers of the next line that holds any; what stands behind a # is a comment.
std::istringstream next_numbers(MeshSource& source, std::string& text) {
  while (source.next_line(text)) {
    text = text.substr(0, text.find('#'));
    if (text.find_first_not_of(" \t") != text.npos) return std::istringstream(text);
  }
  source.fail("the file ends too early; save it again");
}
}  // namespace

TriangleMesh read_off(MeshSource& source) {
  TriangleMesh mesh;
  std::string text, word;
  std::istringstream words = next_numbers(source, text);
  if (!(words >> word) || word != "OFF")
    source.fail(
        "this is no OFF file: its first word is not 'OFF' (colors and normals of vertices are not read)");
  long long vertices = 0, faces = 0;
  if (!(words >> vertices >> faces)) {
    words = next_numbers(source, text);
    if (!(words >> vertices >> faces)) source.fail("the counts of vertices and faces are missing");
  }
  for (long long k = 0; k < vertices; ++k) {
    words = next_numbers(source, text);
    Float3 v;
    if (!(words >> v[0] >> v[1] >> v[2])) source.fail("a vertex needs three numbers, found '" + text + "'");
    mesh.vertices.push_back(v);
  }
  for (long long k = 0; k < faces; ++k) {
    words = next_numbers(source, text);
    size_t count = 0;
    words >> count;
    std::vector<long long> corners;
    for (long long corner; corners.size() < count && words >> corner;) corners.push_back(corner);
    if (corners.size() < count) source.fail("a face has fewer corners than it says, found '" + text + "'");
    add_polygon(mesh, corners, source);
  }
  return mesh;
}

}  // namespace merganser
