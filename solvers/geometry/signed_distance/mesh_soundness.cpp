#include "solvers/geometry/signed_distance/mesh_soundness.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "device/vector_math.h"
#include "solvers/geometry/sampling/closed_mesh.h"
#include "solvers/geometry/signed_distance/mesh_overlaps.h"
#include "solvers/geometry/signed_distance/tree_search.h"

namespace merganser {

using cpu::Vec3d;

namespace {

void turn_outwards(TriangleMesh& mesh) {
  if (mesh_volume(mesh) >= 0) return;
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
}

/// Crossing of a line with a triangle: the share of the way from p to q, negative where it misses. Crossings
/// within `coordinate_rounding` of the triangle's edges do not count (Moeller and Trumbore 1997).
double crossing(const Vec3d& p, const Vec3d& q, const TreeTriangle& t) {
  const Vec3d a = to_vec(t.corner[0]), ab = to_vec(t.corner[1]) - a, ac = to_vec(t.corner[2]) - a,
              way = q - p;
  const Vec3d u = cross(way, ac);
  const double determinant = dot(ab, u);
  if (std::abs(determinant) <= coordinate_rounding * norm(way) * norm(ab) * norm(ac)) return -1;
  const Vec3d from = p - a, v = cross(from, ab);
  const double b = dot(from, u) / determinant, c = dot(way, v) / determinant;
  if (!(b > coordinate_rounding && c > coordinate_rounding && b + c < 1 - coordinate_rounding)) return -1;
  return dot(ac, v) / determinant;
}

}  // namespace

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
  turn_outwards(mesh);
  if (const MeshOverlap overlap = find_overlap(mesh, make_mesh_tree(mesh)); overlap.found())
    throw InputError(name + ": " + overlap.text() +
                     "; unite its parts (for example with Blender's boolean modifier) and save it again");
}

TriangleMesh solid_surface(TriangleMesh closed, double cell) {
  turn_outwards(closed);
  if (!find_overlap(closed, make_mesh_tree(closed)).found()) return closed;
  return united_mesh(closed, cell);
}

}  // namespace merganser
