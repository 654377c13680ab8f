#include "solvers/geometry/walls/wall.h"

#include <cmath>
#include <string>

MERGANSER_BEGIN

namespace {

Vec3 to_vec3(const Point3& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

Vec3 unit(const Point3& p, const std::string& wall) {
  const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  if (!(length > 0)) throw InputError(wall + ": direction must not be the zero vector");
  return {static_cast<float>(p[0] / length), static_cast<float>(p[1] / length),
          static_cast<float>(p[2] / length)};
}

/// The six planes of a tank, normals inward.
void add_tank(std::vector<Wall>& walls, Wall plane, const WallParameters& box) {
  plane.shape = WallShape::plane;
  for (int axis = 0; axis < 3; ++axis)
    for (int upper = 0; upper < 2; ++upper) {
      float normal[3] = {0, 0, 0};
      normal[axis] = upper ? -1.0f : 1.0f;
      plane.direction = {normal[0], normal[1], normal[2]};
      plane.point = to_vec3(upper ? box.high : box.low);
      walls.push_back(plane);
    }
}

}  // namespace

Walls::Walls(const std::vector<WallParameters>& walls) {
  std::vector<Wall> all;
  for (size_t k = 0; k < walls.size(); ++k) {
    const WallParameters& from = walls[k];
    const std::string name = "walls[" + std::to_string(k) + "]";
    Wall wall{.shape = from.shape,
              .side = from.inside ? 1.0f : -1.0f,
              .point = to_vec3(from.point),
              .direction = {0, 0, 0},
              .radius = static_cast<float>(from.radius),
              .velocity = to_vec3(from.velocity),
              .friction = static_cast<float>(from.friction),
              .restitution = static_cast<float>(from.restitution),
              .no_slip = from.no_slip};
    if (from.shape == WallShape::box) {
      for (size_t axis = 0; axis < 3; ++axis)
        if (!(from.low[axis] < from.high[axis]))
          throw InputError(name + ": every coordinate of low must be below that of high");
      if (from.inside) {
        add_tank(all, wall, from);
        continue;
      }
      const Vec3 low = to_vec3(from.low), high = to_vec3(from.high);
      wall.point = 0.5f * (low + high);
      wall.direction = 0.5f * (high - low);
    } else if (from.shape != WallShape::sphere) {
      wall.direction = unit(from.direction, name);
    }
    if ((from.shape == WallShape::sphere || from.shape == WallShape::cylinder) && !(from.radius > 0))
      throw InputError(name + ": radius must be positive, but is " + std::to_string(from.radius));
    all.push_back(wall);
  }
  walls_.assign(all);
}

MERGANSER_END
