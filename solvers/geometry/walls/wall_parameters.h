#pragma once
/// Walls as signed distances, positive where particles may be.
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct ParameterTable;

enum class WallShape : int {
  plane,     ///< half space in front of point with unit normal
  box,       ///< inside (or outside) of an axis-aligned box [low, high]
  sphere,    ///< inside or outside of a sphere
  cylinder,  ///< inside or outside of an infinite cylinder about an axis
};

struct WallParameters {
  /// Keys of scenes and what they are bound to, one table a shape: "wall.plane", ...
  static const std::vector<ParameterTable>& tables();
  WallShape shape = WallShape::plane;
  bool inside = true;     ///< box, sphere, cylinder: particles live inside (a tank) or outside (an obstacle)
  Point3 point{0, 0, 0};  ///< [m] on the plane; centre of the sphere; on the cylinder's axis
  Point3 direction{0, 0, 1};           ///< plane: unit normal; cylinder: unit axis
  Point3 low{0, 0, 0}, high{0, 0, 0};  ///< [m] box corners
  double radius = 0;                   ///< [m]
  Point3 velocity{0, 0, 0};  ///< [m/s] of the wall's surface (a sliding lid), for friction and no-slip
  double friction = 0;       ///< Coulomb coefficient
  double restitution = 0;    ///< of the normal velocity, in [0, 1]
  bool no_slip = false;      ///< SPH: viscous no-slip instead of free slip
};

}  // namespace merganser
