#pragma once
/// Pose of a rigid thing, in double: a turn about a point and a displacement. Plain host code.
#include <array>
#include <cmath>

#include "solvers/base/point_arithmetic.h"

namespace merganser {

/// A rotation as a unit quaternion, scalar part first.
struct Rotation {
  double w = 1;
  Point3 v{0, 0, 0};

  /// By |turn| [rad] about `turn`.
  static Rotation by(const Point3& turn) {
    using namespace point_arithmetic;
    const double angle = length(turn);
    if (!(angle > 0)) return {};
    return {std::cos(angle / 2), (std::sin(angle / 2) / angle) * turn};
  }
  static Rotation about(const Point3& axis, double angle) {
    using namespace point_arithmetic;
    const double size = length(axis);
    return size > 0 ? by((angle / size) * axis) : Rotation{};
  }
  bool none() const { return v == Point3{0, 0, 0}; }
  Rotation inverse() const { return {w, {-v[0], -v[1], -v[2]}}; }
  Point3 operator()(const Point3& x) const {
    using namespace point_arithmetic;
    const Point3 t = 2.0 * cross(v, x);
    return x + w * t + cross(v, t);
  }
  /// The other first, then this.
  Rotation operator*(const Rotation& first) const {
    using namespace point_arithmetic;
    return {w * first.w - dot(v, first.v), w * first.v + first.w * v + cross(v, first.v)};
  }
  /// Axis times angle [rad], the shorter way round.
  Point3 turn() const {
    using namespace point_arithmetic;
    const double sine = length(v);
    if (!(sine > 0)) return {0, 0, 0};
    const double angle = 2 * std::atan2(sine, std::abs(w));
    return ((w < 0 ? -angle : angle) / sine) * v;
  }
};

/// x -> centre + displacement + rotation (x - centre).
struct RigidPose {
  Rotation rotation;
  Point3 centre{0, 0, 0}, displacement{0, 0, 0};  ///< [m]
  Point3 operator()(const Point3& x) const {
    using namespace point_arithmetic;
    return centre + displacement + rotation(x - centre);
  }
  /// Where a point came from.
  Point3 back(const Point3& x) const {
    using namespace point_arithmetic;
    return centre + rotation.inverse()(x - centre - displacement);
  }
};

}  // namespace merganser
