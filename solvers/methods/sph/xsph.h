#pragma once
/// XSPH: velocities drawn towards their neighbors'.
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

/// After Monaghan 1989, with rho0 for the mean density of a pair and V = m/rho0:
///   dv_i = 3 eps V sum_j ((v_j - v_i).x_ij) x_ij/(r^2 + 0.01 h^2) W(r).
/// It is added to end-of-step velocities of particles that are in no group. Pairs exchange momentum along
/// x_ij, so neither momentum nor angular momentum is lost; 3 makes up for the two directions in three that
/// have no part. Once a step of dt this amounts to the viscosity eps <r^2>/(10 dt) (<r^2>: of the kernel).
template <class Kernel>
struct XsphCorrection {
  static constexpr const char* name = "sph xsph";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = false;
  static constexpr int components = 3;
  Kernel kernel;
  float factor;           ///< [m^3] 3 eps V
  float softening;        ///< [m^2] 0.01 h^2
  View<Vec3> correction;  ///< [m/s], written

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    SphPair<Real> result{};
    const Real along = kernel.value(fast_square_root(r2)) * dot(j.velocity - i.velocity, d);
    result.a = d * fast_quotient(along, r2 + softening);
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>&, const SphPair<float>& sum) const {
    correction[index] = factor * sum.a;
  }
};

MERGANSER_END
