#pragma once
/// One split of a meta-particle into its two sides, [MS] eq. 8-16 and 20, in closed form and with inverse
/// masses.
#include "device/vector_math.h"

MERGANSER_BEGIN

/// A side of a merge as it was at the beginning of the step.
template <class Real>
struct SplitSide {
  Vector3<Real> velocity;  ///< [m/s] before merging
  Real inverse_mass;       ///< [1/kg]; 0 = immobile
};

template <class Real>
struct SplitVelocities {
  Vector3<Real> side1, side2;  ///< [m/s]
};

/// Velocities of the two sides after the step, from the whole's velocity v'12 and the energy E = alpha dE +
/// beta dEk [J] that the bond gives back.
///
/// With w0 = v'12 - v1 and w = w0 - (w0.n) n, the change d = v'12 - v1' has the length s of eq. 11 (20),
/// s^2 = 2E / (m12 m1/m2) = 2E i1^2 / (i1 + i2), i = 1/m.
/// |w| <= s: eq. 13 with eps = 0 has real roots, mu = w0.n -+ sqrt(s^2 - w^2); the smaller one gives
///           d = w0 - mu n = w + sqrt(s^2 - w^2) n.
/// |w| > s:  no root; mu = w0.n (eq. 15) and eps = (|w| - s) w/|w| (eq. 16) give d = s w/|w|.
/// Then v1' = v'12 - d and, from eq. 8, v2' = v'12 + (m1/m2) d. In both cases d.n >= 0, which is eq. 14.
///
/// The formulas treat the sides alike only while v'12 = v12: with eps = 0 side 1 keeps its velocity across n,
/// and side 2 takes the whole change across n. [MS] leaves open which side is the first; here it is the
/// lighter one. So m1/m2 <= 1 never amplifies rounding, and an immobile side 2 (m1/m2 = 0, v2' = v'12) is the
/// limit of heavy ones.
template <class Real>
MERGANSER_FN SplitVelocities<Real> split(const SplitSide<Real>& side1, const SplitSide<Real>& side2,
                                         const Vector3<Real>& direction, const Vector3<Real>& velocity,
                                         Real energy) {
  const bool exchange = side1.inverse_mass < side2.inverse_mass;
  const SplitSide<Real>& light = exchange ? side2 : side1;
  const SplitSide<Real>& heavy = exchange ? side1 : side2;
  const Vector3<Real> n = exchange ? -direction : direction;
  const Real i1 = light.inverse_mass, i2 = heavy.inverse_mass;
  const Real s2 = Real(2) * energy * i1 * (i1 / (i1 + i2));
  const Vector3<Real> w0 = velocity - light.velocity;
  const Vector3<Real> w = w0 - dot(w0, n) * n;
  const Real w2 = norm_squared(w);
  Vector3<Real> d = w;
  if (w2 <= s2) d += std::sqrt(s2 - w2) * n;
  // |d| = s exactly: the only step left in the case without roots, against rounding in the other.
  const Real d2 = norm_squared(d);
  d = d2 > Real(0) ? std::sqrt(s2 / d2) * d : Vector3<Real>{0, 0, 0};
  const Vector3<Real> light_after = velocity - d, heavy_after = velocity + (i2 / i1) * d;
  return {exchange ? heavy_after : light_after, exchange ? light_after : heavy_after};
}

MERGANSER_END
