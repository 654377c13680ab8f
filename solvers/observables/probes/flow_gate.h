#pragma once
/// A parallelogram through which particles go.
#include <cmath>

#include "solvers/core/nearest_image.h"

MERGANSER_BEGIN

struct FlowGate {
  static constexpr long long whole = 1 << 20;  ///< a particle, in the unit of passages
  Vec3d corner;                                ///< [m]
  Vec3d normal;                                ///< along edge u x edge v, of any length
  /// Coordinates of a point of the plane: dual_u.(x - corner) and dual_v.(x - corner), 0 to 1 within.
  Vec3d dual_u, dual_v;
  double shares;  ///< of a particle, by normal.(x - corner); 0: particles are points

  /// `thickness` [m] of a particle along the normal.
  FlowGate(const Vec3d& of_corner, const Vec3d& u, const Vec3d& v, double thickness = 0)
      : corner(of_corner),
        normal(cross(u, v)),
        dual_u(cross(v, normal) / norm_squared(normal)),
        dual_v(cross(normal, u) / norm_squared(normal)),
        shares(thickness > 0 ? 1 / (norm(normal) * thickness) : 0) {}

  /// What of a particle a straight path [m] takes through, positive along the normal. A particle is a slab of
  /// its thickness, of which that share has passed that is beyond the plane: a layer of particles passes in
  /// the time in which the next one comes, not at once. Whole numbers, so the passages of paths that follow
  /// each other sum up to one particle, or to nothing where it turns back. The place where it is nearest to
  /// the plane decides whether it goes through the parallelogram. `period` [m]: 0 = open.
  MERGANSER_METHOD long long passage(const Vec3& from, const Vec3& to, const Vec3& period = {0, 0, 0}) const {
    const Vec3d a = place(from, period), b = place(to, period);
    const double before = dot(normal, a), after = dot(normal, b);
    const long long passed = beyond(after) - beyond(before);
    if (passed == 0) return 0;
    const Vec3d path = to_double(nearest_image(to - from, period));
    // From one image of the plane towards another: it has gone through neither.
    if (fabs(dot(normal, path)) < 0.5 * fabs(after - before)) return 0;
    Vec3d at = fabs(before) < fabs(after) ? a : b;
    if ((before > 0) != (after > 0)) at = a + (before / (before - after)) * path;
    const double s = dot(dual_u, at), t = dot(dual_v, at);
    return s >= 0 && s < 1 && t >= 0 && t < 1 ? passed : 0;
  }

 private:
  /// Of the images of x that which is nearest to the plane, from the corner.
  MERGANSER_METHOD Vec3d place(const Vec3& x, const Vec3& period) const {
    Vec3d a = to_double(x) - corner;
    bring(a.x, normal.x * period.x, period.x, a);
    bring(a.y, normal.y * period.y, period.y, a);
    bring(a.z, normal.z * period.z, period.z, a);
    return a;
  }
  MERGANSER_METHOD void bring(double& component, double step, double period, const Vec3d& a) const {
    if (step != 0) component -= period * rint(dot(normal, a) / step);
  }
  /// From -whole/2 to whole/2.
  MERGANSER_METHOD long long beyond(double along) const {
    const double share = shares > 0 ? along * shares : along > 0 ? 1 : -1;
    return llrint((share < -0.5 ? -0.5 : share > 0.5 ? 0.5 : share) * double(whole));
  }
};

MERGANSER_END
