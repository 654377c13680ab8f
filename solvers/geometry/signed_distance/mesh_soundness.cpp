#include "solvers/geometry/signed_distance/mesh_soundness.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "device/vector_math.h"
#include "solvers/geometry/sampling/closed_mesh.h"

namespace merganser {

using cpu::Vec3d;

namespace {

constexpr double rounding = 1e-7;  ///< of lengths, as of 32-bit coordinates

Vec3d to_vec(const float (&p)[3]) { return {p[0], p[1], p[2]}; }

/// Where a line crosses a triangle: the share of the way from p to q, negative where it does not. Crossings
/// within `rounding` of the triangle's edges do not count (Moeller and Trumbore 1997).
double crossing(const Vec3d& p, const Vec3d& q, const TreeTriangle& t) {
  const Vec3d a = to_vec(t.corner[0]), ab = to_vec(t.corner[1]) - a, ac = to_vec(t.corner[2]) - a,
              way = q - p;
  const Vec3d u = cross(way, ac);
  const double determinant = dot(ab, u);
  if (std::abs(determinant) <= rounding * norm(way) * norm(ab) * norm(ac)) return -1;
  const Vec3d from = p - a, v = cross(from, ab);
  const double b = dot(from, u) / determinant, c = dot(way, v) / determinant;
  if (!(b > rounding && c > rounding && b + c < 1 - rounding)) return -1;
  return dot(ac, v) / determinant;
}

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

/// An edge of one passes through the inside of the other; edges that end in a shared corner are left out.
bool pierces(const TriangleMesh& mesh, const MeshTree& tree, int one, int other) {
  const Triangle &a = mesh.triangles[size_t(tree.source[size_t(one)])],
                 &b = mesh.triangles[size_t(tree.source[size_t(other)])];
  const TreeTriangle& from = tree.triangles[size_t(one)];
  for (size_t k = 0; k < 3; ++k) {
    const auto shared = [&](int v) { return std::find(b.begin(), b.end(), v) != b.end(); };
    if (shared(a[k]) || shared(a[(k + 1) % 3])) continue;
    const double at =
        crossing(to_vec(from.corner[k]), to_vec(from.corner[(k + 1) % 3]), tree.triangles[size_t(other)]);
    if (at > rounding && at < 1 - rounding) return true;
  }
  return false;
}

bool boxes_touch(const TreeNode& node, const TreeTriangle& t) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax({t.corner[0][axis], t.corner[1][axis], t.corner[2][axis]});
    if (low > node.high[axis] || high < node.low[axis]) return false;
  }
  return true;
}

/// A ray from p of the length |way| (slabs).
bool ray_touches(const TreeNode& node, const Vec3d& p, const Vec3d& way) {
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

}  // namespace

TrianglePair find_intersection(const TriangleMesh& mesh, const MeshTree& tree) {
  TrianglePair found;
  for (int one = 0; one < static_cast<int>(tree.triangles.size()) && !found.found(); ++one) {
    const TreeTriangle& triangle = tree.triangles[size_t(one)];
    for_each_triangle(
        tree, [&](const TreeNode& node) { return !found.found() && boxes_touch(node, triangle); },
        [&](int other) {
          if (other != one && pierces(mesh, tree, one, other))
            found = {tree.source[size_t(one)], tree.source[size_t(other)]};
        });
  }
  return found;
}

ThinParts find_thin_parts(const MeshTree& tree, double length) {
  ThinParts thin;
  double area = 0, thin_area = 0;
  for (const TreeTriangle& t : tree.triangles) {
    const Vec3d a = to_vec(t.corner[0]), b = to_vec(t.corner[1]), c = to_vec(t.corner[2]),
                n = to_vec(t.normal[6]);
    const double own = 0.5 * norm(cross(b - a, c - a));
    const Vec3d middle = (a + b + c) / 3.0, way = n * -length;
    double nearest = 2;
    for_each_triangle(
        tree, [&](const TreeNode& node) { return ray_touches(node, middle, way); },
        [&](int other) {
          const double at = crossing(middle, middle + way, tree.triangles[size_t(other)]);
          if (at > 1e-6) nearest = std::min(nearest, at);
        });
    area += own;
    if (nearest >= 1) continue;
    thin_area += own;
    thin.least = std::min(thin.least, nearest * length);
  }
  thin.area_share = thin_area / area;
  return thin;
}

void make_sound(TriangleMesh& mesh, const std::string& name) {
  make_closed(mesh, name);
  if (mesh_volume(mesh) < 0)
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  if (const TrianglePair pair = find_intersection(mesh, make_mesh_tree(mesh)); pair.found())
    throw InputError(name + ": the mesh intersects itself, for example its triangles " +
                     std::to_string(pair.first + 1) + " and " + std::to_string(pair.second + 1) +
                     " do; unite its parts (for example with Blender's boolean modifier) and save it again");
}

}  // namespace merganser
