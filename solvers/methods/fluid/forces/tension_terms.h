#pragma once
/// Pair terms of surface tension and the pull of walls, see surface_tension.h.
#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/fluid/forces/cohesion.h"
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

/// n_i = 2h sum_j (m/rho_j) grad W_ij: large at the surface, along it zero. Written over the packed vectors.
struct SurfaceNormal {
  static constexpr const char* name = "tension normal";
  static constexpr bool reads_compression = false, reads_velocity = false, reads_pressure_term = true;
  static constexpr int components = 3;
  WendlandC2<float> kernel;
  float scale;  ///< [m^4] 2h V
  View<Quad> packed;

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>&, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    SphPair<Real> result{};
    result.a = d * (scale * j.pressure_term * kernel.gradient_factor(fast_square_root(r2)));
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>&, const SphPair<float>& sum) const {
    Quad& own = packed[index];
    own.x = sum.a.x, own.y = sum.a.y, own.z = sum.a.z;
  }
};

/// A wall's pull by distance, over d/R in [0, 1], equal spacing.
struct WallPull {
  View<const float> acceleration;  ///< [m/s^2] towards the wall
  float inverse_radius;            ///< [1/m]
  MERGANSER_METHOD float at(float d) const {
    const float cells = static_cast<float>(acceleration.count - 1);
    const float place = (d > 0 ? d : 0) * inverse_radius * cells;
    if (!(place < cells)) return 0;
    const int k = static_cast<int>(place);
    const float t = place - static_cast<float>(k);
    return acceleration[k] + t * (acceleration[k + 1] - acceleration[k]);
  }
};

/// v_i += dt a_i, a_i = -sum_j K_ij (gamma m C(r) x_ij/r + gamma' (n_i - n_j)) + pull of walls,
/// K_ij = 2 rho0/(rho_i + rho_j).
struct TensionAndAdhesion {
  static constexpr const char* name = "tension";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = 3;
  CohesionSpline<float> spline;
  float cohesion;   ///< [m^4/s^2] gamma m
  float curvature;  ///< [m/s^2] gamma'
  float least_r2;   ///< [m^2] r is not taken below its root
  float dt;         ///< [s]
  WallView walls;
  WallPull pull;
  View<Vec3> velocity;  ///< [m/s] changed

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    const Real r = fast_square_root(r2 > least_r2 ? r2 : least_r2);
    const Real both =
        fast_quotient(-2.0f * i.pressure_term * j.pressure_term, i.pressure_term + j.pressure_term);
    const Real along = fast_quotient(cohesion * both * spline.value(r), r);
    SphPair<Real> result{};
    result.a = d * along + (i.velocity - j.velocity) * (curvature * both);
    return result;
  }
  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    Vec3 a = sum.a;
    if (!pull.acceleration.empty())
      for (int k = 0; k < walls.count; ++k) {
        const WallDistance at = walls.data[k].at(i.position);
        a -= at.normal * pull.at(at.distance);
      }
    velocity[index] += dt * a;
  }
};

MERGANSER_END
