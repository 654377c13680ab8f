#pragma once
/// Walls as signed distances, positive where particles may be.
#include <memory>
#include <string>
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/geometry/walls/wall_motion.h"

namespace merganser {

struct ParameterTable;
struct WallMesh;

/// In the order of WallParameters::tables(); those behind have no table of their own.
enum class WallShape : int {
  plane,           ///< half space in front of point with unit normal
  box,             ///< inside or outside of a box [low, high], turned about its middle
  sphere,          ///< inside or outside of a sphere
  cylinder,        ///< inside or outside of a cylinder about an axis
  capsule,         ///< inside or outside of a cylinder with half spheres at its ends
  mesh,            ///< inside or outside of a closed triangle mesh, or a surface with a thickness
  short_cylinder,  ///< on the device: outside of a cylinder of finite length
};

/// How fluids of SPH and DFSPH see a wall.
enum class BoundaryMethod : int {
  volume_map,  ///< as a solid, by the share of a kernel that lies in it
  samples      ///< as a layer of points on its surface
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
  Point3 rotation_axis{0, 0, 1};       ///< of a box, about its middle; of a mesh, about its origin
  double rotation_angle = 0;           ///< [rad]
  double radius = 0;                   ///< [m]
  double length = 0;  ///< [m] of a cylinder, 0 = infinite; of a capsule between the centres of its ends
  Point3 velocity{0, 0, 0};  ///< [m/s] of the wall's surface (a sliding lid), for friction and no-slip
  double friction = 0;       ///< Coulomb coefficient
  double restitution = 0;    ///< of the normal velocity, in [0, 1]
  bool no_slip = false;      ///< SPH: viscous no-slip instead of free slip
  BoundaryMethod boundary = BoundaryMethod::volume_map;
  WallMotion motion = {};
  std::string file = {};        ///< of a mesh
  Point3 scale{1, 1, 1};        ///< of a mesh
  double fit_size = 0;          ///< [m] see MeshTransform
  Point3 translation{0, 0, 0};  ///< [m] of a mesh
  double thickness = 0;         ///< [m] of a mesh; 0 = it is closed
  double cell_size = 0;         ///< [m] of a mesh's distance field; 0 = half the particle spacing
  std::shared_ptr<const WallMesh> mesh = nullptr;  ///< made of the file
  /// Distance fields of meshes are fine within so many particle spacings (and a cell) of the surface.
  static constexpr double reach_in_spacings = 3;
};

}  // namespace merganser
