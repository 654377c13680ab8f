#pragma once
/// A step of the blue-noise sampling (Jiang et al. 2015) by loops over all pairs in double precision, with
/// kernels as Mueller et al. 2003 and Akinci et al. 2013 have them, above the plane z = 0.
#include <vector>

#include "device/vector_math.h"
#include "solvers/core/smoothing_kernels.h"

MERGANSER_BEGIN
namespace blue_noise_test {

struct Reference {
  std::vector<Vec3d> position, velocity;  ///< [m], [m/step]
  double spacing, stiffness, cohesion, damping;
  double support = 2 * spacing;

  double volume() const { return std::pow(spacing, 3); }
  double poly6(double r) const {
    return 315 / (64 * sph_pi * std::pow(support, 9)) * std::pow(support * support - r * r, 3);
  }
  double spiky_derivative(double r) const {
    return -45 / (sph_pi * std::pow(support, 6)) * std::pow(support - r, 2);
  }
  double spline(double r) const {
    const double hill = std::pow(support - r, 3) * std::pow(r, 3);
    return 32 / (sph_pi * std::pow(support, 9)) *
           (2 * r > support ? hill : 2 * hill - std::pow(support, 6) / 64);
  }
  template <class Visit>
  void for_each_other(size_t i, const Visit& visit) const {
    for (size_t j = 0; j < position.size(); ++j) {
      const Vec3d d = position[i] - position[j];
      if (j != i && norm(d) < support) visit(j, d / norm(d), norm(d));
    }
  }
  double density(size_t i) const {
    double sum = poly6(0);
    for_each_other(i, [&](size_t, const Vec3d&, double r) { sum += poly6(r); });
    return volume() * sum;
  }
  Vec3d velocity_after(size_t i, bool at_surface) const {
    const double own = density(i), k = stiffness * spacing * spacing;
    Vec3d push{0, 0, 0};
    for_each_other(i, [&](size_t j, const Vec3d& way, double r) {
      const double other = density(j);
      const double pressures =
          std::max(own - 1, 0.0) / (own * own) + std::max(other - 1, 0.0) / (other * other);
      push -= way * (k * volume() * pressures * spiky_derivative(r));
      push -= way * (cohesion * spacing * volume() * 2 / (own + other) * spline(r));
    });
    Vec3d v = (velocity[i] + push) * damping;
    if (at_surface) v.z = 0;
    return v;
  }
};

}  // namespace blue_noise_test
MERGANSER_END
