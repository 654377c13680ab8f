#pragma once
/// Smoothing kernels in three dimensions with support radius 2h.
///
/// Written in q = r/h. Both have gradient factors F(r) = W'(r)/r that stay finite at r = 0, so that grad W = F(r) x needs no
/// division. Outside the support all three functions are 0.
#include <cmath>

#include "device/backend.h"

MERGANSER_BEGIN

inline constexpr double sph_pi = 3.14159265358979323846;

/// Wendland C2 (Wendland 1995, as used by Dehnen & Aly 2012): W = 21/(16 pi h^3) (1 - q/2)^4 (1 + 2q).
template <class Real>
struct WendlandC2 {
  Real inverse_h;        ///< [1/m]
  Real value_scale;      ///< [1/m^3]
  Real gradient_scale;   ///< [1/m^5]

  explicit WendlandC2(Real h)
      : inverse_h(1 / h),
        value_scale(static_cast<Real>(21.0 / (16.0 * sph_pi * std::pow(double(h), 3)))),
        gradient_scale(static_cast<Real>(-105.0 / (16.0 * sph_pi * std::pow(double(h), 5)))) {}

  /// W(r) [1/m^3].
  MERGANSER_METHOD Real value(Real r) const {
    const Real q = r * inverse_h, t = rest(q), t2 = t * t;
    return value_scale * t2 * t2 * (1 + 2 * q);
  }
  /// F(r) = W'(r)/r [1/m^5] = -105/(16 pi h^5) (1 - q/2)^3.
  MERGANSER_METHOD Real gradient_factor(Real r) const {
    const Real t = rest(r * inverse_h);
    return gradient_scale * t * t * t;
  }
  /// W'(r) [1/m^4].
  MERGANSER_METHOD Real derivative(Real r) const { return gradient_factor(r) * r; }

 private:
  MERGANSER_METHOD static Real rest(Real q) {
    const Real t = 1 - Real(0.5) * q;
    return t > 0 ? t : Real(0);
  }
};

/// Cubic spline (Monaghan & Lattanzio 1985): W = 1/(4 pi h^3) [(2 - q)_+^3 - 4 (1 - q)_+^3].
template <class Real>
struct CubicSpline {
  Real inverse_h;       ///< [1/m]
  Real value_scale;     ///< [1/m^3]
  Real gradient_scale;  ///< [1/m^5]

  explicit CubicSpline(Real h)
      : inverse_h(1 / h),
        value_scale(static_cast<Real>(0.25 / (sph_pi * std::pow(double(h), 3)))),
        gradient_scale(static_cast<Real>(-0.75 / (sph_pi * std::pow(double(h), 5)))) {}

  /// W(r) [1/m^3].
  MERGANSER_METHOD Real value(Real r) const {
    const Real q = r * inverse_h, outer = positive(2 - q), inner = positive(1 - q);
    return value_scale * (outer * outer * outer - 4 * inner * inner * inner);
  }
  /// F(r) = W'(r)/r [1/m^5] = -3/(4 pi h^5) (4 - 3q) for q < 1, -3/(4 pi h^5) (2 - q)^2/q beyond.
  MERGANSER_METHOD Real gradient_factor(Real r) const {
    const Real q = r * inverse_h, outer = positive(2 - q);
    const Real at_least_one = q > 1 ? q : Real(1);
    const Real beyond = outer * outer / at_least_one;
    return gradient_scale * (q < 1 ? 4 - 3 * q : beyond);
  }
  /// W'(r) [1/m^4].
  MERGANSER_METHOD Real derivative(Real r) const { return gradient_factor(r) * r; }

 private:
  MERGANSER_METHOD static Real positive(Real t) { return t > 0 ? t : Real(0); }
};

MERGANSER_END
