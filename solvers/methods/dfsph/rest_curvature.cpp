#include "solvers/methods/dfsph/rest_curvature.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "device/vector_math.h"

MERGANSER_BEGIN

namespace {

/// Moments of the particles of a body, and the matrix A of its ellipsoid.
struct Ellipsoid {
  double count = 0, cell = 0;  ///< number; [m^2] sum of d^2/12: a particle is as wide as the spacing d
  Vec3d sum{0, 0, 0}, low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;  ///< moments, then A

  void add(const Vec3d& x, double spacing) {
    count += 1;
    cell += spacing * spacing / 12;
    sum = sum + x;
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  Vec3d centre() const { return sum * (1 / count); }
  void add_moments(const Vec3d& x) {
    const Vec3d d = x - centre();
    xx += d.x * d.x, yy += d.y * d.y, zz += d.z * d.z;
    xy += d.x * d.y, xz += d.x * d.z, yz += d.y * d.z;
  }
  /// From moments to A; along an axis whose period the body spans it has no end.
  void invert(const Point3& period) {
    const double of_each = 5 / count, spacing = std::sqrt(12 * cell / count);
    const auto endless = [&](double length, double low_end, double high_end) {
      return length > 0 && high_end - low_end > length - 1.5 * spacing;
    };
    for (double* m : {&xx, &yy, &zz, &xy, &xz, &yz}) *m *= of_each;
    for (double* m : {&xx, &yy, &zz}) *m += of_each * cell;
    constexpr double far = 1e12;  // times its own square
    if (endless(period[0], low.x, high.x)) xx *= far, xy = xz = 0;
    if (endless(period[1], low.y, high.y)) yy *= far, xy = yz = 0;
    if (endless(period[2], low.z, high.z)) zz *= far, xz = yz = 0;
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double scale = 1 / (xx * a + xy * b + xz * c);
    const double of_yy = xx * zz - xz * xz, of_yz = xy * xz - xx * yz, of_zz = xx * yy - xy * xy;
    xx = scale * a, xy = scale * b, xz = scale * c;
    yy = scale * of_yy, yz = scale * of_yz, zz = scale * of_zz;
  }
  Vec3d times(const Vec3d& x) const {
    return {xx * x.x + xy * x.y + xz * x.z, xy * x.x + yy * x.y + yz * x.z, xz * x.x + yz * x.y + zz * x.z};
  }
  double curvature(const Vec3d& x) const {
    const Vec3d d = x - centre(), beyond = times(d);
    const double square = dot(d, beyond);
    if (!(square > 0)) return 0;
    const Vec3d g = beyond * (1 / std::sqrt(square));
    const double g2 = dot(g, g);
    return (g2 * (xx + yy + zz) - dot(g, times(g))) / (2 * g2 * std::sqrt(g2));
  }
};

}  // namespace

Array<float> rest_curvatures(const InitialState& initial, const SystemState& solid) {
  constexpr double least = 1e-3;  // [1/m]
  const std::vector<Float3>& rest = solid.rest_position.empty() ? solid.position : solid.rest_position;
  const auto place = [&](size_t i) { return Vec3d{rest[i][0], rest[i][1], rest[i][2]}; };
  std::map<int, Ellipsoid> of_body;
  for (size_t i = 0; i < rest.size(); ++i) of_body[solid.body[i]].add(place(i), 2 * solid.radius[i]);
  for (size_t i = 0; i < rest.size(); ++i) of_body[solid.body[i]].add_moments(place(i));
  for (auto& [body, ellipsoid] : of_body) ellipsoid.invert(initial.periodic_length);
  std::vector<float> curvature(rest.size());
  for (size_t i = 0; i < rest.size(); ++i)
    curvature[i] = -static_cast<float>(std::max(least, of_body[solid.body[i]].curvature(place(i))));
  return Array<float>(curvature);
}

MERGANSER_END
