#pragma once
/// Search for the walls that each particle's kernel reaches, and their share of it: the kernels of
/// WallVolumeMap::find_near.
#include "solvers/coupling/boundary/wall_fill.h"

MERGANSER_BEGIN

/// What the k-th wall takes of the kernel of a particle at x.
MERGANSER_FN NearWall near_wall(const WallView& walls, const WallFillView& fill, int k, const Vec3& x) {
  NearWall near{};
  near.wall = NearWall::no_wall;
  const Wall& wall = walls.data[k];
  FieldCell cell{};
  FieldSample raw{};
  const bool in_mesh = fill.is_tabulated_mesh(k, wall);
  const WallDistance at = in_mesh ? wall.in_cell(x, cell, raw) : wall.at(x);
  const WallDistance surface{at.distance + fill.offset, at.normal};
  if (!(surface.distance < fill.support())) return near;
  const WallShare share = in_mesh && cell.near && fill.offset == 0
                              ? fill.share_in_cell(k, walls, x, surface, cell, raw.gradient)
                              : fill.share(k, walls, x + at.normal * fill.offset, surface);
  return {k, surface, share.normal, share.open, share.slope, share.open_normal};
}

/// Whether a wall may be near to x, by what costs little.
MERGANSER_FN bool may_be_near(const Wall& wall, const WallFillView& fill, const Vec3& x) {
  const float reach = fill.support() - fill.offset;
  return !wall.is_far(x, reach) && (wall.shape == WallShape::mesh || wall.at(x).distance < reach);
}

/// Of the first walls a bit each is kept, for FindNearWalls; further ones are looked at again.
inline constexpr int remembered_walls = 32;

struct CountNearWalls {
  static constexpr const char* name = "count near walls";
  WallView walls;
  WallFillView fill;
  View<const Vec3> position;  ///< [m]
  View<int> count;            ///< written
  View<unsigned> seen;        ///< written
  MERGANSER_METHOD void operator()(int i) const {
    int near = 0;
    unsigned bits = 0;
    for (int k = 0; k < walls.count; ++k) {
      if (!may_be_near(walls.data[k], fill, position[i])) continue;
      ++near;
      if (k < remembered_walls) bits |= 1u << k;
    }
    count[i] = near;
    seen[i] = bits;
  }
};

struct FindNearWalls {
  static constexpr const char* name = "find near walls";
  WallView walls;
  WallFillView fill;
  View<const Vec3> position;  ///< [m]
  View<const int> first;
  View<const unsigned> seen;
  View<NearWall> found;  ///< written
  MERGANSER_METHOD void operator()(int i) const {
    if (first[i + 1] == first[i]) return;
    int at = first[i];
    const unsigned bits = seen[i];
    for (int k = 0; k < walls.count; ++k)
      if (k < remembered_walls ? (bits >> k & 1) != 0 : may_be_near(walls.data[k], fill, position[i]))
        found[at++] = near_wall(walls, fill, k, position[i]);
  }
};

MERGANSER_END
