#include <charconv>

#include "solvers/geometry/sampling/mesh_source.h"

namespace merganser {

namespace {

/// True where a word begins with #: from there on the line is a comment.
bool has_comment(std::string_view text) {
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1))
    if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t') return true;
  return false;
}

/// A line and those that it goes on in: each but the last ends with a backslash. A comment, which may end
/// with one as paths of folders do, does not go on.
bool next_statement(MeshSource& source, std::string& text) {
  if (!source.next_line(text)) return false;
  std::string more;
  while (text.ends_with('\\') && !has_comment(text)) {
    text.back() = ' ';
    if (!source.next_line(more)) break;
    text += more;
  }
  return true;
}

}  // namespace

FileMesh read_obj(MeshSource& source) {
  FileMesh mesh;
  std::string text;
  while (next_statement(source, text)) {
    MeshWords words(text);
    const std::string_view kind = words.word();
    if (kind == "v") {
      if (!words.point(mesh.vertices.emplace_back()))
        source.fail("a vertex needs three numbers, found '" + text + "'");
    } else if (kind == "f") {
      std::vector<long long> corners;
      for (std::string_view corner = words.word(); !corner.empty() && corner[0] != '#';
           corner = words.word()) {
        long long index = 0;
        std::from_chars(corner.data(), corner.data() + corner.size(), index);
        if (index == 0)
          source.fail("a face's corner is a vertex number, found '" + std::string(corner) + "'");
        corners.push_back(index > 0 ? index - 1 : static_cast<long long>(mesh.vertices.size()) + index);
      }
      add_polygon(mesh, corners, source);
    }
  }
  return mesh;
}

}  // namespace merganser
