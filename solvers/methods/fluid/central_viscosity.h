#pragma once
/// Viscosity along lines of centres.
#include "device/fast_math.h"

MERGANSER_BEGIN

/// Weights of the pair forces of viscosity,
///   lap v_i = - sum_j V w(r_ij) (v_ij . x_ij) x_ij,   w = sum_p c_p s^p,   s = (1 - r/2h)_+,   p = 1..4,
/// which in the continuum is lap v + 2 grad div v for any w (Espanol & Revenga 2003). Forces are opposite and
/// act along x_ij: momentum and angular momentum are kept, and no rigid rotation is braked, at free surfaces
/// neither.
///
/// The c_p >= 0 are such that on a lattice
///   sum w x^4 = 3 sum w x^2 y^2      (as of lattice gases: Frisch, Hasslacher, Pomeau 1986),
///   V sum w r^4 = int w r^4 dV = 30.
/// With the first, viscosity is the same along axes and diagonals; with the second, it is the same when the
/// fluid leaves its lattice. (The derivative of the cubic spline over r^3 with h of one spacing has 0.71 of
/// the viscosity along an axis.) Where no c_p meet both, the nearest are taken: within 1.5 % for h >= 1
/// spacing.
class CentralViscosity {
 public:
  CentralViscosity() = default;
  CentralViscosity(double spacing, double h);

  /// V w(r) [1/m^4].
  template <class Real>
  MERGANSER_METHOD Real weight(Real r) const {
    const Real s = larger(1.0f - inverse_support_ * r, Real{});
    return s * (c_[0] + s * (c_[1] + s * (c_[2] + s * c_[3])));
  }

 private:
  static constexpr int powers = 4;
  float inverse_support_ = 0;  ///< [1/m] 1/2h
  float c_[powers] = {};       ///< [1/m^4] V c_p
};

MERGANSER_END
