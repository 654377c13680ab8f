#include "solvers/coupling/boundary/wall_samples.h"

#include <cmath>
#include <numbers>

#include "device/errors.h"
#include "solvers/geometry/walls/mesh_samples.h"

MERGANSER_BEGIN

namespace {

using namespace point_arithmetic;

constexpr double pi = std::numbers::pi;

Point3 to_point(const Vec3& a) { return {a.x, a.y, a.z}; }

/// Unit vectors across a unit vector.
struct Across {
  Point3 u, v;
  explicit Across(const Point3& axis) {
    const Point3 other = std::abs(axis[0]) < 0.6 ? Point3{1, 0, 0} : Point3{0, 1, 0};
    u = point_arithmetic::cross(axis, other);
    u = (1 / length(u)) * u;
    v = point_arithmetic::cross(axis, u);
  }
};

int parts_of(double length, double spacing) { return std::max(1, int(std::lround(length / spacing))); }

/// Rings of samples about an axis through `centre`; those of every second ring stand between the others.
class Rings {
 public:
  Rings(const Point3& centre, const Point3& axis, double spacing)
      : centre_(centre), axis_(axis), across_(axis), spacing_(spacing) {}

  void add(double radius, double height) {
    const int count = radius > 0.25 * spacing_ ? std::max(3, parts_of(2 * pi * radius, spacing_)) : 1;
    const double first = 0.5 * (rings_++ % 2), out = count > 1 ? radius : 0;
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * pi * (k + first) / count;
      points.push_back(centre_ + height * axis_ +
                       out * (std::cos(angle) * across_.u + std::sin(angle) * across_.v));
    }
  }
  /// An arc of the profile about (0, height), from one angle to another off the axis, without its end.
  void add_arc(double radius, double height, double from, double to) {
    const int parts = parts_of(radius * std::abs(to - from), spacing_);
    for (int k = 0; k < parts; ++k) {
      const double angle = from + (to - from) * k / parts;
      add(radius * std::sin(angle), height + radius * std::cos(angle));
    }
  }
  /// A straight piece of the profile, without its end.
  void add_line(double radius, double height, double to_radius, double to_height) {
    const int parts = parts_of(std::hypot(to_radius - radius, to_height - height), spacing_);
    for (int k = 0; k < parts; ++k)
      add(radius + (to_radius - radius) * k / parts, height + (to_height - height) * k / parts);
  }

  std::vector<Point3> points;

 private:
  Point3 centre_, axis_;
  Across across_;
  double spacing_;
  int rings_ = 0;
};

WallSamples on_plane(const Wall& wall, double spacing, double reach) {
  const Point3 normal = to_point(wall.direction);
  const Across across(normal);
  WallSamples samples{.origin = to_point(wall.point) - (0.5 * spacing) * normal,
                      .direction = {across.u, across.v},
                      .period = {spacing, spacing},
                      .repeats = 2};
  const int most = int(std::ceil(reach / spacing)) + 1;
  for (int i = -most; i <= most; ++i)
    for (int j = -most; j <= most; ++j)
      samples.points.push_back(samples.origin + (i * spacing) * across.u + (j * spacing) * across.v);
  return samples;
}

/// Two rings are a period, for every second one is turned.
WallSamples on_endless_cylinder(const Wall& wall, double radius, double spacing, double reach) {
  const Point3 centre = to_point(wall.point), axis = to_point(wall.direction);
  WallSamples samples{.origin = centre + radius * Across(axis).u,
                      .direction = {axis, {0, 0, 0}},
                      .period = {2 * spacing, 0},
                      .repeats = 1};
  const int most = 2 * (int(std::ceil(reach / (2 * spacing))) + 1);
  Rings rings(centre, axis, spacing);
  for (int k = -most; k <= most; ++k) rings.add(radius, k * spacing);
  samples.points = std::move(rings.points);
  return samples;
}

std::vector<Point3> on_box(const Wall& wall, double spacing) {
  const double half[3] = {wall.direction.x, wall.direction.y, wall.direction.z};
  int parts[3];
  double inner_half[3];
  for (int axis = 0; axis < 3; ++axis) {
    inner_half[axis] = std::max(0.0, half[axis] - spacing / 2);
    parts[axis] = int(std::lround(2 * inner_half[axis] / spacing));
  }
  const auto at = [&](int axis, int k) {
    return parts[axis] > 0 ? inner_half[axis] * (2.0 * k / parts[axis] - 1) : 0;
  };
  std::vector<Point3> points;
  for (int i = 0; i <= parts[0]; ++i)
    for (int j = 0; j <= parts[1]; ++j) {
      const bool edge = i == 0 || i == parts[0] || j == 0 || j == parts[1];
      for (int k = 0; k <= parts[2]; k += edge ? 1 : std::max(1, parts[2]))
        points.push_back(to_point(wall.point) + Point3{at(0, i), at(1, j), at(2, k)});
    }
  return points;
}

std::vector<Point3> on_round_wall(const Wall& wall, double radius, double spacing) {
  const bool ball = wall.shape == WallShape::sphere, capsule = wall.shape == WallShape::capsule;
  const Point3 axis = ball ? Point3{0, 0, 1} : to_point(wall.direction);
  Rings rings(to_point(wall.point), axis, spacing);
  if (ball || capsule) {
    const double half = capsule ? wall.half_length : 0;
    rings.add_arc(radius, half, 0, pi / 2);
    if (capsule) rings.add_line(radius, half, radius, -half);
    rings.add_arc(radius, -half, pi / 2, pi);
    rings.add(0, -half - radius);
  } else {
    const double half = std::max(0.0, double(wall.half_length) - spacing / 2);
    rings.add_line(0, half, radius, half);
    if (half > 0) {
      rings.add_line(radius, half, radius, -half);
      rings.add_line(radius, -half, 0, -half);
      rings.add(0, -half);
    } else {
      rings.add(radius, 0);
    }
  }
  return std::move(rings.points);
}

}  // namespace

WallSamples sample_wall(const Wall& wall, const WallMesh* mesh, double spacing, double reach) {
  const double radius = std::max(0.0, double(wall.radius) + double(wall.side) * spacing / 2);
  switch (wall.shape) {
    case WallShape::plane:
      return on_plane(wall, spacing, reach);
    case WallShape::cylinder:
      return on_endless_cylinder(wall, radius, spacing, reach);
    case WallShape::box:
      return {.points = on_box(wall, spacing)};
    case WallShape::mesh: {
      WallSamples samples{.points = sample_surface(*mesh, spacing)};
      if (samples.points.empty())
        throw InputError(mesh->name + ": no boundary sample has room half a particle spacing, " +
                         std::to_string(spacing / 2) +
                         " m, behind the surface; thicken the mesh, raise the resolution or take boundary "
                         "volumeMap");
      return samples;
    }
    default:
      return {.points = on_round_wall(wall, radius, spacing)};
  }
}

MERGANSER_END
