#pragma once
/// Signed distance of a mesh by looking at every triangle, in double precision.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "device/vector_math.h"
#include "solvers/geometry/sampling/mesh.h"

MERGANSER_BEGIN

inline Vec3d vertex_of(const TriangleMesh& mesh, int index) {
  const Float3& v = mesh.vertices[size_t(index)];
  return {v[0], v[1], v[2]};
}

inline double distance_to_segment(const Vec3d& x, const Vec3d& a, const Vec3d& b) {
  const double t = std::clamp(dot(x - a, b - a) / std::max(norm_squared(b - a), 1e-300), 0.0, 1.0);
  return norm(x - (a + (b - a) * t));
}

/// To the plane where the foot of the perpendicular lies within, else to the nearest side.
inline double distance_to_triangle(const Vec3d& x, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d n = normalized_or_zero(cross(b - a, c - a));
  const auto left_of = [&](const Vec3d& p, const Vec3d& q) { return dot(cross(q - p, x - p), n) >= 0; };
  if (norm(n) > 0 && left_of(a, b) && left_of(b, c) && left_of(c, a)) return std::abs(dot(x - a, n));
  return std::min({distance_to_segment(x, a, b), distance_to_segment(x, b, c), distance_to_segment(x, c, a)});
}

/// Turns of the surface around a point: 1 within a closed mesh whose faces look outwards, 0 outside
/// (Jacobson, Kavan, Sorkine-Hornung 2013, eq. 5; solid angles as van Oosterom and Strackee 1983, eq. 8).
inline double winding_number(const TriangleMesh& mesh, const Vec3d& x) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a = vertex_of(mesh, t[0]) - x, b = vertex_of(mesh, t[1]) - x, c = vertex_of(mesh, t[2]) - x;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum +=
        2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * std::numbers::pi);
}

inline double unsigned_distance(const TriangleMesh& mesh, const Vec3d& x) {
  double least = 1e300;
  for (const Triangle& t : mesh.triangles)
    least = std::min(
        least, distance_to_triangle(x, vertex_of(mesh, t[0]), vertex_of(mesh, t[1]), vertex_of(mesh, t[2])));
  return least;
}

/// Negative within.
inline double signed_distance_of(const TriangleMesh& mesh, const Vec3d& x) {
  return (std::abs(winding_number(mesh, x)) > 0.5 ? -1 : 1) * unsigned_distance(mesh, x);
}

MERGANSER_END
