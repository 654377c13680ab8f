#pragma once
/// Distance laws of surface tension and adhesion (Akinci, Akinci, Teschner 2013, "Versatile surface tension
/// and adhesion for SPH fluids"), with support R, and what scales them to a tension in N/m.
#include <cmath>

#include "solvers/core/cohesion_spline.h"

MERGANSER_BEGIN

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
