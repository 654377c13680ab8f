#pragma once
/// Triangles of a tree that a box or a ray reaches. Plain host code.
#include <algorithm>
#include <vector>

#include "device/vector_math.h"
#include "solvers/geometry/signed_distance/mesh_tree.h"

namespace merganser {

constexpr double coordinate_rounding = 1e-7;  ///< of lengths: coordinates have 32 bits

inline cpu::Vec3d to_vec(const float (&p)[3]) { return {p[0], p[1], p[2]}; }

/// Calls visit(triangle) for all triangles of leaves that `touches` lets through.
template <class Touches, class Visit>
void for_each_triangle(const MeshTree& tree, const Touches& touches, const Visit& visit) {
  std::vector<int> waiting{0};
  while (!waiting.empty()) {
    const TreeNode& node = tree.nodes[size_t(waiting.back())];
    waiting.pop_back();
    if (!touches(node)) continue;
    if (node.count == 0)
      waiting.insert(waiting.end(), {node.first, node.first + 1});
    else
      for (int t = node.first; t < node.first + node.count; ++t) visit(t);
  }
}

/// A ray from p of the length |way| (slabs).
inline bool ray_touches(const TreeNode& node, const cpu::Vec3d& p, const cpu::Vec3d& way) {
  const double from[3] = {p.x, p.y, p.z}, by[3] = {way.x, way.y, way.z};
  double first = 0, last = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double inverse = 1 / (by[axis] != 0 ? by[axis] : 1e-300);
    const double a = (node.low[axis] - from[axis]) * inverse, b = (node.high[axis] - from[axis]) * inverse;
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  return first <= last;
}

}  // namespace merganser
