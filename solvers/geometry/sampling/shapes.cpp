#include "solvers/geometry/sampling/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "device/errors.h"
#include "solvers/base/point_arithmetic.h"

namespace merganser {

using namespace point_arithmetic;

namespace {

Point3 minus(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// SplitMix64 (Steele, Lea, Flood 2014) of a counter, as a number in [-1, 1).
double jitter_draw(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9E3779B97F4A7C15ull + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

Point3 lattice_pitch(const Sampling& sampling) {
  if (sampling.packing == Packing::cubic) return {sampling.spacing, sampling.spacing, sampling.spacing};
  // Nearest distance a with a^3 / sqrt(2) = spacing^3, the volume of a particle.
  const double a = sampling.spacing * std::pow(2.0, 1.0 / 6.0);
  return {a, a * std::sqrt(3.0) / 2, a * std::sqrt(2.0 / 3.0)};
}

/// [m^3] of the part of a ball below `height` over its lowest point.
double cap_volume(double radius, double height) {
  const double h = std::clamp(height, 0.0, 2 * std::max(radius, 0.0));
  return std::numbers::pi * h * h * (3 * radius - h) / 3;
}

}  // namespace

std::array<double, 3> lattice_cells(const Point3& low, const Point3& high, const Sampling& sampling) {
  const Point3 pitch = lattice_pitch(sampling);
  std::array<double, 3> cells;
  for (size_t axis = 0; axis < 3; ++axis)
    // A box of n spacings holds n cells although n * spacing was rounded.
    cells[axis] = std::max(1.0, std::floor((high[axis] - low[axis]) / pitch[axis] + 1e-4));
  return cells;
}

Lattice::Lattice(const Point3& low, const Point3& high, const Sampling& sampling)
    : sampling_(sampling), pitch_(lattice_pitch(sampling)) {
  const std::array<double, 3> cells = lattice_cells(low, high, sampling);
  const double total = cells[0] * cells[1] * cells[2];
  if (!(total <= 2e9)) {
    std::ostringstream message;
    message << "a shape within (" << low[0] << ", " << low[1] << ", " << low[2] << ") to (" << high[0] << ", "
            << high[1] << ", " << high[2] << ") m takes " << total << " lattice points of spacing "
            << sampling.spacing << " m, at most 2e9 are allowed; raise particleRadius or lower --resolution";
    throw InputError(message.str());
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    count_[axis] = static_cast<int>(cells[axis]);
    first_[axis] = 0.5 * (low[axis] + high[axis]) - 0.5 * (count_[axis] - 1) * pitch_[axis];
  }
}

Point3 Lattice::point(int i, int j, int k) const {
  Point3 p{first_[0] + i * pitch_[0], first_[1] + j * pitch_[1], first_[2] + k * pitch_[2]};
  if (sampling_.packing == Packing::hexagonal) {
    // Rows alternate by half a pitch and layers by a third of a row, about the middle of the two.
    p[0] += ((j + k) % 2 - 0.5) * pitch_[0] / 2;
    p[1] += (k % 2 - 0.5) * pitch_[1] / 3;
  }
  if (sampling_.jitter > 0) {
    std::uint64_t draw =
        (std::uint64_t(sampling_.seed) << 40) +
        3 * ((std::uint64_t(k) * std::uint64_t(count_[1]) + std::uint64_t(j)) * std::uint64_t(count_[0]) +
             std::uint64_t(i));
    for (double& x : p) x += sampling_.jitter * sampling_.spacing * jitter_draw(draw++);
  }
  return p;
}

std::vector<Float3> displaced(std::vector<Float3> points, double most, std::uint32_t seed) {
  std::uint64_t draw = (std::uint64_t(seed) << 40) + (std::uint64_t(1) << 39);  // none of a lattice's jitter
  for (Float3& point : points) {
    Point3 d{2, 0, 0};
    while (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 1)
      for (double& x : d) x = jitter_draw(draw++);
    for (size_t axis = 0; axis < 3; ++axis) point[axis] += static_cast<float>(most * d[axis]);
  }
  return points;
}

Shape box_shape(const Point3& low, const Point3& high) {
  const Point3 side = minus(high, low);
  return {low,
          high,
          side[0] * side[1] * side[2],
          std::min({side[0], side[1], side[2]}),
          std::max({side[0], side[1], side[2]}),
          {}};
}

Shape sphere_shape(const Point3& c, double radius) {
  return {{c[0] - radius, c[1] - radius, c[2] - radius},
          {c[0] + radius, c[1] + radius, c[2] + radius},
          cap_volume(radius, 2 * radius),
          2 * radius,
          2 * radius,
          [=](const Point3& p) { return length(minus(p, c)) <= radius; }};
}

Shape cylinder_shape(const Point3& start, const Point3& end, double radius) {
  const Point3 axis = minus(end, start);
  const double height = length(axis);
  Point3 low, high;
  for (size_t k = 0; k < 3; ++k) {
    // Extent of a disc with this normal along axis k: radius * sqrt(1 - n_k^2).
    const double n = height > 0 ? axis[k] / height : 0, disc = radius * std::sqrt(std::max(0.0, 1 - n * n));
    low[k] = std::min(start[k], end[k]) - disc;
    high[k] = std::max(start[k], end[k]) + disc;
  }
  return {low,
          high,
          std::numbers::pi * radius * radius * height,
          std::min(2 * radius, height),
          std::max(2 * radius, height),
          [=](const Point3& p) {
            const Point3 d = minus(p, start);
            const double along = dot(d, axis) / height;
            return along >= -1e-9 * height && along <= height * (1 + 1e-9) &&
                   dot(d, d) - along * along <= radius * radius;
          }};
}

Shape torus_shape(const Point3& c, const Point3& axis, double major_radius, double minor_radius) {
  const double reach = major_radius + minor_radius, norm = length(axis), pi = std::numbers::pi;
  return {{c[0] - reach, c[1] - reach, c[2] - reach},
          {c[0] + reach, c[1] + reach, c[2] + reach},
          2 * pi * pi * major_radius * minor_radius * minor_radius,
          2 * minor_radius,
          2 * pi * major_radius,
          [=](const Point3& p) {
            const Point3 d = minus(p, c);
            const double along = dot(d, axis) / norm;
            const double across = std::sqrt(std::max(0.0, dot(d, d) - along * along));
            return std::hypot(across - major_radius, along) <= minor_radius;
          }};
}

Shape bowl_shape(const Point3& c, double outer_radius, double thickness, double rim_height) {
  const double bottom = c[2] - outer_radius;
  return {{c[0] - outer_radius, c[1] - outer_radius, bottom},
          {c[0] + outer_radius, c[1] + outer_radius, c[2] + outer_radius},
          cap_volume(outer_radius, rim_height) - cap_volume(outer_radius - thickness, rim_height - thickness),
          std::min(thickness, rim_height),
          2 * outer_radius,
          [=](const Point3& p) {
            const double r = length(minus(p, c));
            return r <= outer_radius && r >= outer_radius - thickness && p[2] <= bottom + rim_height;
          }};
}

std::vector<Float3> sample_shape(const Shape& shape, const Sampling& sampling) {
  if (!shape.inside) return sample_where(shape.low, shape.high, sampling, [](const Point3&) { return true; });
  return sample_where(shape.low, shape.high, sampling, shape.inside);
}

double count_points(const Shape& shape, const Sampling& sampling, double looked_at) {
  const std::array<double, 3> cells = lattice_cells(shape.low, shape.high, sampling);
  const double total = cells[0] * cells[1] * cells[2];
  if (!shape.inside || !(total > 0)) return total;
  if (total <= looked_at) {
    double count = 0;
    for_each_point(shape.low, shape.high, sampling, shape.inside, [&](const Point3&) { ++count; });
    return count;
  }
  if (!(shape.volume > 0)) return 0;
  const Point3 pitch = lattice_pitch(sampling);
  double count = shape.volume / std::pow(sampling.spacing, 3);
  for (size_t axis = 0; axis < 3; ++axis)
    count *= cells[axis] * pitch[axis] / (shape.high[axis] - shape.low[axis]);
  return std::min(count, total);
}

std::vector<Float3> sample_box(const Point3& low, const Point3& high, const Sampling& sampling) {
  return sample_shape(box_shape(low, high), sampling);
}
std::vector<Float3> sample_sphere(const Point3& centre, double radius, const Sampling& sampling) {
  return sample_shape(sphere_shape(centre, radius), sampling);
}
std::vector<Float3> sample_cylinder(const Point3& start, const Point3& end, double radius,
                                    const Sampling& sampling) {
  return sample_shape(cylinder_shape(start, end, radius), sampling);
}
std::vector<Float3> sample_torus(const Point3& centre, const Point3& axis, double major_radius,
                                 double minor_radius, const Sampling& sampling) {
  return sample_shape(torus_shape(centre, axis, major_radius, minor_radius), sampling);
}
std::vector<Float3> sample_bowl(const Point3& centre, double outer_radius, double thickness,
                                double rim_height, const Sampling& sampling) {
  return sample_shape(bowl_shape(centre, outer_radius, thickness, rim_height), sampling);
}

}  // namespace merganser
