#include "solvers/geometry/sampling/mass_properties.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace merganser {

namespace {

using std::numbers::pi;

Point3 difference(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point3 middle(const Point3& a, const Point3& b) {
  return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
}

/// A solid of revolution about `axis`: second moments along it and across.
MassProperties round_solid(double volume, const Point3& centre, const Point3& axis, double along,
                           double across) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  MassProperties made{.volume = volume, .centre = centre, .second = {}};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      made.second[i][j] = (i == j ? across : 0) + (along - across) * axis[i] * axis[j] / (length * length);
  return made;
}

/// Integrals over the part of a ball around the origin that lies below z = c.
struct BallBelow {
  double volume = 0, z = 0, zz = 0, xx = 0;
  BallBelow(double radius, double c) {
    if (!(c > -radius)) return;
    const auto integrate = [&](const auto& primitive) {
      return primitive(std::min(c, radius)) - primitive(-radius);
    };
    const double r2 = radius * radius;
    volume = integrate([&](double s) { return pi * (r2 * s - s * s * s / 3); });
    z = integrate([&](double s) { return pi * (r2 * s * s / 2 - std::pow(s, 4) / 4); });
    zz = integrate([&](double s) { return pi * (r2 * s * s * s / 3 - std::pow(s, 5) / 5); });
    xx = integrate(
        [&](double s) { return pi / 4 * (r2 * r2 * s - 2 * r2 * s * s * s / 3 + std::pow(s, 5) / 5); });
  }
};

MassProperties bowl(const ShapeParameters& s, const Point3& centre) {
  const double c = s.rim_height - s.outer_radius;
  const BallBelow outer(s.outer_radius, c), inner(s.outer_radius - s.thickness, c);
  const double volume = outer.volume - inner.volume, height = (outer.z - inner.z) / volume;
  return round_solid(volume, {centre[0], centre[1], centre[2] + height}, {0, 0, 1},
                     outer.zz - inner.zz - volume * height * height, outer.xx - inner.xx);
}

}  // namespace

std::array<Point3, 3> MassProperties::inertia() const {
  std::array<Point3, 3> made;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      made[i][j] = (i == j ? second[0][0] + second[1][1] + second[2][2] : 0) - second[i][j];
  return made;
}

MassProperties mass_properties(const TriangleMesh& mesh) {
  MassProperties made;
  if (mesh.vertices.empty()) return made;
  const auto point = [&](int vertex) {
    const Float3 &x = mesh.vertices[size_t(vertex)], &from = mesh.vertices.front();
    return Point3{double(x[0]) - double(from[0]), double(x[1]) - double(from[1]),
                  double(x[2]) - double(from[2])};
  };
  Point3 first{0, 0, 0};
  for (const Triangle& t : mesh.triangles) {
    const Point3 a = point(t[0]), b = point(t[1]), c = point(t[2]);
    const double volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                          6;
    made.volume += volume;
    for (size_t i = 0; i < 3; ++i) {
      const double sum = a[i] + b[i] + c[i];
      first[i] += volume / 4 * sum;
      for (size_t j = 0; j < 3; ++j)
        made.second[i][j] +=
            volume / 20 * (sum * (a[j] + b[j] + c[j]) + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    }
  }
  const double sign = made.volume < 0 ? -1 : 1;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      made.second[i][j] = sign * (made.second[i][j] - first[i] * first[j] / made.volume);
  for (size_t i = 0; i < 3; ++i) made.centre[i] = double(mesh.vertices.front()[i]) + first[i] / made.volume;
  made.volume *= sign;
  return made;
}

MassProperties mass_properties(const ShapeParameters& s) {
  if (s.is_mesh()) return mass_properties(s.mesh);
  const Point3 centre = sum_of(s.centre, s.translation);
  if (s.word == "box") {
    const Point3 side = difference(s.end, s.start);
    MassProperties made{.volume = side[0] * side[1] * side[2],
                        .centre = sum_of(middle(s.start, s.end), s.translation),
                        .second = {}};
    for (size_t i = 0; i < 3; ++i) made.second[i][i] = made.volume * side[i] * side[i] / 12;
    return made;
  }
  if (s.word == "sphere") {
    const double volume = 4 * pi / 3 * std::pow(s.radius, 3), moment = volume * s.radius * s.radius / 5;
    return round_solid(volume, centre, {0, 0, 1}, moment, moment);
  }
  if (s.word == "cylinder") {
    const Point3 axis = difference(s.end, s.start);
    const double length = std::hypot(axis[0], axis[1], axis[2]), volume = pi * s.radius * s.radius * length;
    return round_solid(volume, sum_of(middle(s.start, s.end), s.translation), axis,
                       volume * length * length / 12, volume * s.radius * s.radius / 4);
  }
  if (s.word == "torus") {
    const double major = s.major_radius, minor2 = s.minor_radius * s.minor_radius,
                 volume = 2 * pi * pi * major * minor2;
    return round_solid(volume, centre, s.axis, volume * minor2 / 4,
                       volume * (major * major / 2 + 3 * minor2 / 8));
  }
  return bowl(s, centre);
}

}  // namespace merganser
