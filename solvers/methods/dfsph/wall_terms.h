#pragma once
/// Loads of a fluid on one wall in a step: pressure of both solves, the pressure behind walls beyond it
/// (sources.h), drag.
///
/// Next to several walls, each gets what it would get alone. The solves see in a corner less of each wall,
/// for their shares of the kernel overlap, and leave a part of the weight there to the side wall; but the
/// pressure on a wall goes on to its edge, and no wall without friction carries a force along itself. What
/// a wall with edges of its own does alone to a particle it gets as the solves have it, so that a tank
/// carries all of its water.
#include "solvers/core/wall_loads.h"
#include "solvers/methods/dfsph/sources.h"

MERGANSER_BEGIN

/// What formulas of loads read of particles next to a wall.
struct ParticlesAtWalls {
  View<const Quad> position;  ///< x, y, z [m]
  View<const Quad> wall;      ///< w = 1 - lambda
  WallView walls;
  DfsphWallFill fill;
  MeasuredWall measured;

  /// impulse(wall, share) [N s] of the measured wall on particle i.
  template <class Impulse>
  MERGANSER_METHOD WallLoad load(int i, const Impulse& impulse) const {
    WallLoad load;
    if (!(wall[i].w < 1)) return load;
    const Vec3 x{position[i].x, position[i].y, position[i].z};
    for_each_near_wall(walls, fill, i, x, [&](const Wall& near, const WallShare& share) {
      if (near.owner != measured.owner) return;
      load += WallLoad::of(to_double(impulse(near, share)), to_double(x), measured.centre,
                           to_double(share.velocity));
    });
    return load;
  }
  /// The same; of a finite wall, where no other one is near, `all` [N s] together: what the parts lack of it
  /// acts at the particle.
  template <class Impulse>
  MERGANSER_METHOD WallLoad load(int i, const Impulse& impulse, const Vec3& all) const {
    if (!(wall[i].w < 1)) return {};
    const Vec3 x{position[i].x, position[i].y, position[i].z};
    WallLoad load;
    Vec3 parts{0, 0, 0}, velocity{0, 0, 0};
    bool alone = measured.finite;
    for_each_near_wall(walls, fill, i, x, [&](const Wall& near, const WallShare& share) {
      if (near.owner != measured.owner) {
        alone = false;
        return;
      }
      const Vec3 part = impulse(near, share);
      parts += part;
      velocity = share.velocity;
      load += WallLoad::of(to_double(part), to_double(x), measured.centre, to_double(share.velocity));
    });
    if (alone)
      load += WallLoad::of(to_double(all - parts), to_double(x), measured.centre, to_double(velocity));
    return load;
  }
};

/// -2 V p_i lambda' n dt, see factors.h.
struct DfsphPressureLoad {
  static constexpr const char* name = "dfsph wall loads";
  ParticlesAtWalls particles;
  View<const float> mobility;  ///< [m^3/kg] V/m; 0 = immobile
  View<const float> part;      ///< 0: takes no part in the solve
  View<const float> pressure;  ///< [Pa]
  float scale;                 ///< [m^3 s] 2 V dt
  MERGANSER_METHOD WallLoad operator()(int i) const {
    if (!(mobility[i] > 0 && part[i] > 0)) return {};
    const Quad& at = particles.wall[i];
    return particles.load(
        i,
        [&](const Wall&, const WallShare& share) {
          return share.normal * (-scale * pressure[i] * share.slope);
        },
        (-scale * pressure[i]) * Vec3{at.x, at.y, at.z});
  }
};

/// m times PressureBehindWalls; of walls beside others along the normal: -m dt n (n.g)(1 - (1 - lambda + d
/// lambda')).
template <class Shapes>
struct DfsphHeadLoad {
  static constexpr const char* name = "dfsph wall head loads";
  ParticlesAtWalls particles;
  PressureBehindWalls<Shapes> behind;
  float volume;  ///< [m^3]
  MERGANSER_METHOD WallLoad operator()(int i) const {
    const float mobility = behind.mobility[i];
    if (!(mobility > 0)) return {};
    if (!(particles.wall[i].w < 1)) return {};
    const float scale = volume / mobility * behind.dt, across = scale * behind.carried(i);
    return particles.load(
        i,
        [&](const Wall&, const WallShare& share) {
          return share.normal * (-across * dot(behind.gravity, share.normal) * (1 - share.open_normal));
        },
        -scale * behind.missed(i));
  }
};

/// The walls' part of ExplicitViscosity.
template <class Kernel, class Shapes>
struct DfsphDragLoad {
  static constexpr const char* name = "dfsph wall drag loads";
  ParticlesAtWalls particles;
  ExplicitViscosity<Kernel, Shapes> viscosity;
  MERGANSER_METHOD WallLoad operator()(int i) const {
    if (!(viscosity.mobility[i] > 0)) return {};
    const float scale = 2 * viscosity.dt * viscosity.dynamic_viscosity * viscosity.pairs.volume;
    return particles.load(i, [&](const Wall& near, const WallShare& share) {
      return near.no_slip ? scale * viscosity.at_wall(i, share) : Vec3{0, 0, 0};
    });
  }
};

MERGANSER_END
