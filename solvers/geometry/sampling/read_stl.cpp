#include <bit>
#include <sstream>

#include "solvers/geometry/sampling/mesh_source.h"

namespace merganser {

namespace {
/// Three corners a facet.
std::vector<Float3> binary_corners(MeshSource& source, std::uint32_t count) {
  std::vector<Float3> corners;
  source.at = 84;
  for (std::uint32_t t = 0; t < count; ++t) {
    source.at += 12;  // the normal
    for (int k = 0; k < 3; ++k) {
      Float3 v;
      for (float& x : v) x = source.binary<float>(std::endian::native == std::endian::big);
      corners.push_back(v);
    }
    source.at += 2;
  }
  return corners;
}

std::vector<Float3> text_corners(MeshSource& source) {
  std::vector<Float3> corners;
  std::string text;
  if (!source.next_line(text) || text.rfind("solid", 0) != 0)
    source.fail(
        "this is neither ASCII STL (no 'solid') nor binary STL (its size does not fit its triangle count)");
  while (source.next_line(text)) {
    std::istringstream words(text);
    std::string word;
    Float3 v;
    if (!(words >> word) || word != "vertex") continue;
    if (!(words >> v[0] >> v[1] >> v[2])) source.fail("a vertex needs three numbers, found '" + text + "'");
    corners.push_back(v);
  }
  if (corners.size() % 3 != 0) source.fail("the last facet is incomplete; save the file again");
  return corners;
}
}  // namespace

TriangleMesh read_stl(MeshSource& source) {
  std::uint32_t count = 0;
  if (source.bytes.size() >= 84) std::memcpy(&count, source.bytes.data() + 80, 4);
  const std::vector<Float3> corners =
      source.bytes.size() == 84 + 50ull * count ? binary_corners(source, count) : text_corners(source);
  expect_finite(corners, source);  // before they are compared
  return mesh_of_corners(corners);
}

}  // namespace merganser
