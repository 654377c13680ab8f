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

/// The words of an ASCII STL file, whatever their lines.
class StlWords {
 public:
  explicit StlWords(MeshSource& source) : source_(source) {}

  /// "" at the end of the file.
  std::string_view next() {
    std::string_view word;
    while ((word = words_.word()).empty() && source_.next_line(text_)) words_ = MeshWords(text_);
    return word;
  }
  /// Goes on at the first facet of this line, or in the next one: names may be any words.
  void pass_name() {
    MeshWords ahead = words_;
    for (std::string_view word = ahead.word(); !word.empty(); word = ahead.word()) {
      MeshWords behind = ahead;
      if (!is_stl_word(word, "facet") || !is_stl_word(behind.word(), "normal")) continue;
      words_ = behind;
      return;
    }
    words_ = MeshWords();
  }

 private:
  MeshSource& source_;
  std::string text_;
  MeshWords words_;
};

/// Three numbers behind the word "vertex".
Point3 text_vertex(StlWords& words, MeshSource& source) {
  Point3 x;
  std::string found = "vertex";
  const int line = source.line;
  for (double& coordinate : x) {
    const std::string_view word = words.next();
    if (!word.empty()) found += " " + std::string(word);
    if (MeshWords(word).number(coordinate)) continue;
    source.line = line;
    source.fail("a vertex needs three numbers, found '" + found + "'");
  }
  return x;
}

/// Words in any case, on any lines; names of solids are not read.
std::vector<Point3> text_corners(MeshSource& source) {
  std::vector<Point3> corners;
  StlWords words(source);
  std::string_view word = words.next();
  if (!is_stl_word(word, "solid")) {
    source.line = 0;
    source.fail("this is neither ASCII STL (no 'solid') nor binary STL: for the " +
                std::to_string(facets_of_binary_stl(source.bytes)) +
                " facets that its header counts it has " + std::to_string(source.bytes.size()) +
                " bytes and needs " +
                std::to_string(stl_header + stl_facet * size_t{facets_of_binary_stl(source.bytes)}) +
                "; save it again");
  }
  for (; !word.empty(); word = words.next()) {
    if (is_stl_word(word, "solid") || is_stl_word(word, "endsolid")) words.pass_name();
    if (is_stl_word(word, "vertex")) corners.push_back(text_vertex(words, source));
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
