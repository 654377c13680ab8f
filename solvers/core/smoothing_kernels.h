#pragma once
/// Smoothing kernels in three dimensions with support radius 2h.
///
/// Written in q = r/h. Both have gradient factors F(r) = W'(r)/r that stay finite at r = 0, so that grad W =
/// F(r) x needs no division. Outside the support all three functions are 0. They take one r or several at
/// once (see lanes.h).
#include <cmath>

#include "device/fast_math.h"

MERGANSER_BEGIN

inline constexpr double sph_pi = 3.14159265358979323846;

/// Wendland C2 (Wendland 1995, as used by Dehnen & Aly 2012): W = 21/(16 pi h^3) (1 - q/2)^4 (1 + 2q).
template <class Real>
struct WendlandC2 {
  Real inverse_h;       ///< [1/m]
  Real value_scale;     ///< [1/m^3]
  Real gradient_scale;  ///< [1/m^5]

  explicit WendlandC2(Real h)
      : inverse_h(1 / h),
        value_scale(static_cast<Real>(21.0 / (16.0 * sph_pi * std::pow(double(h), 3)))),
        gradient_scale(static_cast<Real>(-105.0 / (16.0 * sph_pi * std::pow(double(h), 5)))) {}

  /// W(r) [1/m^3].
  template <class Arg>
  MERGANSER_METHOD Arg value(Arg r) const {
    const Arg q = r * inverse_h, t = rest(q), t2 = t * t;
    return value_scale * t2 * t2 * (Real(1) + Real(2) * q);
  }
  /// F(r) = W'(r)/r [1/m^5] = -105/(16 pi h^5) (1 - q/2)^3.
  template <class Arg>
  MERGANSER_METHOD Arg gradient_factor(Arg r) const {
    const Arg t = rest(r * inverse_h);
    return gradient_scale * t * t * t;
  }
  /// W'(r) [1/m^4].
  template <class Arg>
  MERGANSER_METHOD Arg derivative(Arg r) const {
    return gradient_factor(r) * r;
  }

 private:
  template <class Arg>
  MERGANSER_METHOD static Arg rest(Arg q) {
    return larger(Real(1) - Real(0.5) * q, Arg{});
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
  template <class Arg>
  MERGANSER_METHOD Arg value(Arg r) const {
    const Arg q = r * inverse_h, outer = positive(Real(2) - q), inner = positive(Real(1) - q);
    return value_scale * (outer * outer * outer - Real(4) * inner * inner * inner);
  }
  /// F(r) = W'(r)/r [1/m^5] = -3/(4 pi h^5) (4 - 3q) for q < 1, -3/(4 pi h^5) (2 - q)^2/q beyond.
  template <class Arg>
  MERGANSER_METHOD Arg gradient_factor(Arg r) const {
    const Arg q = r * inverse_h, outer = positive(Real(2) - q);
    const Arg beyond = fast_quotient(outer * outer, larger(q, Arg{} + Real(1)));
    return gradient_scale * (q < Real(1) ? Real(4) - Real(3) * q : beyond);
  }
  /// W'(r) [1/m^4].
  template <class Arg>
  MERGANSER_METHOD Arg derivative(Arg r) const {
    return gradient_factor(r) * r;
  }

 private:
  template <class Arg>
  MERGANSER_METHOD static Arg positive(Arg t) {
    return larger(t, Arg{});
  }
};

MERGANSER_END
