#pragma once
/// The law of cohesion of Akinci, Akinci, Teschner 2013, "Versatile surface tension and adhesion for SPH
/// fluids".
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

MERGANSER_END
