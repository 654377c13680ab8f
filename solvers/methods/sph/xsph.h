#pragma once
/// XSPH: velocities drawn towards their neighbors'.
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

/// Monaghan 1989, along the lines of centres and with rho0 for the mean density of a pair:
///   dv_i = 3 eps min(1, dt/T) V sum_j W(r) (v_ji . x_ij) x_ij/r^2,   V = m/rho0, T = 0.4 h/c,
/// three times, for a line has a third of the directions. Steps as long as sound allows last T; in shorter
/// ones it takes less, so that it acts by time. Its viscosity is eps m/(10 T) with the kernel's second moment
/// m, 0.8 h^2 of Wendland C2: that of the artificial model with alpha = 2 eps. It is added to end-of-step
/// velocities of particles that are in no group. Momentum and angular momentum are kept.
template <class Kernel>
struct XsphCorrection {
  static constexpr const char* name = "sph xsph";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = false;
  static constexpr int components = 3;
  Kernel kernel;
  float factor;           ///< [m^3] 3 eps min(1, dt/T) V
  View<Vec3> correction;  ///< [m/s], written

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    SphPair<Real> result{};
    const Real square = larger(r2, Real{} + least_square);
    result.a =
        d * fast_quotient(kernel.value(fast_square_root(r2)) * dot(j.velocity - i.velocity, d), square);
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>&, const SphPair<float>& sum) const {
    correction[index] = factor * sum.a;
  }

 private:
  static constexpr float least_square = 1e-30f;  ///< [m^2]
};

MERGANSER_END
