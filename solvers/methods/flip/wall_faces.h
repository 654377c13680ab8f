#pragma once
/// Open shares of faces in front of walls (Ng, Min, Gibou 2009: fluxes through the open parts of faces; the
/// variational weights of Batty, Bertails, Bridson 2007 differ in how they measure the share).
#include <type_traits>

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
/// Which walls count.
struct EveryWall {
  template <class Shape>
  MERGANSER_METHOD bool operator()(const Shape&) const {
    return true;
  }
};
/// The nearest of those that `counts(wall)` takes.
template <class Shapes, class Counts = EveryWall>
MERGANSER_FN NearestWall nearest_wall(const Shapes& walls, const Vec3& x, const Counts& counts = {}) {
  NearestWall nearest{3e38f, {0, 0, 0}, 0, -1};
  for (int k = 0; k < walls.count; ++k) {
    if (!counts(walls.data[k])) continue;
    const WallDistance at = walls.data[k].at(x);
    if (at.distance < nearest.distance)
      nearest = {at.distance, at.normal, dot(walls.data[k].velocity_at(x, at), at.normal),
                 walls.data[k].owner};
  }
  return nearest;
}

/// True of a wall that moves as a body at this moment.
MERGANSER_FN bool moves_as_body(const Wall& wall) {
  return wall.placed && norm_squared(wall.place.velocity) + norm_squared(wall.place.spin) > 0;
}

struct WallsThatStay {
  MERGANSER_METHOD bool operator()(const Wall& wall) const { return !moves_as_body(wall); }
};

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

/// Less than a thousandth of a face is none, all but a thousandth is all.
MERGANSER_FN float rounded_share(float share) { return share < 1e-3f ? 0.0f : share > 0.999f ? 1.0f : share; }

/// Share of a square on which a function with these corner values is positive, rounded. a and e are opposite
/// corners. middle(): the function in the middle, looked at where the signs differ. In the edge of a tank
/// three corners lie in walls, in a gap one cell wide all four: without the middle one would take half of
/// such a face for closed, or all of it. So it is looked at, too, where no corner is positive but one is
/// greater than -near.
template <class Middle>
MERGANSER_FN float positive_share(float a, float b, float d, float e, float near, const Middle& middle) {
  const int positive = (a > 0) + (b > 0) + (d > 0) + (e > 0);
  if (positive == 4) return 1;
  if (positive == 0 && !(a > -near || b > -near || d > -near || e > -near)) return 0;
  const float m = middle();
  const float share = 0.25f * (positive_share(m, a, b) + positive_share(m, b, e) + positive_share(m, e, d) +
                               positive_share(m, d, a));
  return rounded_share(share);
}
/// [cells] Distances at corners are less by so much, so that a face in the plane of a wall is closed.
inline constexpr float wall_margin = 1e-4f;
/// [cells] Corners on a wall are negative by wall_margin and rounding, by no more than this.
inline constexpr float on_wall = 2 * wall_margin;

/// Signed distance [m] of the lower corners of cells to the nearest wall.
template <class Shapes>
struct WallDistanceAtCorners {
  static constexpr const char* name = "flip wall distance";
  FlipGrid grid;
  Shapes walls;
  View<float> distance;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    distance[grid.flat(x, y, z)] = nearest_wall(walls, grid.corner(x, y, z)).distance - wall_margin * grid.dx;
  }
};

/// A convex part of a unit square.
struct CutSquare {
  static constexpr int most = 12;
  float x[most] = {0, 1, 1, 0}, y[most] = {0, 0, 1, 1};
  int count = 4;

  /// Takes away where a function is not positive, bilinear between its values at (0, 0), (1, 0), (0, 1) and
  /// (1, 1).
  MERGANSER_METHOD void keep_positive(float a, float b, float d, float e) {
    const auto value = [&](int k) {
      const float low = a + x[k] * (b - a), high = d + x[k] * (e - d);
      return low + y[k] * (high - low);
    };
    CutSquare rest;
    rest.count = 0;
    for (int k = 0; k < count; ++k) {
      const int next = k + 1 < count ? k + 1 : 0;
      const float here = value(k), there = value(next);
      if (here > 0) rest.add(x[k], y[k]);
      if ((here > 0) == (there > 0)) continue;
      const float t = here / (here - there);
      rest.add(x[k] + t * (x[next] - x[k]), y[k] + t * (y[next] - y[k]));
    }
    *this = rest;
  }
  MERGANSER_METHOD float area() const {
    float twice = 0;
    for (int k = 0; k < count; ++k) {
      const int next = k + 1 < count ? k + 1 : 0;
      twice += x[k] * y[next] - x[next] * y[k];
    }
    return 0.5f * twice;
  }

 private:
  MERGANSER_METHOD void add(float at_x, float at_y) {
    if (count == most) return;
    x[count] = at_x;
    y[count] = at_y;
    ++count;
  }
};

/// The lower face of a cell across an axis, beside those walls that `counts(wall)` takes.
template <class Shapes, class Counts>
struct FaceBesideWalls {
  FlipGrid grid;
  Shapes walls;
  Counts counts;
  int axis, x, y, z;

