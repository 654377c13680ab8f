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

/// [cells] Distances at corners are less by so much, so that a face in the plane of a wall is closed.
inline constexpr float wall_margin = 1e-4f;
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

/// Share of cells behind walls, also of the box's padding: the mean over the eighths of a cell, for each of
/// which the nearest wall counts as a plane along an axis. (For the whole cell at once a body's edge took
/// half of a cell of which it has a quarter: the density was too high there, and water kept off bodies.)
template <class Shapes>
struct SharesBehindWalls {
  static constexpr const char* name = "flip shares behind walls";
  FlipGrid grid;
  Shapes walls;
  View<float> share;
  /// Launch over two cells more along each axis than the box has.
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    constexpr float half_diagonal = 0.87f;
    const Vec3 centre = grid.centre(x - 1, y - 1, z - 1);
    const float before = nearest_wall(walls, centre).distance * grid.inverse_dx;
    float behind = before < 0 ? 1.0f : 0.0f;
    if (fabsf(before) < half_diagonal) {
      behind = 0;
      const float by = 0.25f * grid.dx;
      for (int k = 0; k < 8; ++k) {
        const Vec3 middle = centre + Vec3{k & 1 ? by : -by, k & 2 ? by : -by, k & 4 ? by : -by};
        const float part = 0.5f - 2 * grid.inverse_dx * nearest_wall(walls, middle).distance;
        behind += 0.125f * most_of(least_of(part, 1.0f), 0.0f);
      }
    }
    share[grid.flat(x - 1, y - 1, z - 1)] = behind;
  }
};

/// A convex part of a triangle with the corners (0, 0), (1, 0) and (0, 1), in its coordinates s and t.
struct CutTriangle {
  static constexpr int most = 8;  ///< of five walls
  float s[most] = {0, 1, 0}, t[most] = {0, 0, 1};
  int count = 3;

  /// Takes away where a linear function with these values at the corners is not positive.
  MERGANSER_METHOD void keep_positive(float a, float b, float d) {
    if (a > 0 && b > 0 && d > 0) return;
    CutTriangle rest;
    rest.count = 0;
    for (int k = 0; k < count; ++k) {
      const int next = following(k);
      const float here = a + s[k] * (b - a) + t[k] * (d - a),
                  there = a + s[next] * (b - a) + t[next] * (d - a);
      if (here > 0) rest.add(s[k], t[k]);
      if ((here > 0) == (there > 0)) continue;
      const float part = here / (here - there);
      rest.add(s[k] + part * (s[next] - s[k]), t[k] + part * (t[next] - t[k]));
    }
    *this = rest;
  }
  /// Twice the integrals of 1, s and t: of the whole triangle 1, 1/3 and 1/3.
  MERGANSER_METHOD Vec3 moments() const {
    Vec3 sum{0, 0, 0};
    for (int k = 0; k < count; ++k) {
      const int next = following(k);
      const float area = s[k] * t[next] - s[next] * t[k];
      sum += Vec3{area, area * (s[k] + s[next]) / 3, area * (t[k] + t[next]) / 3};
    }
    return sum;
  }

 private:
  MERGANSER_METHOD int following(int k) const { return k + 1 < count ? k + 1 : 0; }
  MERGANSER_METHOD void add(float at_s, float at_t) {
    if (count == most) return;
    s[count] = at_s;
    t[count] = at_t;
    ++count;
  }
};

/// Part of a face in front of walls: its share, and its centroid less the face's middle [cells], along the
/// two axes that follow on that of the face.
struct OpenPart {
  float share, u, v;
};

/// The lower face of a cell across an axis, beside those walls that `counts(wall)` takes.
template <class Shapes, class Counts>
struct FaceBesideWalls {
  FlipGrid grid;
  Shapes walls;
  Counts counts;
  int axis, x, y, z;

  MERGANSER_METHOD Vec3 centre() const { return grid.face_centre(axis, x, y, z); }
  /// The part in front of each wall. The distance to a wall counts as linear in triangles around the middles
  /// of n x n squares, n by how far it is from linear in the face. (Where it counted as linear in a whole
  /// face, faces almost along a round wall were closed by a tenth of a cell too much. A rigid rotation then
  /// had a divergence, and its projection took angular momentum.)
  MERGANSER_METHOD OpenPart open_part() const {
    const int n = squares();
    if (n == 0) return {0, 0, 0};
    OpenPart sum{0, 0, 0};
    const float h = 1 / static_cast<float>(n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) add_square(h * static_cast<float>(i), h * static_cast<float>(j), h, sum);
    if (sum.share < least_share) return {0, 0, 0};
    if (sum.share > nearly_open) return {1, 0, 0};
    return {sum.share, sum.u / sum.share, sum.v / sum.share};
  }

 private:
  static constexpr float half_diagonal = 0.7072f;  // of a square of edge 1
  /// Less is none. (Cells of which the wall leaves a sliver pushed films up along it, by pressures that are
  /// their velocities' noise: with 0.001 to 4.4 m/s, with 0.03 to 1.7 m/s.)
  static constexpr float least_share = 0.03f;
  static constexpr float nearly_open = 0.999f;  // more is all

