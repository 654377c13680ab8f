#pragma once
/// A step of a relaxation ([ES] eq. 32-36) by loops over all pairs in double precision, beside one plane.
#include <vector>

#include "device/vector_math.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN
namespace relaxation_test {

struct Reference {
  std::vector<Vec3d> position;  ///< [m] particles live at z > 0
  double spacing, cohesion, adhesion;
  CubicSpline<double> kernel{spacing};

  double volume() const { return spacing * spacing * spacing; }
  /// int W over z < 0 for a particle at height s: 2 pi int_s^2d W r (r - s) dr; `slope`: its derivative by s.
  double below(double s, bool slope) const {
    constexpr int parts = 4000;
    const double width = (2 * spacing - s) / parts;
    double sum = 0;
    for (int k = 0; k < parts && width > 0; ++k) {
      const double r = s + (k + 0.5) * width;
      sum += kernel.value(r) * r * (slope ? -1 : r - s) * width;
    }
    return 2 * sph_pi * sum;
  }
  template <class Visit>
  void for_each_other(size_t i, const Visit& visit) const {
    for (size_t j = 0; j < position.size(); ++j) {
      const Vec3d d = position[i] - position[j];
      if (j != i && norm(d) < 2 * spacing) visit(j, d, norm(d));
    }
  }
  double density(size_t i) const {
    double sum = kernel.value(0.0);
    for_each_other(i, [&](size_t, const Vec3d&, double r) { sum += kernel.value(r); });
    return volume() * sum + below(position[i].z, false);
  }
  double stiffness(size_t i) const {
    Vec3d gradient{0, 0, below(position[i].z, true)};
    double squares = 0;
    for_each_other(i, [&](size_t, const Vec3d& d, double r) {
      const Vec3d g = d * (volume() * kernel.gradient_factor(r));
      gradient += g;
      squares += norm_squared(g);
    });
    return (density(i) - 1) / (norm_squared(gradient) + squares);
  }
  Vec3d displacement(size_t i) const {
    const double own = stiffness(i), z = position[i].z;
    Vec3d sum{0, 0, -own * below(z, true)};
    for_each_other(i, [&](size_t j, const Vec3d& d, double r) {
      sum -= d * (volume() * (own + stiffness(j)) * kernel.gradient_factor(r));
      sum -= d * (cohesion * volume() / density(j) * (r - spacing) / r * kernel.value(r));
    });
    if (z < 2 * spacing) sum.z -= adhesion * volume() / density(i) * z * kernel.value(z);
    return sum;
  }
};

}  // namespace relaxation_test
MERGANSER_END
