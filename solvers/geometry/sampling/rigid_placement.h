#pragma once
/// Placement of a rigid body's own frame.
#include "solvers/base/host_types.h"

namespace merganser {

/// A proper rotation, by rows.
using Rotation3 = std::array<Point3, 3>;
inline constexpr Rotation3 no_rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// x -> rotation x + translation.
struct RigidPlacement {
  Rotation3 rotation = no_rotation;
  Point3 translation{0, 0, 0};  ///< [m]
  Point3 operator()(const Point3& x) const;
};

/// The motion of a body from where `from` places it to where `to` does: to from^-1.
RigidPlacement moved_between(const RigidPlacement& from, const RigidPlacement& to);
/// By an angle [rad] about an axis of any length; about z where it has none.
Rotation3 rotation_about(const Point3& axis, double angle);
/// The smallest rotation that turns one direction, a unit vector, into another of any length; exact for
/// quarter turns between coordinate axes.
Rotation3 smallest_rotation(const Point3& from, const Point3& to);

}  // namespace merganser
