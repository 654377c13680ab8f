#pragma once
/// Load of a fluid's implicit viscosity on one wall without slip in a step.
#include "solvers/core/wall_loads.h"
#include "solvers/methods/fluid/forces/viscosity_terms.h"

MERGANSER_BEGIN

/// m W_i (v_wall - v_i), W of ViscosityBlocks and v the solution: the wall's part of the forces that the
/// result has been moved with.
struct ViscosityWallLoad {
  static constexpr const char* name = "viscosity wall loads";
  View<const Quad> position;      ///< x, y, z [m]
  View<const float> compression;  ///< rho/rho0 - 1
  View<const Vec3> velocity;      ///< [m/s] v
  float mass;                     ///< [kg] of a particle
  WallDrag drag;
  WallView walls;
  WallFillView fill;
  MeasuredWall measured;

  MERGANSER_METHOD WallLoad operator()(int i) const {
    WallLoad load;
    const Vec3 x{position[i].x, position[i].y, position[i].z};
    for_each_near_wall(walls, fill, x, [&](const Wall& wall, const WallShare& share) {
      if (!wall.no_slip || wall.owner != measured.owner) return;
      const Vec3 impulse =
          drag.along(share, 1 / (1 + compression[i])) * (share.velocity - velocity[i]) * mass;
      load += WallLoad::of(to_double(impulse), to_double(x), measured.centre, to_double(share.velocity));
    });
    return load;
  }
};

MERGANSER_END