  MERGANSER_METHOD Vec3 centre() const { return grid.face_centre(axis, x, y, z); }
  /// i, j: 0 or 1, along the two axes that follow on that of the face.
  MERGANSER_METHOD Vec3 corner(int i, int j) const {
    const int step[3] = {0, i, j};
    const auto along = [&](int other) { return step[(other - axis + 3) % 3]; };
    return grid.corner(x + along(0), y + along(1), z + along(2));
  }
  /// True where two walls or more may cut the face.
  MERGANSER_METHOD bool between_walls() const {
    const Vec3 middle = centre();
    int near = 0;
    for (int k = 0; k < walls.count; ++k) {
      if (!counts(walls.data[k])) continue;
      const float distance = walls.data[k].at(middle).distance;
      near += distance > -reach() && distance < reach();
    }
    return near > 1;
  }
  /// Share that lies before each of them: the distance to the nearer one is not linear where two walls meet.
  /// (By that distance a face that stands on a floor and is cut by a round wall was closed by half too much,
  /// and water in a round tank gained angular momentum.)
  MERGANSER_METHOD float share_before_each() const {
    const Vec3 middle = centre();
    CutSquare square;
    for (int k = 0; k < walls.count && square.count > 0; ++k) {
      const auto& wall = walls.data[k];
      if (!counts(wall) || wall.at(middle).distance > reach()) continue;
      const auto before = [&](int i, int j) {
        return wall.at(corner(i, j)).distance - wall_margin * grid.dx;
      };
      square.keep_positive(before(0, 0), before(1, 0), before(0, 1), before(1, 1));
    }
    return rounded_share(square.area());
  }

 private:
  /// A face's corners are no farther than 0.71 cells from its centre.
  MERGANSER_METHOD float reach() const { return 0.75f * grid.dx; }
};

/// Open share of every cell's lower faces.
template <class Shapes>
struct OpenShares {
  static constexpr const char* name = "flip open faces";
  FlipGrid grid;
  Shapes walls;
  View<const float> distance;
  FaceViews<float> open;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const int u = grid.stride((axis + 1) % 3), v = grid.stride((axis + 2) % 3);
      const float a = distance[c], b = distance[c + u], d = distance[c + v], e = distance[c + u + v];
      const FaceBesideWalls<Shapes, EveryWall> face{grid, walls, {}, axis, x, y, z};
      open.axis[axis][c] = a < 2 * grid.dx && face.between_walls()
                               ? face.share_before_each()
                               : positive_share(a, b, d, e, on_wall * grid.dx, [&] {
                                   return nearest_wall(walls, face.centre()).distance - wall_margin * grid.dx;
                                 });
    }
  }
};

/// What comes through the closed share of a lower face with what is behind it [m/s], share times velocity.
/// Of walls that stay: along their normal, that of their surface. A wall that moves takes along all that is
/// behind it, as a rigid body, but for what is behind one that stays: so the floor's share of the cells at a
/// piston stands still on both sides of it, and a tank that is carried along carries all its corners, whose
/// normals would be those of different planes. The velocities are then free of divergence in every cell that
/// no surface of the moving wall crosses.
template <class Shapes>
struct ClosedFlux {
  FlipGrid grid;
  Shapes walls;
  MERGANSER_METHOD float through(int axis, int x, int y, int z, float open) const {
    const Vec3 face = grid.face_centre(axis, x, y, z);
    const Wall* moving = nullptr;
    if constexpr (std::is_same_v<Shapes, WallView>) moving = nearest_moving(face);
    if (!moving) {
      const NearestWall wall = nearest_wall(walls, face);
      return (1 - open) * (wall.normal_speed * component(wall.normal, axis));
    }
    const NearestWall still = nearest_still(face);
    float free = 1;  // of walls that stay
    if (still.distance < grid.dx) free = share_before_still(axis, x, y, z);
    const Vec3 surface = moving->place.to_world(moving->velocity), normal = moving->at(face).normal;
    const Vec3 carried = moving->place.velocity + cross(moving->place.spin, face - moving->place.origin) +
                         normal * dot(surface, normal);
    return most_of(free - open, 0.0f) * component(carried, axis) +
           (1 - free) * (still.normal_speed * component(still.normal, axis));
  }

 private:
  MERGANSER_METHOD const Wall* nearest_moving(const Vec3& x) const {
    const Wall* nearest = nullptr;
    float least = 3e38f;
    for (int k = 0; k < walls.count; ++k) {
      if (!moves_as_body(walls.data[k])) continue;
      const float distance = walls.data[k].at(x).distance;
      if (distance >= least) continue;
      least = distance;
      nearest = walls.data + k;
    }
    return nearest;
  }
  MERGANSER_METHOD NearestWall nearest_still(const Vec3& x) const {
    return nearest_wall(walls, x, WallsThatStay{});
  }
  MERGANSER_METHOD float share_before_still(int axis, int x, int y, int z) const {
    const FaceBesideWalls<Shapes, WallsThatStay> face{grid, walls, {}, axis, x, y, z};
    if (face.between_walls()) return face.share_before_each();
    const auto before = [&](const Vec3& at) { return nearest_still(at).distance - wall_margin * grid.dx; };
    return positive_share(before(face.corner(0, 0)), before(face.corner(1, 0)), before(face.corner(0, 1)),
                          before(face.corner(1, 1)), on_wall * grid.dx,
                          [&] { return before(face.centre()); });
  }
};

MERGANSER_END
