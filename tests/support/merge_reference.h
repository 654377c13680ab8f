#pragma once
/// Slow, literal double-precision forms of [MS] eq. 8-16 to check the closed forms against.
#include <cmath>

#include "device/vector_math.h"

MERGANSER_BEGIN

struct ReferenceSplit {
  Vec3d v1, v2;
  bool has_roots;
};

/// Eq. 11-16 as written in the paper, finite masses; n need not be a unit vector.
inline ReferenceSplit reference_split(double m1, double m2, const Vec3d& v1, const Vec3d& n, const Vec3d& v12,
                                      double energy) {
  const double m12 = m1 + m2;
  const double s2 = 2 * energy / (m12 * (m1 / m2));  // eq. 11
  const Vec3d unit = n / norm(n);
  const double b = 2 * dot(unit, v12 - v1),
               c = norm_squared(v12 - v1) - s2;  // eq. 13 with eps = 0: mu^2 - b mu + c = 0
  const double discriminant = b * b - 4 * c;
  double mu;
  Vec3d epsilon{0, 0, 0};
  if (discriminant >= 0) {
    mu = (b - std::sqrt(discriminant)) / 2;
  } else {
    mu = dot(unit, v12 - v1);  // eq. 15
    const Vec3d w = v12 - v1 - mu * unit;
    epsilon = (1 - std::sqrt(s2) / norm(w)) * w;  // eq. 16
  }
  const Vec3d after1 = v1 + mu * unit + epsilon;                              // eq. 12
  return {after1, (m12 / m2) * v12 - (m1 / m2) * after1, discriminant >= 0};  // eq. 8
}

MERGANSER_END
