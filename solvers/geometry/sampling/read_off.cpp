#include <cmath>

#include "solvers/geometry/sampling/mesh_source.h"

namespace merganser {

namespace {
/// The next line that holds any word; what stands behind a # is a comment.
MeshWords next_off_line(MeshSource& source, std::string& text) {
  while (source.next_line(text)) {
    text = text.substr(0, text.find('#'));
    if (text.find_first_not_of(" \t") != text.npos) return MeshWords(text);
  }
  source.fail("the file ends too early; save it again");
}

/// True where the next word is a count or the number of a vertex: a whole number.
bool read_whole(MeshWords& words, long long& value) {
  double number = 0;
  if (!words.number(number) || !(number >= 0 && number < 0x1p53) || number != std::floor(number))
    return false;
  value = static_cast<long long>(number);
  return true;
}
}  // namespace

FileMesh read_off(MeshSource& source) {
  FileMesh mesh;
  std::string text;
  MeshWords words = next_off_line(source, text);
  if (words.word() != "OFF")
    source.fail(
        "this is no OFF file: its first word is not 'OFF' (colors and normals of vertices are not read)");
  long long vertices = 0, faces = 0;
  if (!read_whole(words, vertices) || !read_whole(words, faces)) {
    words = next_off_line(source, text);
    if (!read_whole(words, vertices) || !read_whole(words, faces))
      source.fail("the counts of vertices and faces are missing");
  }
  for (long long k = 0; k < vertices; ++k) {
    words = next_off_line(source, text);
    if (!words.point(mesh.vertices.emplace_back()))
      source.fail("a vertex needs three numbers, found '" + text + "'");
  }
  for (long long k = 0; k < faces; ++k) {
    words = next_off_line(source, text);
    long long count = 0, corner = 0;
    std::vector<long long> corners;
    read_whole(words, count);
    while (static_cast<long long>(corners.size()) < count && read_whole(words, corner))
      corners.push_back(corner);
    if (static_cast<long long>(corners.size()) < count)
      source.fail("a face has fewer corners than it says, found '" + text + "'");
    add_polygon(mesh, corners, source);
  }
  return mesh;
}

}  // namespace merganser
