#include <bit>

#include "solvers/geometry/sampling/mesh_source.h"
#include "solvers/geometry/sampling/weld.h"

namespace merganser {

namespace {

constexpr size_t stl_header = 84, stl_facet = 50;

std::uint32_t facets_of_binary_stl(std::string_view bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= stl_header) std::memcpy(&count, bytes.data() + 80, 4);
  return std::endian::native == std::endian::big ? __builtin_bswap32(count) : count;
}

/// Three corners a facet.
std::vector<Point3> binary_corners(MeshSource& source) {
  std::vector<Point3> corners;
  source.at = stl_header;
  for (std::uint32_t t = 0, count = facets_of_binary_stl(source.bytes); t < count; ++t) {
    source.at += 12;  // the normal
    for (int k = 0; k < 3; ++k)
      for (double& x : corners.emplace_back())
        x = source.binary<float>(std::endian::native == std::endian::big);
    source.at += 2;
  }
  return corners;
}

bool is_stl_word(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

/// Words in any case, behind blanks; the name of the solid is not read.
std::vector<Point3> text_corners(MeshSource& source) {
  std::vector<Point3> corners;
  std::string text;
  bool begun = false;
  while (!begun && source.next_line(text)) {
    const std::string_view word = MeshWords(text).word();
    if (!(begun = is_stl_word(word, "solid")) && !word.empty()) break;
  }
  if (!begun) {
    source.line = 0;
    source.fail("this is neither ASCII STL (no 'solid') nor binary STL: for the " +
                std::to_string(facets_of_binary_stl(source.bytes)) +
                " facets that its header counts it has " + std::to_string(source.bytes.size()) +
                " bytes and needs " +
                std::to_string(stl_header + stl_facet * size_t{facets_of_binary_stl(source.bytes)}) +
                "; save it again");
  }
  while (source.next_line(text)) {
    MeshWords words(text);
    if (!is_stl_word(words.word(), "vertex")) continue;
    if (!words.point(corners.emplace_back()))
      source.fail("a vertex needs three numbers, found '" + text + "'");
  }
  if (corners.size() % 3 != 0) source.fail("the last facet is incomplete; save the file again");
  return corners;
}

}  // namespace

bool is_binary_stl(std::string_view bytes) {
  return bytes.size() >= stl_header &&
         bytes.size() == stl_header + stl_facet * size_t{facets_of_binary_stl(bytes)};
}

FileMesh read_stl(MeshSource& source) {
  FileMesh mesh;
  mesh.vertices = is_binary_stl(source.bytes) ? binary_corners(source) : text_corners(source);
  expect_finite(mesh.vertices, source);  // before they are compared
  for (int k = 0; k < static_cast<int>(mesh.vertices.size()); k += 3)
    mesh.triangles.push_back({k, k + 1, k + 2});
  weld(mesh, 0);
  return mesh;
}

}  // namespace merganser
