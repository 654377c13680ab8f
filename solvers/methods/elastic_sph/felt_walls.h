#pragma once
/// Which wall gave what the implicit solve knows only as the impulse of all walls on a row
/// (../../coupling/implicit/implicit_walls.h): the one nearest to the particle, where one wall touches it.
#include "solvers/coupling/boundary/wall_loads.h"

MERGANSER_BEGIN

/// The impulse J of walls on a particle at x: whose it is, and how fast that wall's surface moves [m/s].
struct FeltWall {
  int owner = -1;
  Vec3 velocity{0, 0, 0};
  bool placed = false;

  MERGANSER_METHOD static FeltWall of(const WallView& walls, const Vec3& x) {
    FeltWall felt;
    float least = 3e38f;
    for (int k = 0; k < walls.count; ++k) {
      const Wall& wall = walls.data[k];
      const WallDistance at = wall.at(x);
      if (at.distance >= least) continue;
      least = at.distance;
      felt.owner = wall.owner;
      felt.velocity = wall.velocity_at(x, at);
      felt.placed = wall.placed;
    }
    return felt;
  }
};

/// What a solve gave to one wall. Launch over the part's particles.
struct FeltWallLoad {
  static constexpr const char* name = "elastic wall loads";
  WallView walls;
  View<const Vec3> position;  ///< [m] local indices
  View<const Vec3> impulse;   ///< [N s] J
  MeasuredWall measured;
  MERGANSER_METHOD WallLoad operator()(int i) const {
    const Vec3 p = impulse[i];
    if (p == Vec3{0, 0, 0}) return {};
    const FeltWall felt = FeltWall::of(walls, position[i]);
    if (felt.owner != measured.owner) return {};
    return WallLoad::of(to_double(p), to_double(position[i]), measured.centre, to_double(felt.velocity));
  }
};

MERGANSER_END
