#pragma once
/// DFSPH by loops over all pairs in double precision: densities, the diagonal, pressure accelerations and
/// what they do to densities, next to one plane wall.
#include <vector>

#include "device/vector_math.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN
namespace dfsph_test {

struct Reference {
  std::vector<Vec3d> position;   ///< [m]
  std::vector<double> mobility;  ///< [m^3/kg] V/m
  double h, volume;
  double period_y = 0;   ///< [m], 0 = open
  double wall_z = -1e9;  ///< [m] where fluid begins behind a plane with normal z
  CubicSpline<double> kernel{h};

  Vec3d between(size_t i, size_t j) const {
    Vec3d d = position[i] - position[j];
    if (period_y > 0) d.y -= period_y * std::round(d.y / period_y);
    return d;
  }
  Vec3d gradient(size_t i, size_t j) const {
    const Vec3d d = between(i, j);
    const double r = norm(d);
    return r < 2 * h ? d * (volume * kernel.gradient_factor(r)) : Vec3d{0, 0, 0};
  }
  /// int W over what lies behind the plane: 2 pi int_s^2h W(r) r (r - s) dr; `slope`: its derivative by s.
  double behind(double s, bool slope) const {
    constexpr int parts = 4000;
    const double width = (2 * h - s) / parts;
    if (width <= 0) return 0;
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
      const double r = s + (k + 0.5) * width;
      sum += kernel.value(r) * r * (slope ? -1 : r - s) * width;
    }
    return 2 * sph_pi * sum;
  }
  double fraction(size_t i) const { return behind(position[i].z - wall_z, false); }
  Vec3d wall_gradient(size_t i) const { return {0, 0, behind(position[i].z - wall_z, true)}; }

  double compression(size_t i) const {
    double sum = fraction(i) - 1;
    for (size_t j = 0; j < position.size(); ++j) {
      const double r = norm(between(i, j));
      if (r < 2 * h) sum += volume * kernel.value(r);
    }
    return sum;
  }
  /// sum_j W_ij c_j/sum_j W_ij, i among the j.
  double mean(size_t i, const std::vector<double>& c) const {
    double weights = 0, sum = 0;
    for (size_t j = 0; j < position.size(); ++j)
      if (const double r = norm(between(i, j)); r < 2 * h) {
        weights += kernel.value(r);
        sum += kernel.value(r) * c[j];
      }
    return sum / weights;
  }
  /// Of v, against a wall at rest.
  double rate(size_t i, const std::vector<Vec3d>& v) const {
    double sum = 2 * dot(wall_gradient(i), v[i]);
    for (size_t j = 0; j < position.size(); ++j) sum += dot(gradient(i, j), v[i] - v[j]);
    return sum;
  }
  std::vector<Vec3d> acceleration(const std::vector<double>& p) const {
    std::vector<Vec3d> a;
    for (size_t i = 0; i < position.size(); ++i) {
      Vec3d sum = 2 * p[i] * wall_gradient(i);
      for (size_t j = 0; j < position.size(); ++j)
        if (j != i) sum += (p[i] + p[j]) * gradient(i, j);
      a.push_back(-mobility[i] * sum);
    }
    return a;
  }
  /// How fast pressure 1 on particle i alone takes its own density down.
  double diagonal(size_t i) const {
    std::vector<double> one(position.size(), 0);
    one[i] = 1;
    return -rate(i, acceleration(one));
  }
};

}  // namespace dfsph_test
MERGANSER_END
