#pragma once
/// Open shares of faces in front of walls (Ng, Min, Gibou 2009: fluxes through the open parts of faces; the
/// variational weights of Batty, Bertails, Bridson 2007 differ in how they measure the share).
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/flip/flip_grid.h"

MERGANSER_BEGIN

/// Nearest wall of a point: signed distance [m], normal, velocity along it [m/s], which of the scene's it is.
struct NearestWall {
  float distance;
  Vec3 normal;
  float normal_speed;
  int owner;
};
template <class Shapes>
MERGANSER_FN NearestWall nearest_wall(const Shapes& walls, const Vec3& x) {
  NearestWall nearest{3e38f, {0, 0, 0}, 0, -1};
  for (int k = 0; k < walls.count; ++k) {
    const WallDistance at = walls.data[k].at(x);
    if (at.distance < nearest.distance)
      nearest = {at.distance, at.normal, dot(walls.data[k].velocity_at(x, at), at.normal),
                 walls.data[k].owner};
  }
  return nearest;
}

/// Share of a triangle on which a linear function with these corner values is positive.
MERGANSER_FN float positive_share(float a, float b, float c) {
  const int positive = (a > 0) + (b > 0) + (c > 0);
  if (positive == 0) return 0;
  if (positive == 3) return 1;
  // The corner that is alone on its side comes first.
  const bool alone = positive == 1;
  if ((b > 0) == alone && (a > 0) != alone) {
    const float other = a;
    a = b, b = other;
  } else if ((c > 0) == alone && (a > 0) != alone) {
    const float other = a;
    a = c, c = other;
  }
  const float share = a / (a - b) * (a / (a - c));
  return alone ? share : 1 - share;
}

/// Signed distance [m] of the lower corners of cells to the nearest wall, less a ten-thousandth of a cell, so
/// that a face in the plane of a wall is closed.
template <class Shapes>
struct WallDistanceAtCorners {
  static constexpr const char* name = "flip wall distance";
  FlipGrid grid;
  Shapes walls;
  View<float> distance;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    distance[grid.flat(x, y, z)] = nearest_wall(walls, grid.corner(x, y, z)).distance - 1e-4f * grid.dx;
  }
};

/// Open share of every cell's lower faces; less than a thousandth is closed, all but a thousandth is open.
struct OpenShares {
  static constexpr const char* name = "flip open faces";
  FlipGrid grid;
  View<const float> distance;
  FaceViews<float> open;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const int u = grid.stride((axis + 1) % 3), v = grid.stride((axis + 2) % 3);
      const float a = distance[c], b = distance[c + u], d = distance[c + v], e = distance[c + u + v];
      const float share = 0.5f * (positive_share(a, b, e) + positive_share(a, d, e));
      open.axis[axis][c] = share < 1e-3f ? 0.0f : share > 0.999f ? 1.0f : share;
    }
  }
};

MERGANSER_END
