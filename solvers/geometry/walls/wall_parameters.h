#pragma once
/// Walls as signed distances, positive where particles may be.
#include <string>
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/geometry/walls/wall_motion.h"

namespace merganser {

struct ParameterTable;

/// In the order of WallParameters::tables(); those behind have no table of their own.
enum class WallShape : int {
  plane,           ///< half space in front of point with unit normal
  box,             ///< inside or outside of a box [low, high], turned about its middle
  sphere,          ///< inside or outside of a sphere
  cylinder,        ///< inside or outside of a cylinder about an axis
  capsule,         ///< inside or outside of a cylinder with half spheres at its ends
  short_cylinder,  ///< on the device: outside of a cylinder of finite length
};

struct WallParameters {
  /// Keys of scenes and what they are bound to, one table a shape: "wall.plane", ...
  static const std::vector<ParameterTable>& tables();
  WallShape shape = WallShape::plane;
  std::string name = {};  ///< of those whose forces are measured, else empty
  bool inside = true;     ///< not planes: particles live inside (a tank) or outside (an obstacle)
  Point3 point{0, 0,
               0};  ///< [m] on the plane; centre of sphere and capsule; on the cylinder's axis, its middle
  Point3 direction{0, 0, 1};           ///< plane: unit normal; cylinder, capsule: unit axis
  Point3 low{0, 0, 0}, high{0, 0, 0};  ///< [m] box corners
  Point3 rotation_axis{0, 0, 1};       ///< of a box, about its middle
  double rotation_angle = 0;           ///< [rad]
  double radius = 0;                   ///< [m]
  double length = 0;  ///< [m] of a cylinder, 0 = infinite; of a capsule between the centres of its ends
  Point3 velocity{0, 0, 0};  ///< [m/s] of the wall's surface (a sliding lid), for friction and no-slip
  double friction = 0;       ///< Coulomb coefficient
  double restitution = 0;    ///< of the normal velocity, in [0, 1]
  bool no_slip = false;      ///< SPH: viscous no-slip instead of free slip
  WallMotion motion = {};
};

}  // namespace merganser
