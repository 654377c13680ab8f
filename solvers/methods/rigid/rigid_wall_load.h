#pragma once
/// Loads of bodies on named walls.
#include "solvers/core/wall_loads.h"
#include "solvers/methods/rigid/wall_impulses.h"

MERGANSER_BEGIN

/// The step's impulses at the touches of one wall. Before bodies advance. One index a touch.
struct RigidWallLoad {
  static constexpr const char* name = "rigid wall loads";
  RigidView bodies;
  WallView walls;
  View<const WallTouch> touch;
  MeasuredWall measured;
  MERGANSER_METHOD WallLoad operator()(int k) const {
    const WallTouch& at = touch[k];
    if (at.particle < 0 || walls[at.wall].owner != measured.owner) return {};
    const int body = k / (walls.count * touches_of_wall);
    return WallLoad::of(at.impulse, bodies.place[body] + at.arm, measured.centre, at.wall_velocity);
  }
};

MERGANSER_END
