#pragma once
/// Walls near a fluid's particles, and their share of the kernels: found once a step where
/// not all walls are planes, and read by all sums of the step.
#include <variant>

#include "device/scan.h"
#include "solvers/geometry/walls/wall.h"

MERGANSER_BEGIN

/// How one wall cuts a particle's kernel.
struct WallShare {
  Vec3 normal;        ///< against the gradient of lambda
  float distance;     ///< [m]
  Vec3 velocity;      ///< [m/s] of what turns with the wall, at the particle
  float open;         ///< 1 - lambda, not below wall_least_open
  float slope;        ///< lambda' [1/m]
  float open_normal;  ///< 1 - lambda + d lambda', not below wall_least_open
};

/// A share without the velocity, which walls may change while they stay where they are.
struct NearWall {
  int wall;  ///< no_wall: the kernel does not reach it after all
  WallDistance surface;
  Vec3 normal;
  float open, slope, open_normal;
  static constexpr int no_wall = -1;
};

struct NearWallsView {
  View<const int> first;  ///< of each particle among `found`, one more than particles; empty: none were found
  View<const NearWall> found;  ///< in the order of walls
};

/// Walls of any shape whose shares have been found. Kernels that read these alone are about as small as those
/// of planes.
struct FoundWallView : View<const Wall> {};
MERGANSER_FN View<const Wall> all_of(const WallView& walls) { return {walls.data, walls.count}; }

/// Walls as the kernels of fluids take them, which exist twice: planes are asked, others have been found. For
/// std::visit, after WallVolumeMap::find_near.
inline std::variant<PlaneWallView, FoundWallView> as_found(const WallView& walls) {
  if (walls.are_planes()) return walls.planes;
  return FoundWallView{all_of(walls)};
}

MERGANSER_END
