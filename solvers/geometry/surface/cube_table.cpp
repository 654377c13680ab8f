#include "solvers/geometry/surface/cube_table.h"

#include <stdexcept>
#include <vector>

MERGANSER_BEGIN

namespace {

using Loop = std::vector<int>;
using Corners = std::array<int, 3>;  ///< of a triangle, places in a loop

/// Corners of the six faces, counter-clockwise seen from outside the cell.
constexpr std::array<std::array<int, 4>, 6> faces{
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

int edge_between(int a, int b) {
  const int low = a < b ? a : b, axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
  for (int m = 0; m < 4; ++m)
    if (edge_corner(4 * axis + m) == low) return 4 * axis + m;
  throw std::logic_error("cube table: corners without an edge");
}

bool on_face(int edge, size_t face) {
  const auto& corners = faces[face];
  const int low = edge_corner(edge), high = low | 1 << edge / 4;
  int found = 0;
  for (int c : corners) found += c == low || c == high;
  return found == 2;
}

bool share_face(int a, int b) {
  for (size_t face = 0; face < faces.size(); ++face)
    if (on_face(a, face) && on_face(b, face)) return true;
  return false;
}

/// The closed loops in which the surface crosses the cell's edges, counter-clockwise seen from outside the
/// fluid: around a face, a cut runs from where the walk enters a row of inside corners to where it leaves.
std::vector<Loop> loops_of(int inside) {
  std::array<int, 12> next;
  next.fill(-1);
  for (const auto& corners : faces)
    for (size_t k = 0; k < 4; ++k) {
      const auto is_inside = [&](size_t c) { return (inside >> corners[c % 4] & 1) != 0; };
      if (is_inside(k) || !is_inside(k + 1)) continue;
      size_t last = k + 1;
      while (is_inside(last + 1)) ++last;
      next[size_t(edge_between(corners[k % 4], corners[(k + 1) % 4]))] =
          edge_between(corners[last % 4], corners[(last + 1) % 4]);
    }
  std::vector<Loop> loops;
  for (int start = 0; start < 12; ++start) {
    Loop loop;
    for (int edge = start; next[size_t(edge)] >= 0;) {
      loop.push_back(edge);
      const int following = next[size_t(edge)];
      next[size_t(edge)] = -1;
      edge = following;
    }
    if (!loop.empty()) loops.push_back(loop);
  }
  return loops;
}

/// Triangles of the part [first, last] of a loop, closed by the diagonal first-last; false where each way to
/// cut it needs a diagonal in a face.
bool triangulate(const Loop& loop, int first, int last, std::vector<Corners>& triangles) {
  if (last - first < 2) return true;
  const auto allowed = [&](int a, int b) {
    return b - a < 2 || !share_face(loop[size_t(a)], loop[size_t(b)]);
  };
  const size_t before = triangles.size();
  for (int middle = first + 1; middle < last; ++middle) {
    if (!allowed(first, middle) || !allowed(middle, last)) continue;
    triangles.push_back({first, middle, last});
    if (triangulate(loop, first, middle, triangles) && triangulate(loop, middle, last, triangles))
      return true;
    triangles.resize(before);
  }
  return false;
}

CubeTable make_table() {
  CubeTable table;
  for (int inside = 0; inside < 256; ++inside) {
    signed char* entry = table.entry.data() + inside * CubeTable::stride;
    for (const Loop& loop : loops_of(inside)) {
      std::vector<Corners> triangles;
      if (!triangulate(loop, 0, static_cast<int>(loop.size()) - 1, triangles))
        throw std::logic_error("cube table: a loop without a triangulation");
      for (const Corners& t : triangles) {
        if (entry[0] == CubeTable::most_triangles) throw std::logic_error("cube table: too many triangles");
        for (size_t c = 0; c < 3; ++c)
          entry[1 + 3 * entry[0] + int(c)] = static_cast<signed char>(loop[size_t(t[c])]);
        ++entry[0];
      }
    }
  }
  return table;
}

}  // namespace

const CubeTable& cube_table() {
  static const CubeTable table = make_table();
  return table;
}

MERGANSER_END