  /// u, v: 0 to 1 along the two axes that follow on that of the face.
  MERGANSER_METHOD Vec3 point(float u, float v) const {
    const float a = (u - 0.5f) * grid.dx, b = (v - 0.5f) * grid.dx;
    return centre() + (axis == 0 ? Vec3{0, a, b} : axis == 1 ? Vec3{b, 0, a} : Vec3{a, b, 0});
  }
  template <class Wall>
  MERGANSER_METHOD float before(const Wall& wall, float u, float v) const {
    return wall.at(point(u, v)).distance * grid.inverse_dx - wall_margin;
  }
  /// How many squares along an edge; 0: the face is closed.
  MERGANSER_METHOD int squares() const {
    float bent = 0;
    for (int k = 0; k < walls.count; ++k) {
      const auto& wall = walls.data[k];
      if (!counts(wall)) continue;
      const float middle = before(wall, 0.5f, 0.5f);
      if (middle < -half_diagonal) return 0;
      if (middle > half_diagonal) continue;
      const float corners = before(wall, 0, 0) + before(wall, 1, 0) + before(wall, 0, 1) + before(wall, 1, 1);
      bent = most_of(bent, fabsf(middle - 0.25f * corners));
    }
    return bent < 1e-3f ? 1 : bent < 1e-2f ? 2 : 4;
  }
  /// Adds share and moments about the face's middle of what is open in a square of edge h.
  MERGANSER_METHOD void add_square(float low_u, float low_v, float h, OpenPart& sum) const {
    const float u = low_u + 0.5f * h, v = low_v + 0.5f * h;
    for (int side = 0; side < 4; ++side) {
      const float u1 = from_middle(side, h), v1 = from_middle(side + 3, h), u2 = from_middle(side + 1, h),
                  v2 = u1;
      CutTriangle part;
      for (int k = 0; k < walls.count; ++k) {
        const auto& wall = walls.data[k];
        if (!counts(wall)) continue;
        const float middle = before(wall, u, v);
        if (middle < -half_diagonal * h) return;
        if (middle < half_diagonal * h)
          part.keep_positive(middle, before(wall, u + u1, v + v1), before(wall, u + u2, v + v2));
      }
      const Vec3 moments = part.moments() * (0.25f * h * h);
      sum.share += moments.x;
      sum.u += (u - 0.5f) * moments.x + u1 * moments.y + u2 * moments.z;
      sum.v += (v - 0.5f) * moments.x + v1 * moments.y + v2 * moments.z;
    }
  }
  /// u of a square's corner from its middle, corners counted around it. v is that of the corner before.
  MERGANSER_METHOD static float from_middle(int corner, float h) {
    return corner % 4 == 1 || corner % 4 == 2 ? 0.5f * h : -0.5f * h;
  }
};

/// Offset of a face's open part, as in OpenPart.
struct FaceOffset {
  float u, v;
  MERGANSER_METHOD Vec3 along(int axis) const {
    return axis == 0 ? Vec3{0, u, v} : axis == 1 ? Vec3{v, 0, u} : Vec3{u, v, 0};
  }
};

/// Open share of every cell's lower faces, and the offset of that part.
template <class Shapes>
struct OpenShares {
  static constexpr const char* name = "flip open faces";
  FlipGrid grid;
  Shapes walls;
  View<const float> distance;  ///< [m] of cells' lower corners to the nearest wall
  FaceViews<float> open;
  FaceViews<FaceOffset> offset;  ///< [cells]
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = grid.flat(x, y, z);
    const float cells = distance[c] * grid.inverse_dx;
    for (int axis = 0; axis < 3; ++axis) {
      OpenPart part{cells > 0 ? 1.0f : 0.0f, 0, 0};
      if (fabsf(cells) < 1.5f)  // no point of the face is farther from this corner than its diagonal
        part = FaceBesideWalls<Shapes, EveryWall>{grid, walls, {}, axis, x, y, z}.open_part();
      open.axis[axis][c] = part.share;
      offset.axis[axis][c] = {part.u, part.v};
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
  /// offset: of the open part. What is closed lies on the other side of the face's middle.
  MERGANSER_METHOD float through(int axis, int x, int y, int z, float open, const FaceOffset& offset) const {
    const Vec3 face = grid.face_centre(axis, x, y, z);
    const Wall* moving = nullptr;
    if constexpr (std::is_same_v<Shapes, WallView>) moving = nearest_moving(face);
    if (!moving) {
      const NearestWall wall = nearest_wall(walls, face);
      return (1 - open) * (wall.normal_speed * component(wall.normal, axis));
    }
    const NearestWall still = nearest_still(face);
    float free = 1;  // of walls that stay
    if (still.distance < grid.dx)
      free = FaceBesideWalls<Shapes, WallsThatStay>{grid, walls, {}, axis, x, y, z}.open_part().share;
    const Vec3 closed = open < 1 ? face - offset.along(axis) * (grid.dx * open / (1 - open)) : face;
    const Vec3 surface = moving->place.to_world(moving->velocity), normal = moving->at(face).normal;
    const Vec3 carried = moving->place.velocity + cross(moving->place.spin, closed - moving->place.origin) +
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
};

MERGANSER_END
