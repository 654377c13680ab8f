#include "solvers/geometry/sampling/rigid_placement.h"

#include <cmath>

#include "solvers/base/point_arithmetic.h"

namespace merganser {

using namespace point_arithmetic;

namespace {

Point3 scaled(double s, const Point3& v) { return {s * v[0], s * v[1], s * v[2]}; }

/// c 1 + [v]x + s v v^T, Rodrigues' formula with v = sin n, c = cos, s = (1 - cos) / sin^2.
Rotation3 rodrigues(double c, const Point3& v, double s) {
  return {{{c + s * v[0] * v[0], s * v[0] * v[1] - v[2], s * v[0] * v[2] + v[1]},
           {s * v[1] * v[0] + v[2], c + s * v[1] * v[1], s * v[1] * v[2] - v[0]},
           {s * v[2] * v[0] - v[1], s * v[2] * v[1] + v[0], c + s * v[2] * v[2]}}};
}

}  // namespace

Point3 RigidPlacement::operator()(const Point3& x) const {
  Point3 to = translation;
  for (size_t k = 0; k < 3; ++k) to[k] += dot(rotation[k], x);
  return to;
}

RigidPlacement moved_between(const RigidPlacement& from, const RigidPlacement& to) {
  RigidPlacement made;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) made.rotation[i][j] = dot(to.rotation[i], from.rotation[j]);
  made.translation = {0, 0, 0};
  const Point3 turned = made(from.translation);
  for (size_t k = 0; k < 3; ++k) made.translation[k] = to.translation[k] - turned[k];
  return made;
}

Rotation3 rotation_about(const Point3& axis, double angle) {
  const double length = std::sqrt(dot(axis, axis)), c = std::cos(angle), s = std::sin(angle);
  const Point3 n = length > 0 ? scaled(1 / length, axis) : Point3{0, 0, 1};
  Rotation3 made = rodrigues(c, scaled(s, n), 0);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) made[i][j] += (1 - c) * n[i] * n[j];
  return made;
}

Rotation3 smallest_rotation(const Point3& from, const Point3& to) {
  const Point3 direction = scaled(1 / std::sqrt(dot(to, to)), to);
  const double c = dot(from, direction);
  if (c > -0.999999) return rodrigues(c, cross(from, direction), 1 / (1 + c));
  // Half a turn about any axis across, which is its own inverse, then what is left.
  const Point3 across = std::abs(from[0]) < 0.5 ? Point3{1, 0, 0} : Point3{0, 1, 0};
  const Rotation3 half = rotation_about(cross(from, across), std::acos(-1.0));
  const Rotation3 rest = smallest_rotation(scaled(-1, from), to);
  return moved_between({.rotation = half}, {.rotation = rest}).rotation;
}

}  // namespace merganser
