#pragma once
/// Stable Neo-Hookean solids (Smith, de Goes & Kim 2018, Stable Neo-Hookean flesh simulation, eq. 14): finite
/// energy for any deformation gradient F, flat and inverted ones included,
///   E(F) = mu (|F|^2 - 3)/2 + lambda (det F - alpha)^2/2 - mu log(|F|^2 + 1)/2,  lambda (alpha - 1) = 3 mu/4
/// with mu = 4/3 and lambda + 5/6 of the Lame parameters (sec. 3.4), so that small strains are Hooke's. All
/// of it here is times a particle's rest volume [J].
#include <cmath>

#include "device/matrix3.h"
#include "solvers/methods/elastic_sph/lane_fields.h"

MERGANSER_BEGIN

/// Of one particle, or of as many as Real has.
template <class Real>
struct NeoHookeanOf {
  Real mu, lambda;  ///< [J] times volume

  /// Lame parameters times volume [J].
  MERGANSER_METHOD static NeoHookeanOf of(Real lame_mu, Real lame_lambda) {
    return {lanes_of<Real>(4.0 / 3) * lame_mu, lame_lambda + lanes_of<Real>(5.0 / 6) * lame_mu};
  }
  /// Of F = R + strain, zero at rest, for one particle; of |F|^2 - 3 and det F - 1, for line searches compare
  /// energies of strains whose squares are lost beside 1.
  MERGANSER_METHOD double energy(const Matrix3<Real>& strain, const Matrix3<Real>& r) const {
    const double squares = excess_of_squares(strain, r), volume = excess_of_volume(strain, r);
    return 0.5 * mu * squares + 0.5 * lambda * volume * volume - 0.75 * mu * volume -
           0.5 * mu * std::log1p(0.25 * squares);
  }
  /// dE/dF.
  MERGANSER_METHOD Matrix3<Real> stress(const Matrix3<Real>& f) const {
    return deviatoric(contract(f, f)) * f + pressure(determinant(f) - 1) * cofactors(f);
  }

  /// mu (1 - 1/(|F|^2 + 1)).
  MERGANSER_METHOD Real deviatoric(Real squares) const { return mu * (1 - 1 / (squares + 1)); }
  /// lambda (det F - alpha) of det F - 1.
  MERGANSER_METHOD Real pressure(Real volume) const { return lambda * volume - lanes_of<Real>(0.75) * mu; }
  /// d det F/dF.
  MERGANSER_METHOD static Matrix3<Real> cofactors(const Matrix3<Real>& f) {
    return {cross(f.y, f.z), cross(f.z, f.x), cross(f.x, f.y)};
  }
  /// |F|^2 - 3 of F = R + strain, as it follows from the strain.
  MERGANSER_METHOD static Real excess_of_squares(const Matrix3<Real>& strain, const Matrix3<Real>& r) {
    return 2 * contract(r, strain) + contract(strain, strain);
  }
  /// det F - 1, likewise.
  MERGANSER_METHOD static Real excess_of_volume(const Matrix3<Real>& strain, const Matrix3<Real>& r) {
    const auto x = transposed_times(r, strain.x), y = transposed_times(r, strain.y),
               z = transposed_times(r, strain.z);
    const Real minors = (x.x * y.y - x.y * y.x) + (y.y * z.z - y.z * z.y) + (x.x * z.z - x.z * z.x);
    return x.x + y.y + z.z + minors + dot(x, cross(y, z));
  }
};
using NeoHookean = NeoHookeanOf<double>;

MERGANSER_END
