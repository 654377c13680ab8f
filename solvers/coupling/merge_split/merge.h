#pragma once
/// One merge of two (meta-)particles, [MS] eq. 1-5, written with inverse masses so that infinite mass
/// (inverse 0) is the limit of the same formulas.
#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Velocity [m/s] of a particle or group at the time of the positions: half a kick after `velocity`, or that
/// itself where there are no half kicks (METHOD.md, "Half a step behind").
MERGANSER_FN Vec3 at_positions(View<const Vec3> velocity, View<const Vec3> half_kick, int i) {
  return half_kick.empty() ? velocity[i] : velocity[i] + half_kick[i];
}

/// A particle or a merged whole of several.
template <class Real>
struct MetaParticle {
  Vector3<Real> position;  ///< [m] centre of mass
  Vector3<Real> velocity;  ///< [m/s]
  Real inverse_mass;       ///< [1/kg]; 0 = immobile or prescribed
  int stores = 0;          ///< 1: all of it is of systems that store impacts, see System::stores_impacts
  int fluid = 0;           ///< 1: all of it is of fluids
};

/// A merge: the whole, and what splitting needs of the virtual bond between the sides.
template <class Real>
struct Merged {
  MetaParticle<Real> whole;
  Vector3<Real> direction;  ///< unit vector from side 1 to side 2
  Real energy;              ///< [J] kinetic energy stored in the bond, eq. 4; never negative
};

/// The shortest image of an offset; period 0 = not periodic [m].
template <class Real>
MERGANSER_FN Vector3<Real> nearest_image(const Vector3<Real>& offset, const Vector3<Real>& period) {
  auto axis = [](Real d, Real length) { return length > Real(0) ? d - length * std::round(d / length) : d; };
  return {axis(offset.x, period.x), axis(offset.y, period.y), axis(offset.z, period.z)};
}

/// m12 (eq. 1), x12 (eq. 2), v12 (eq. 3), dE (eq. 4) and the direction of n (eq. 5). At most one side may be
/// immobile; then the whole is immobile and takes that side's velocity. Sides whose centres coincide have no
/// n: the direction is that of their approach, and the x axis where they do not move either; any unit vector
/// satisfies eq. 8-14.
template <class Real>
MERGANSER_FN Merged<Real> merge(const MetaParticle<Real>& side1, const MetaParticle<Real>& side2,
                                const Vector3<Real>& period) {
  const Real inverse_sum = side1.inverse_mass + side2.inverse_mass;
  const Real share2 = side1.inverse_mass / inverse_sum;  // m2 / m12
  const Vector3<Real> n = nearest_image(side2.position - side1.position, period);
  const Vector3<Real> relative = side2.velocity - side1.velocity;
  Merged<Real> merged;
  merged.whole.position = side1.position + share2 * n;
  merged.whole.velocity = share2 == Real(1) ? side2.velocity : side1.velocity + share2 * relative;
  merged.whole.inverse_mass = share2 * side2.inverse_mass;
  merged.whole.stores = side1.stores & side2.stores;
  merged.whole.fluid = side1.fluid & side2.fluid;
  merged.energy =
      norm_squared(relative) / (Real(2) * inverse_sum);  // m1 m2 / (2 m12) = 1 / (2 (1/m1 + 1/m2))
  merged.direction = normalized_or_zero(n);
  if (merged.direction == Vector3<Real>{0, 0, 0}) merged.direction = normalized_or_zero(-relative);
  if (merged.direction == Vector3<Real>{0, 0, 0}) merged.direction = {1, 0, 0};
  return merged;
}

/// Whether the merge of the sides gives alpha dE back when it is split. Not where both store impacts. Nor, in
/// a later stage, of fluid and an immobile side that do not approach: forces press them together, and no
/// collision takes dE. (METHOD.md, "Soft bodies" and "Fluid on held particles")
template <class Real>
MERGANSER_FN bool gives_back(const MetaParticle<Real>& side1, const MetaParticle<Real>& side2,
                             const Merged<Real>& merged, bool later_stage) {
  if (merged.whole.stores) return false;
  if (!later_stage || merged.whole.inverse_mass > Real(0)) return true;
  if (!(side1.inverse_mass > Real(0) ? side1 : side2).fluid) return true;
  return dot(merged.direction, side2.velocity - side1.velocity) < Real(0);
}

MERGANSER_END
