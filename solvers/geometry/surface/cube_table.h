#pragma once
/// Table of the cuts of a surface through a cell, for each of the 256 ways in which its corners lie inside or
/// outside the fluid; worked out, not written down.
#include <array>

#include "device/backend.h"

MERGANSER_BEGIN

/// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2 & 1). Edge 4 a + m runs along axis a; the bits of m
/// are its coordinates along the other two axes, the lower axis first.
struct CubeTable {
  static constexpr int most_triangles = 5;
  static constexpr int stride = 1 + 3 * most_triangles;
  /// Per case (bit c = corner c inside): the number of triangles, then three edges each, counter-clockwise
  /// seen from outside the fluid.
  std::array<signed char, 256 * stride> entry{};
};

/// Corner at the lower end of an edge.
MERGANSER_METHOD constexpr int edge_corner(int edge) {
  const int axis = edge / 4, low = edge & 1, high = edge >> 1 & 1;
  return axis == 0 ? low << 1 | high << 2 : axis == 1 ? low | high << 2 : low | high << 1;
}

/// On every face inside corners that only meet across a diagonal are cut off one by one; the two cells at a
/// face so cut it alike, and the surface has no holes. The cuts close to loops of edges, which are cut into
/// triangles without a diagonal that lies in a face: the cell behind that face could use the same one, and
/// the edge would have four triangles.
const CubeTable& cube_table();

MERGANSER_END
