#pragma once
/// The momentum that all walls together give to the particles of a solve, for the ledger
/// (solvers/observables/ledger/README.md): by the solves' own formulas, corners as they see them, so that
/// with it momentum closes to rounding. (wall_terms.h says what single walls get.)
#include "device/sum_of.h"
#include "solvers/methods/dfsph/sources.h"

MERGANSER_BEGIN

/// -2 V p_i G_i dt, see factors.h.
struct WallPressureTotal {
  static constexpr const char* name = "dfsph wall total";
  View<const Quad> wall;       ///< G [1/m] and 1 - lambda
  View<const float> mobility;  ///< [m^3/kg] V/m; 0 = immobile
  View<const float> part;      ///< 0: takes no part in the solve
  View<const float> pressure;  ///< [Pa]
  double scale;                ///< [m^3 s] 2 V dt
  MERGANSER_METHOD Vec3d operator()(int i) const {
    const Quad& at = wall[i];
    if (!(at.w < 1 && mobility[i] > 0 && part[i] > 0)) return {0, 0, 0};
    return -scale * pressure[i] * Vec3d{at.x, at.y, at.z};
  }
};

/// m times PressureBehindWalls.
template <class Shapes>
struct WallHeadTotal {
  static constexpr const char* name = "dfsph wall head total";
  PressureBehindWalls<Shapes> behind;
  double volume;  ///< [m^3]
  MERGANSER_METHOD Vec3d operator()(int i) const {
    const float mobility = behind.mobility[i];
    if (!(behind.wall[i].w < 1 && mobility > 0)) return {0, 0, 0};
    return -(volume / mobility * behind.dt) * to_double(behind.missed(i));
  }
};

/// The walls' part of ExplicitViscosity.
template <class Kernel, class Shapes>
struct WallDragTotal {
  static constexpr const char* name = "dfsph wall drag total";
  ExplicitViscosity<Kernel, Shapes> viscosity;
  MERGANSER_METHOD Vec3d operator()(int i) const {
    Vec3 drag{0, 0, 0};
    if (!(viscosity.wall[i].w < 1 && viscosity.mobility[i] > 0)) return {0, 0, 0};
    for_each_near_wall(viscosity.walls, viscosity.fill, i, viscosity.pairs.place(i),
                       [&](const Wall& near, const WallShare& share) {
                         if (near.no_slip) drag += viscosity.at_wall(i, share);
                       });
    return 2.0 * viscosity.dt * viscosity.dynamic_viscosity * viscosity.pairs.volume * to_double(drag);
  }
};

MERGANSER_END
