#pragma once
/// Pair and wall terms of the implicit viscosity, see implicit_viscosity.h.
#include "solvers/coupling/boundary/for_each_near_wall.h"
#include "solvers/linear/krylov/solve_state.h"
#include "solvers/methods/fluid/central_viscosity.h"
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

/// c_ij = dt mu m/(rho_i rho_j) w(r) [1/m^2], never negative.
struct ViscosityPair {
  CentralViscosity central;
  float scale;  ///< [m^2] dt mu/rho0

  template <class Real>
  MERGANSER_METHOD Real coefficient(const SphParticle<Real>& i, const SphParticle<Real>& j, Real r2) const {
    return scale * i.pressure_term * j.pressure_term * central.weight(fast_square_root(r2));
  }
};

/// Row of A v: v_i + W_i v_i + sum_j c_ij (v_ij . x_ij) x_ij. Does nothing once the solve has ended.
struct ViscosityProduct {
  static constexpr const char* name = "viscosity product";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = 3;
  ViscosityPair viscosity;
  View<const SymmetricMatrix3> wall_block;  ///< W; empty where no wall rubs
  View<Vec3> product;                       ///< written

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    SphPair<Real> result{};
    result.a = d * (viscosity.coefficient(i, j, r2) * dot(i.velocity - j.velocity, d));
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    Vec3 row = i.velocity + sum.a;
    if (!wall_block.empty()) row += wall_block[index] * i.velocity;
    product[index] = row;
  }
};

/// A sum over pairs that does nothing once a solve has ended.
template <class Sum>
struct SumWhileActive {
  static constexpr const char* name = Sum::name;
  Sum sum;
  SolveProgress progress;
  MERGANSER_METHOD void operator()(int i) const {
    if (!progress.stopped()) sum(i);
  }
};

/// A wall without slip continues the velocity antisymmetrically (Morris, Fox, Zhu 1997), which integrates to
/// the acceleration 2 nu_wall lambda'(d)/d (v_i - v_wall) along it: W = -2 dt nu_wall lambda'/d (1 - n n^T).
struct WallDrag {
  float scale;           ///< [m^2] -2 dt mu_wall/rho0
  float least_distance;  ///< [m] d in lambda'/d is not taken below this
  /// W of one wall; `expansion`: rho0/rho of the particle.
  MERGANSER_METHOD SymmetricMatrix3 along(const WallShare& share, float expansion) const {
    const float distance = share.distance > least_distance ? share.distance : least_distance;
    const float drag = scale * expansion * share.slope / distance;
    SymmetricMatrix3 result = scaled_identity(drag);
    result += outer_product(share.normal, -drag);
    return result;
  }
};

/// Inverse of the block A_ii = 1 + W_i + sum_j c_ij x_ij x_ij^T, W_i, and the right side v*_i + W_i v_wall.
struct ViscosityBlocks {
  static constexpr const char* name = "viscosity blocks";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = 6;
  ViscosityPair viscosity;
  WallDrag drag;
  WallView walls;
  WallFillView fill;
  View<SymmetricMatrix3> inverse_block, wall_block;  ///< written; wall_block: empty where no wall rubs
  View<Vec3> right_side;                             ///< [m/s] written

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    const Vector3<Real> cd = d * viscosity.coefficient(i, j, r2);
    return {{cd.x * d.x, cd.x * d.y, cd.x * d.z}, {cd.y * d.y, cd.y * d.z, cd.z * d.z}};
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    SymmetricMatrix3 block = scaled_identity(1);
    block += {sum.a.x, sum.a.y, sum.a.z, sum.b.x, sum.b.y, sum.b.z};
    Vec3 right = i.velocity;
    if (!wall_block.empty()) {
      SymmetricMatrix3 rubbing = scaled_identity(0);
      for_each_near_wall(walls, fill, i.position, [&](const Wall& wall, const WallShare& share) {
        if (!wall.no_slip) return;
        const SymmetricMatrix3 along = drag.along(share, i.pressure_term);
        rubbing += along;
        right += along * share.velocity;
      });
      wall_block[index] = rubbing;
      block += rubbing;
    }
    inverse_block[index] = inverse(block);
    right_side[index] = right;
  }
};

/// The preconditioner.
struct InverseBlocks {
  View<const SymmetricMatrix3> inverse;
  MERGANSER_METHOD Vec3 operator()(int i, const Vec3& r) const { return inverse[i] * r; }
};

/// r = b - A v.
struct ViscosityResidual {
  static constexpr const char* name = "viscosity residual";
  View<const Vec3> right_side;
  View<Vec3> residual;  ///< [m/s] A v before, b - A v after
  MERGANSER_METHOD void operator()(int i) const { residual[i] = right_side[i] - residual[i]; }
};

/// v = v* + last step's change.
struct WarmStart {
  static constexpr const char* name = "viscosity start";
  View<const Vec3> velocity, change;
  View<Vec3> start;
  MERGANSER_METHOD void operator()(int i) const { start[i] = velocity[i] + change[i]; }
};

/// The velocity with forces of the solution, v* - (A - 1) v = v + r, and its change from v*.
struct TakeViscousVelocity {
  static constexpr const char* name = "viscosity result";
  View<const Vec3> solution, residual;
  View<Vec3> velocity, change;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = solution[i] + residual[i];
    change[i] = v - velocity[i];
    velocity[i] = v;
  }
};

MERGANSER_END
