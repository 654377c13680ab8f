#pragma once
/// The loop of all sums of fluids over the walls that their kernels reach: asked at a point, or as they have
/// been found once a step.
#include "solvers/coupling/boundary/wall_fill.h"

MERGANSER_BEGIN

/// Calls visit(wall, share) for every wall whose surface lies within the kernel's support of x. `walls` is
/// one of the views of by_shape().
template <class Shapes, class Visit>
MERGANSER_FN void for_each_near_wall(const Shapes& walls, const WallFillView& fill, const Vec3& x,
                                     const Visit& visit) {
  const float support = fill.support();
  for (int k = 0; k < walls.count; ++k) {
    const auto& wall = walls.data[k];
    if (wall.is_far(x, support - fill.offset)) continue;
    const WallDistance at = wall.at(x);
    const float distance = at.distance + fill.offset;
    if (distance < support)
      visit(wall, fill.share(k, walls, x + at.normal * fill.offset, {distance, at.normal}));
  }
}

/// The same as above for a particle whose walls have been found, unless they are planes. `walls` is one of
/// the views of as_found(), or of all walls: then they are asked where none have been found.
template <class Shapes, class Visit>
MERGANSER_FN void for_each_near_wall(const Shapes& walls, const WallFillView& fill, int particle,
                                     const Vec3& x, const Visit& visit) {
  if constexpr (std::is_same_v<Shapes, FoundWallView>) {
    const int end = fill.near.first[particle + 1];
    for (int k = fill.near.first[particle]; k < end; ++k) {
      const NearWall near = fill.near.found[k];
      if (near.wall == NearWall::no_wall) continue;
      const Wall& wall = walls.data[near.wall];
      visit(wall, WallShare{near.normal, near.surface.distance, wall.velocity_with(x), near.open, near.slope,
                            near.open_normal});
    }
  } else if constexpr (std::is_same_v<Shapes, WallView>) {
    if (fill.near.first.empty())
      for_each_near_wall(walls, fill, x, visit);
    else
      for_each_near_wall(FoundWallView{all_of(walls)}, fill, particle, x, visit);
  } else {
    for_each_near_wall(walls, fill, x, visit);
  }
}

MERGANSER_END
