#pragma once
/// XSPH: velocities drawn towards their neighbors'.
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

/// Monaghan 1989, with rho0 for the mean density of a pair: dv_i = eps V sum_j (v_j - v_i) W(|x_i - x_j|), V
/// = m/rho0. It is added to end-of-step velocities of particles that are in no group; pairs exchange
/// momentum, so none is lost.
template <class Kernel>
struct XsphCorrection {
  static constexpr const char* name = "sph xsph";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = false;
  static constexpr int components = 3;
  Kernel kernel;
  float factor;           ///< [m^3] eps V
  View<Vec3> correction;  ///< [m/s], written

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>&, Real r2) const {
    SphPair<Real> result{};
    result.a = (j.velocity - i.velocity) * kernel.value(fast_square_root(r2));
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>&, const SphPair<float>& sum) const {
    correction[index] = factor * sum.a;
  }
};

MERGANSER_END
