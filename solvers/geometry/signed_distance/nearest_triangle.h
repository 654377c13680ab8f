#pragma once
/// The nearest point of a mesh, and on which side of it a point lies.
#include <cfloat>

#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/geometry/signed_distance/mesh_tree.h"

MERGANSER_BEGIN

MERGANSER_FN Vec3d to_vector(const float (&p)[3]) { return {p[0], p[1], p[2]}; }

/// The nearest point of a triangle, and the part of it where that lies: corner 0 to 2, edge 3 to 5 (0 1),
/// (1 2), (2 0), or the face, 6.
struct PointOfTriangle {
  Vec3d point;
  int part;
};

/// By the regions of the triangle's corners, edges and face (Ericson 2005, sec. 5.1.5).
MERGANSER_FN PointOfTriangle nearest_of_triangle(const Vec3d& x, const Vec3d& a, const Vec3d& b,
                                                 const Vec3d& c) {
  const Vec3d ab = b - a, ac = c - a, ax = x - a, bx = x - b, cx = x - c;
  const double d1 = dot(ab, ax), d2 = dot(ac, ax);
  if (d1 <= 0 && d2 <= 0) return {a, 0};
  const double d3 = dot(ab, bx), d4 = dot(ac, bx);
  if (d3 >= 0 && d4 <= d3) return {b, 1};
  const double beside_ab = d1 * d4 - d3 * d2;
  if (beside_ab <= 0 && d1 >= 0 && d3 <= 0) return {a + ab * (d1 / (d1 - d3)), 3};
  const double d5 = dot(ab, cx), d6 = dot(ac, cx);
  if (d6 >= 0 && d5 <= d6) return {c, 2};
  const double beside_ac = d5 * d2 - d1 * d6;
  if (beside_ac <= 0 && d2 >= 0 && d6 <= 0) return {a + ac * (d2 / (d2 - d6)), 5};
  const double beside_bc = d3 * d6 - d5 * d4;
  if (beside_bc <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return {b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), 4};
  const double share = 1 / (beside_ab + beside_ac + beside_bc);
  return {a + ab * (beside_ac * share) + ac * (beside_ab * share), 6};
}

/// A point's place relative to a surface.
struct SurfacePlace {
  double distance;  ///< [m] negative behind the surface
  Vec3d normal;     ///< unit gradient of the distance
};

/// A tree in the memory of the backend that asks.
struct MeshTreeView {
  View<const TreeNode> nodes;
  View<const TreeTriangle> triangles;

  /// Signed by the pseudonormal of the nearest point. On the surface, to rounding, the normal is that
  /// pseudonormal: nodes of a grid often lie on a face, and x - nearest then has no direction but that of
  /// its rounding.
  MERGANSER_METHOD SurfacePlace at(const Vec3d& x) const {
    double best = DBL_MAX;
    Vec3d nearest{0, 0, 0}, pseudonormal{0, 0, 1};
    int waiting[MeshTree::most_depth], depth = 0;
    waiting[depth++] = 0;
    while (depth > 0) {
      const TreeNode& node = nodes[waiting[--depth]];
      if (!(square_distance(node, x) < best)) continue;
      if (node.count == 0) {
        const bool first_is_nearer =
            square_distance(nodes[node.first], x) <= square_distance(nodes[node.first + 1], x);
        waiting[depth++] = node.first + (first_is_nearer ? 1 : 0);
        waiting[depth++] = node.first + (first_is_nearer ? 0 : 1);
        continue;
      }
      for (int t = node.first; t < node.first + node.count; ++t) {
        const TreeTriangle& triangle = triangles[t];
        const PointOfTriangle of = nearest_of_triangle(
            x, to_vector(triangle.corner[0]), to_vector(triangle.corner[1]), to_vector(triangle.corner[2]));
        const double square = norm_squared(x - of.point);
        if (!(square < best)) continue;
        best = square;
        nearest = of.point;
        pseudonormal = to_vector(triangle.normal[of.part]);
      }
    }
    const Vec3d way = x - nearest;
    const double length = std::sqrt(best), side = dot(way, pseudonormal) < 0 ? -1 : 1;
    return {side * length, length > rounding() ? way * (side / length) : pseudonormal};
  }

  /// [m] A way longer than this is good to 1e-6 of its length: nearest points are rounded to some 2^-53 of
  /// the mesh's coordinates.
  MERGANSER_METHOD double rounding() const {
    const TreeNode& box = nodes[0];
    double most = 0;
    for (int axis = 0; axis < 3; ++axis)
      most = greater(most, greater(std::abs(box.low[axis]), std::abs(box.high[axis])));
    return 1e-9 * most;
  }

  MERGANSER_METHOD static double greater(double a, double b) { return a > b ? a : b; }

  MERGANSER_METHOD static double square_distance(const TreeNode& node, const Vec3d& x) {
    const double dx = beyond(x.x, node.low[0], node.high[0]), dy = beyond(x.y, node.low[1], node.high[1]),
                 dz = beyond(x.z, node.low[2], node.high[2]);
    return dx * dx + dy * dy + dz * dz;
  }
  MERGANSER_METHOD static double beyond(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0.0;
  }
};

/// The solid behind a wall's surface.
struct SolidOfMesh {
  MeshTreeView tree;
  double thickness;  ///< [m] > 0: all within half of it of the surface; 0: what a closed mesh encloses
  bool inside;       ///< particles live inside of the closed mesh: the solid is all the rest

  MERGANSER_METHOD SurfacePlace at(const Vec3d& x) const {
    SurfacePlace place = tree.at(x);
    if (thickness > 0) {
      if (place.distance < 0) place = {-place.distance, -place.normal};
      place.distance -= 0.5 * thickness;
    }
    return inside ? SurfacePlace{-place.distance, -place.normal} : place;
  }
};

MERGANSER_END
