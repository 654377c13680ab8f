#include "solvers/geometry/sampling/shape_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace merganser {

namespace {

constexpr double pi = std::numbers::pi;

/// Corners of a circle whose chords deviate from it by no more.
int corners_of(double radius, double deviation) {
  const double half = std::acos(std::clamp(1 - deviation / radius, -1.0, 1.0));
  return static_cast<int>(std::clamp(std::ceil(pi / std::max(half, 1e-9)), 12.0, 720.0));
}

/// A point of a meridian.
struct MeridianPoint {
  double radius, height;  ///< [m]
};
using Meridian = std::vector<MeridianPoint>;

/// Appends the arc about (offset, height) from one angle to another; angle 0 is downwards.
void add_arc(Meridian& line, double offset, double height, double radius, double from, double to,
             double deviation) {
  const int parts = std::max(
      2, static_cast<int>(std::ceil(corners_of(radius, deviation) * std::abs(to - from) / (2 * pi))));
  for (int k = 0; k <= parts; ++k) {
    const double angle = from + (to - from) * k / parts, r = offset + radius * std::sin(angle);
    // The poles lie on the axis exactly, or their faces would not meet.
    line.push_back({std::abs(r) < 1e-9 * radius ? 0 : r, height - radius * std::cos(angle)});
  }
}

class RevolvedSurface {
 public:
  RevolvedSurface(const Point3& origin, const Point3& axis) : origin_(origin) {
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    for (size_t k = 0; k < 3; ++k) axis_[k] = axis[k] / length;
    Point3 other{0, 0, 0};
    other[std::abs(axis_[0]) < 0.6 ? 0 : 1] = 1;
    across_ = cross(axis_, other);
    const double size = std::hypot(across_[0], across_[1], across_[2]);
    for (double& x : across_) x /= size;
    aside_ = cross(axis_, across_);
  }
  /// A line whose ends lie on the axis, or whose last point is its first; outside is on its right hand.
  void add(const Meridian& line, int corners) {
    for (size_t k = 0; k + 1 < line.size(); ++k)
      for (int j = 0; j < corners; ++j) {
        const int next = (j + 1) % corners;
        const Float3 a = point(line[k], j, corners), b = point(line[k], next, corners),
                     c = point(line[k + 1], next, corners), d = point(line[k + 1], j, corners);
        for (const Float3& x : {a, b, c, a, c, d}) corner_.push_back(x);
      }
  }
  TriangleMesh mesh() const { return mesh_of_corners(corner_); }

 private:
  static Point3 cross(const Point3& a, const Point3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  Float3 point(const MeridianPoint& p, int j, int corners) const {
    const double angle = 2 * pi * j / corners, x = p.radius * std::cos(angle), y = p.radius * std::sin(angle);
    Float3 made;
    for (size_t k = 0; k < 3; ++k)
      made[k] = static_cast<float>(origin_[k] + across_[k] * x + aside_[k] * y + axis_[k] * p.height);
    return made;
  }
  Point3 origin_, axis_, across_, aside_;
  std::vector<Float3> corner_;
};

TriangleMesh box_mesh(const Point3& low, const Point3& high) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back(
        {float((k & 1 ? high : low)[0]), float((k & 2 ? high : low)[1]), float((k & 4 ? high : low)[2])});
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// Between two spheres about one centre and below the rim; closed where the rim is above the inner one.
TriangleMesh bowl_mesh(const ShapeParameters& s, const Point3& centre, double deviation) {
  const double outer = s.outer_radius, inner = outer - s.thickness;
  // Angles of the rim on both spheres, from downwards.
  const auto angle_at = [&](double radius) {
    return std::acos(std::clamp((outer - s.rim_height) / radius, -1.0, 1.0));
  };
  const int corners = corners_of(outer, deviation);
  RevolvedSurface surface(centre, {0, 0, 1});
  Meridian line;
  add_arc(line, 0, 0, outer, 0, angle_at(outer), deviation);
  if (!(inner > 0) || s.rim_height <= s.thickness) {
    line.push_back({0, line.back().height});
    surface.add(line, corners);
    return surface.mesh();
  }
  Meridian hollow;
  add_arc(hollow, 0, 0, inner, angle_at(inner), 0, deviation);
  if (hollow.front().radius > 0) {
    line.insert(line.end(), hollow.begin(), hollow.end());
    surface.add(line, corners);
    return surface.mesh();
  }
  line.push_back({0, line.back().height});
  surface.add(line, corners);
  surface.add(hollow, corners);
  return surface.mesh();
}

}  // namespace

TriangleMesh shape_mesh(const ShapeParameters& s, double deviation) {
  if (s.is_mesh()) return s.placed_mesh();
  if (s.word == "box") return box_mesh(sum_of(s.start, s.translation), sum_of(s.end, s.translation));
  const Point3 centre = sum_of(s.centre, s.translation);
  if (s.word == "bowl") return bowl_mesh(s, centre, deviation);
  Meridian line;
  if (s.word == "cylinder") {
    const Point3 axis{s.end[0] - s.start[0], s.end[1] - s.start[1], s.end[2] - s.start[2]};
    const double height = std::hypot(axis[0], axis[1], axis[2]);
    RevolvedSurface surface(sum_of(s.start, s.translation), axis);
    surface.add({{0, 0}, {s.radius, 0}, {s.radius, height}, {0, height}}, corners_of(s.radius, deviation));
    return surface.mesh();
  }
  const bool ring = s.word == "torus";
  RevolvedSurface surface(centre, ring ? s.axis : Point3{0, 0, 1});
  if (ring) {
    add_arc(line, s.major_radius, 0, s.minor_radius, 0, 2 * pi, deviation);
    line.back() = line.front();
  } else {
    add_arc(line, 0, 0, s.radius, 0, pi, deviation);
  }
  surface.add(line, corners_of(ring ? s.major_radius + s.minor_radius : s.radius, deviation));
  return surface.mesh();
}

}  // namespace merganser
