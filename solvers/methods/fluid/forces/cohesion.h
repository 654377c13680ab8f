#pragma once
/// Distance laws of surface tension and adhesion (Akinci, Akinci, Teschner 2013, "Versatile surface tension
/// and adhesion for SPH fluids"), with support R, and what scales them to a tension in N/m.
#include <cmath>

#include "device/fast_math.h"

MERGANSER_BEGIN

/// C(r) of eq. 2 [1/m^3]: 32/(pi R^9) (R - r)^3 r^3 for r > R/2, twice that minus R^6/64 below, 0 from R on.
/// It attracts from 0.28 R to R and repels below.
template <class Real>
struct CohesionSpline {
  Real inverse_radius;  ///< [1/m]
  Real scale;           ///< [1/m^3] 32/(pi R^3)

  explicit CohesionSpline(Real radius)
      : inverse_radius(1 / radius),
        scale(static_cast<Real>(32 / (3.14159265358979323846 * std::pow(double(radius), 3)))) {}
  template <class Arg>
  MERGANSER_METHOD Arg value(Arg r) const {
    const Arg q = r * inverse_radius, rest = Real(1) - q;
    const Arg t = q * rest, hill = t * t * t;
    const Arg inner = Real(2) * hill - Real(1.0 / 64);
    const Arg whole = q > Real(0.5) ? hill : inner;
    return scale * (q < Real(1) ? whole : Real(0));
  }
};

/// int_0^R r^4 C dr = 32/pi 21/28160 R^2 [m^2].
inline double cohesion_moment(double radius) {
  return 32 * 21 / (28160 * 3.14159265358979323846) * radius * radius;
}

/// gamma [m^4/(kg s^2)] of pair forces gamma m^2 C between the particles of a fluid that has the surface
/// tension sigma [N/m]: half the work of pulling two half spaces of evenly spread particles apart,
/// sigma = (pi/8) rho0^2 gamma int r^4 C dr (Rayleigh 1890; Tartakovsky & Panchenko 2016).
inline double pair_strength(double sigma, double density0, double moment) {
  return 8 * sigma / (3.14159265358979323846 * density0 * density0 * moment);
}

/// A(r) of eq. 7 without its constant: (-4 r^2/R + 6 r - 2 R)^(1/4) for R/2 < r < R, R = 1.
inline double adhesion_law(double q) {
  const double inside = -4 * q * q + 6 * q - 2;
  return q > 0.5 && q < 1 ? std::pow(inside, 0.25) : 0;
}

MERGANSER_END
