#pragma once
/// Walls on the device: signed distance and normal of planes, boxes, spheres and cylinders.
#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/geometry/walls/wall_parameters.h"

MERGANSER_BEGIN

/// Distance to a wall's surface [m], positive where particles may be, and the unit gradient of it.
struct WallDistance {
  float distance;
  Vec3 normal;
};

/// One wall as kernels read it. A tank (box with particles inside) has been split into its six planes; `side`
/// is +1 where particles live inside a sphere or cylinder, -1 where they live outside.
struct Wall {
  WallShape shape;
  float side;
  Vec3 point;      ///< [m] on the plane; centre of box or sphere; on the cylinder's axis
  Vec3 direction;  ///< plane: unit normal; cylinder: unit axis; box: half its edges [m]
  float radius;    ///< [m]
  Vec3 velocity;   ///< [m/s] of the surface
  float friction, restitution;
  int no_slip;

  MERGANSER_METHOD WallDistance at(const Vec3& x) const {
    const Vec3 d = x - point;
    switch (shape) {
      case WallShape::plane:
        return {dot(d, direction), direction};
      case WallShape::box:
        return outside_box(d);
      case WallShape::sphere:
        return round_wall(d);
      case WallShape::cylinder:
        return round_wall(d - direction * dot(d, direction));
    }
    return {3e38f, {0, 0, 1}};
  }

 private:
  /// side (R - |d|); on the centre or axis, where the normal is undefined, one is chosen.
  MERGANSER_METHOD WallDistance round_wall(const Vec3& d) const {
    const float length = norm(d);
    const Vec3 outward = length > 0 ? d * (1 / length) : any_normal();
    return {side * (radius - length), outward * -side};
  }
  MERGANSER_METHOD Vec3 any_normal() const {
    if (shape == WallShape::sphere) return {0, 0, 1};
    const Vec3 other = fabsf(direction.x) < 0.6f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    return normalized_or_zero(cross(direction, other));
  }
  /// Exact distance to an obstacle: to faces, edges and corners outside; to the nearest face, negative,
  /// inside.
  MERGANSER_METHOD WallDistance outside_box(const Vec3& d) const {
    const Vec3 sign{d.x < 0 ? -1.0f : 1.0f, d.y < 0 ? -1.0f : 1.0f, d.z < 0 ? -1.0f : 1.0f};
    const Vec3 over{fabsf(d.x) - direction.x, fabsf(d.y) - direction.y, fabsf(d.z) - direction.z};
    const float most = fmaxf(over.x, fmaxf(over.y, over.z));
    if (most <= 0) {
      if (over.x == most) return {most, {sign.x, 0, 0}};
      if (over.y == most) return {most, {0, sign.y, 0}};
      return {most, {0, 0, sign.z}};
    }
    const Vec3 gap{fmaxf(over.x, 0.0f), fmaxf(over.y, 0.0f), fmaxf(over.z, 0.0f)};
    const float distance = norm(gap);
    const float scale = 1 / distance;
    return {distance, {sign.x * gap.x * scale, sign.y * gap.y * scale, sign.z * gap.z * scale}};
  }
};

using WallView = View<const Wall>;

/// Device walls made from a scene's.
class Walls {
 public:
  Walls() = default;
  /// Throws InputError on a zero direction, a radius that is not positive, or box corners in the wrong order.
  explicit Walls(const std::vector<WallParameters>& walls);
  WallView view() const { return walls_.const_view(); }
  int count() const { return walls_.size(); }

 private:
  Array<Wall> walls_;
};

MERGANSER_END
