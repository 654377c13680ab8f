#include <sstream>

#include "solvers/geometry/sampling/mesh_source.h"

namespace merganser {

namespace {

/// A line and those that it goes on in: each but the last ends with a backslash. A comment, which may end
/// with one as paths of folders do, is a line alone.
bool next_statement(MeshSource& source, std::string& text) {
  if (!source.next_line(text)) return false;
  const size_t first = text.find_first_not_of(" \t");
  const bool comment = first != text.npos && text[first] == '#';
  std::string more;
  while (!comment && text.ends_with('\\')) {
    text.back() = ' ';
    if (!source.next_line(more)) break;
    text += more;
  }
  return true;
}

}  // namespace

TriangleMesh read_obj(MeshSource& source) {
  TriangleMesh mesh;
  std::string text;
  while (next_statement(source, text)) {
    std::istringstream words(text);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Float3 v;
      if (!(words >> v[0] >> v[1] >> v[2])) source.fail("a vertex needs three numbers, found '" + text + "'");
      mesh.vertices.push_back(v);
    } else if (kind == "f") {
      std::vector<long long> corners;
      for (std::string corner; words >> corner;) {
        char* end = nullptr;
        const long long index = std::strtoll(corner.c_str(), &end, 10);
        if (end == corner.c_str() || index == 0)
          source.fail("a face's corner is a vertex number, found '" + corner + "'");
        corners.push_back(index > 0 ? index - 1 : static_cast<long long>(mesh.vertices.size()) + index);
      }
      add_polygon(mesh, corners, source);
    }
  }
  return mesh;
}

}  // namespace merganser
