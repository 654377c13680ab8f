#include "solvers/sampling/shapes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "device/errors.h"

namespace merganser {

namespace {

Point3 minus(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Point3& a) { return std::sqrt(dot(a, a)); }

/// SplitMix64 (Steele, Lea, Flood 2014) of a counter, as a number in [-1, 1).
double jitter_draw(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9E3779B97F4A7C15ull + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

/// Points of one axis: as many steps as fit, centred.
std::vector<double> axis_points(double low, double high, double step) {
  const int n = std::max(1, static_cast<int>(std::floor((high - low) / step + 1e-4)));
  const double first = 0.5 * (low + high) - 0.5 * (n - 1) * step;
  std::vector<double> points;
  for (int i = 0; i < n; ++i) points.push_back(first + i * step);
  return points;
}

std::vector<Point3> cubic_lattice(const Point3& low, const Point3& high, double spacing) {
  std::vector<Point3> points;
  const auto xs = axis_points(low[0], high[0], spacing), ys = axis_points(low[1], high[1], spacing);
  for (double z : axis_points(low[2], high[2], spacing))
    for (double y : ys)
      for (double x : xs) points.push_back({x, y, z});
  return points;
}

/// Hexagonal layers, every second one shifted; nearest distance a with a^3/sqrt(2) = spacing^3.
std::vector<Point3> hexagonal_lattice(const Point3& low, const Point3& high, double spacing) {
  const double a = spacing * std::pow(2.0, 1.0 / 6.0), row = a * std::sqrt(3.0) / 2, layer = a * std::sqrt(2.0 / 3.0);
  std::vector<Point3> points;
  int k = 0;
  for (double z : axis_points(low[2], high[2], layer)) {
    int j = 0;
    for (double y : axis_points(low[1], high[1] - (k % 2) * row / 3, row)) {
      for (double x : axis_points(low[0], high[0] - ((j + k) % 2) * a / 2, a))
        points.push_back({x + ((j + k) % 2) * a / 2, y + (k % 2) * row / 3, z});
      ++j;
    }
    ++k;
  }
  return points;
}

}  // namespace

std::vector<Point3> lattice_points(const Point3& low, const Point3& high, const Sampling& sampling) {
  double count = 1;
  for (size_t axis = 0; axis < 3; ++axis) count *= std::max(1.0, (high[axis] - low[axis]) / sampling.spacing);
  if (!(count < 2e9))
    throw InputError("a shape of " + std::to_string(count) + " lattice points is too large; use a lower --resolution");
  auto points = sampling.packing == Packing::cubic ? cubic_lattice(low, high, sampling.spacing)
                                                   : hexagonal_lattice(low, high, sampling.spacing);
  if (sampling.jitter > 0) {
    std::uint64_t counter = std::uint64_t(sampling.seed) << 40;
    for (Point3& p : points)
      for (double& x : p) x += sampling.jitter * sampling.spacing * jitter_draw(counter++);
  }
  return points;
}

std::vector<Float3> sample_box(const Point3& low, const Point3& high, const Sampling& sampling) {
  return sample_where(low, high, sampling, [](const Point3&) { return true; });
}

std::vector<Float3> sample_sphere(const Point3& c, double radius, const Sampling& sampling) {
  return sample_where({c[0] - radius, c[1] - radius, c[2] - radius}, {c[0] + radius, c[1] + radius, c[2] + radius}, sampling,
                      [&](const Point3& p) { return length(minus(p, c)) <= radius; });
}

std::vector<Float3> sample_cylinder(const Point3& start, const Point3& end, double radius, const Sampling& sampling) {
  const Point3 axis = minus(end, start);
  const double height = length(axis);
  Point3 low, high;
  for (size_t k = 0; k < 3; ++k) {
    // Extent of a disc with this normal along axis k: radius * sqrt(1 - n_k^2).
    const double n = height > 0 ? axis[k] / height : 0, disc = radius * std::sqrt(std::max(0.0, 1 - n * n));
    low[k] = std::min(start[k], end[k]) - disc;
    high[k] = std::max(start[k], end[k]) + disc;
  }
  return sample_where(low, high, sampling, [&](const Point3& p) {
    const Point3 d = minus(p, start);
    const double along = dot(d, axis) / height;
    return along >= -1e-9 * height && along <= height * (1 + 1e-9) && dot(d, d) - along * along <= radius * radius;
  });
}

std::vector<Float3> sample_torus(const Point3& c, const Point3& axis, double major_radius, double minor_radius,
                                 const Sampling& sampling) {
  const double reach = major_radius + minor_radius, norm = length(axis);
  return sample_where({c[0] - reach, c[1] - reach, c[2] - reach}, {c[0] + reach, c[1] + reach, c[2] + reach}, sampling,
                      [&](const Point3& p) {
                        const Point3 d = minus(p, c);
                        const double along = dot(d, axis) / norm;
                        const double across = std::sqrt(std::max(0.0, dot(d, d) - along * along));
                        return std::hypot(across - major_radius, along) <= minor_radius;
                      });
}

std::vector<Float3> sample_bowl(const Point3& c, double outer_radius, double thickness, double rim_height,
                                const Sampling& sampling) {
  const double bottom = c[2] - outer_radius;
  return sample_where({c[0] - outer_radius, c[1] - outer_radius, bottom},
                      {c[0] + outer_radius, c[1] + outer_radius, c[2] + outer_radius}, sampling, [&](const Point3& p) {
                        const double r = length(minus(p, c));
                        return r <= outer_radius && r >= outer_radius - thickness && p[2] <= bottom + rim_height;
                      });
}

}  // namespace merganser
