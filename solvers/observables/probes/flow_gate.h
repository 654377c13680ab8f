#pragma once
/// A parallelogram through which straight paths go.
#include "device/vector_math.h"

MERGANSER_BEGIN

struct FlowGate {
  Vec3d corner;  ///< [m]
  Vec3d normal;  ///< along edge u x edge v, of any length
  /// Coordinates of a point of the plane: dual_u.(x - corner) and dual_v.(x - corner), 0 to 1 within.
  Vec3d dual_u, dual_v;

  FlowGate(const Vec3d& of_corner, const Vec3d& u, const Vec3d& v)
      : corner(of_corner),
        normal(cross(u, v)),
        dual_u(cross(v, normal) / norm_squared(normal)),
        dual_v(cross(normal, u) / norm_squared(normal)) {}

  /// +1 where the path [m] goes through along the normal, -1 against it, 0 where it does not. A path that
  /// ends on the plane has not reached the side that the normal points to; so paths that follow each other
  /// count once.
  MERGANSER_METHOD int passage(const Vec3& from, const Vec3& to) const {
    const Vec3d a = to_double(from) - corner, b = to_double(to) - corner;
    const double before = dot(normal, a), after = dot(normal, b);
    if ((before > 0) == (after > 0)) return 0;
    const Vec3d at = a + (before / (before - after)) * (b - a);
    const double s = dot(dual_u, at), t = dot(dual_v, at);
    if (!(s >= 0 && s < 1 && t >= 0 && t < 1)) return 0;
    return after > 0 ? 1 : -1;
  }
};

MERGANSER_END
