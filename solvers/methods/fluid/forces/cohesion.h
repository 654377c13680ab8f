#pragma once
/// Distance laws of surface tension and adhesion (Akinci, Akinci, Teschner 2013, "Versatile surface tension
/// and adhesion for SPH fluids"), with support R, and what scales them to a tension in N/m.
#include <cmath>

#include "solvers/core/cohesion_spline.h"

MERGANSER_BEGIN

/// [kg/m^3] at which the source's curvature term has its share.
inline constexpr double density_of_source = 1000;

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

/// int dz int d^3x' (g - g')(z - z') [h^5] over the pairs of a half space within 2h, where -g is the
/// component of n = 2h grad int W dV' along z, the normal of its surface, W Wendland's C2.
inline constexpr double curvature_moment = 22.087;

/// gamma [m^4/(kg s^2)] of cohesion and curvature together (surface_tension.h) in a fluid that has the
/// surface tension sigma [N/m]. The curvature term pushes across the surface alone. What holds against it, a
/// lower pressure, acts along the surface too: that is a tension,
///   sigma = gamma rho0^2 ((pi/8) int r^4 C dr + 1/2 I h^5/(1000 V)),   I = curvature_moment,
/// the integral of the difference of stresses over the surface (Kirkwood & Buff 1949). It has 0.48 of the
/// whole at h of one spacing, 0.62 at 1.2. `volume` [m^3]: V of a particle.
inline double tension_strength(double sigma, double density0, double h, double volume) {
  const double of_cohesion = 1 / pair_strength(1, density0, cohesion_moment(2 * h));
  const double of_curvature =
      0.5 * density0 * density0 / density_of_source * curvature_moment * std::pow(h, 5) / volume;
  return sigma / (of_cohesion + of_curvature);
}

/// A(r) of eq. 7 without its constant: (-4 r^2/R + 6 r - 2 R)^(1/4) for R/2 < r < R, R = 1.
inline double adhesion_law(double q) {
  const double inside = -4 * q * q + 6 * q - 2;
  return q > 0.5 && q < 1 ? std::pow(inside, 0.25) : 0;
}

MERGANSER_END
