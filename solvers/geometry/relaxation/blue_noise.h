#pragma once
/// One step of the blue-noise sampling of Jiang, Zhou, Wang, Southern, Zhang 2015, "Blue noise sampling using
/// an SPH-based method" (ACM TOG 34(6)), the baseline of [ES] Fig. 5: particles that an explicit pressure
/// drives apart. README.md says what is known of it and what is assumed here.
///
/// Lengths in rest spacings a, V = a^3, densities in rest densities, kernels of support 2 a, velocities [m] a
/// step.
#include "solvers/core/cohesion_spline.h"
#include "solvers/geometry/relaxation/relaxation.h"

MERGANSER_BEGIN

/// Poly6 of Mueller et al. 2003 with support R: W = 315/(64 pi R^9) (R^2 - r^2)^3.
template <class Real>
struct Poly6 {
  Real inverse_radius;  ///< [1/m]
  Real scale;           ///< [1/m^3]

  explicit Poly6(Real radius)
      : inverse_radius(1 / radius),
        scale(static_cast<Real>(315 / (64 * sph_pi * std::pow(double(radius), 3)))) {}
  MERGANSER_METHOD Real value(Real r) const {
    const Real q = r * inverse_radius, rest = q < 1 ? 1 - q * q : Real(0);
    return scale * rest * rest * rest;
  }
};

/// Spiky kernel of Mueller et al. 2003 with support R, W = 15/(pi R^6) (R - r)^3: its derivative.
template <class Real>
struct SpikyKernel {
  Real inverse_radius;  ///< [1/m]
  Real scale;           ///< [1/m^4]

  explicit SpikyKernel(Real radius)
      : inverse_radius(1 / radius), scale(static_cast<Real>(-45 / (sph_pi * std::pow(double(radius), 4)))) {}
  /// W'(r) [1/m^4] = -45/(pi R^6) (R - r)^2.
  MERGANSER_METHOD Real derivative(Real r) const {
    const Real q = r * inverse_radius, rest = q < 1 ? 1 - q : Real(0);
    return scale * rest * rest;
  }
};

/// Forces between particles.
template <class Real>
struct BlueNoiseForces {
  Real spacing;                ///< [m] a
  Real stiffness, cohesion;    ///< k dt^2/a^2, gamma rho0 dt^2/a
  Poly6<Real> density_kernel;  ///< also of p
  SpikyKernel<Real> kernel;
  CohesionSpline<Real> spline;

  BlueNoiseForces(Real a, Real stiffness_, Real cohesion_)
      : spacing(a),
        stiffness(stiffness_),
        cohesion(cohesion_),
        density_kernel(2 * a),
        kernel(2 * a),
        spline(2 * a) {}
  MERGANSER_METHOD Real volume() const { return spacing * spacing * spacing; }
  /// p/rho^2 with p = max(rho - 1, 0): what is thinner than at rest has no pressure.
  MERGANSER_METHOD static Real pressure(Real rho) { return rho > 1 ? (rho - 1) / (rho * rho) : Real(0); }
  /// [m/step] per step, along (x_i - x_j)/r: pressure and cohesion,
  /// -k dt^2 V (p_i/rho_i^2 + p_j/rho_j^2) W'(r) - gamma rho0 dt^2 V 2/(rho_i + rho_j) C(r).
  MERGANSER_METHOD Real push(Real rho_i, Real rho_j, Real r) const {
    const Real by_pressure =
        stiffness * spacing * spacing * (pressure(rho_i) + pressure(rho_j)) * kernel.derivative(r);
    const Real by_cohesion = cohesion * spacing * 2 / (rho_i + rho_j) * spline.value(r);
    return -volume() * (by_pressure + by_cohesion);
  }
};

/// rho_i = V sum_j W_ij.
struct BlueNoiseDensity {
  static constexpr const char* name = "blue noise density";
  RelaxationPairs pairs;
  BlueNoiseForces<float> forces;
  View<float> density;  ///< written

  MERGANSER_METHOD void operator()(int i) const {
    float sum = forces.density_kernel.value(0);
    pairs.for_each_other(i, [&](int, const Vec3&, float r) { sum += forces.density_kernel.value(r); });
    density[i] = forces.volume() * sum;
  }
};

/// Velocity of this step. A particle that touches the surface loses the part along the surface's normal,
/// inwards as well as outwards (the correction).
struct BlueNoiseVelocity {
  static constexpr const char* name = "blue noise velocity";
  /// Particles less deep count as touching the surface, in d/2: distances come from a grid.
  static constexpr float touching = 1.1f;
  RelaxationPairs pairs;
  BlueNoiseForces<float> forces;
  float damping;  ///< of velocities, a step
  View<const float> density;
  View<const int> from;       ///< where a particle's velocity stands
  View<const Vec3> velocity;  ///< [m/step] in the order before this step
  View<Vec3> faster;          ///< [m/step] written

  MERGANSER_METHOD void operator()(int i) const {
    const float rho = density[i];
    Vec3 sum{0, 0, 0};
    pairs.for_each_other(i, [&](int j, const Vec3& d, float r) {
      sum += pairs.direction(i, j, d, r) * forces.push(rho, density[j], r);
    });
    const Vec3 v = (velocity[from[i]] + sum) * damping;
    const WallDistance at = pairs.solid.depth(pairs.grid.position[i]);
    const bool at_surface = at.distance < touching * pairs.solid.radius;
    faster[i] = at_surface ? v - at.normal * dot(v, at.normal) : v;
  }
};

MERGANSER_END
