#pragma once
/// Accelerations of a weakly compressible fluid by pressure and viscosity, without body forces.
#include "solvers/coupling/boundary/for_each_near_wall.h"
#include "solvers/coupling/boundary/wall_density.h"
#include "solvers/methods/fluid/central_viscosity.h"
#include "solvers/methods/fluid/neighbor_sum.h"
#include "solvers/methods/sph/equation_of_state.h"

MERGANSER_BEGIN

/// Pressure (Monaghan 1992), with P = p/rho^2 and V = m/rho0:
///   a_i = -m sum_j (P_i + P_j) F(r) (x_i - x_j)  -  2 P_i rho_i grad lambda_i,
/// where walls are filled with fluid of the particle's own pressure; then the component along each wall's
/// normal is divided by 1 - lambda + d lambda' and the others by 1 - lambda, which makes a pressure that is
/// linear in space (a fluid at rest) exact, see wall_fill.h. (Artificial viscosity, which acts along
/// x_ij as well, is divided with it.) With densities by summation, which a wall changes by rho0 Lambda, its
/// force is instead - P_i rho0 grad Lambda_i, undivided: that of the energy sum m e(rho_i), which is thus
/// kept at walls, too. (With the force above a tank at rest gains three times its energy in a second.
/// Densities by continuity do not say how much energy a place has.) Viscosity, one of
///   artificial (Monaghan 1992): a_i += alpha h c V sum_j min(0, v_ij.x_ij)/(r^2 + 0.01 h^2) F x_ij,
///   laminar (Espanol & Revenga 2003): a_i -= nu V sum_j w (v_ij.x_ij) x_ij, w of CentralViscosity,
/// with rho0 for the mean density of a pair. Both act along lines of centres, so they keep angular momentum
/// and do not brake rigid rotation. Walls without slip continue the velocity antisymmetrically
/// (Morris et al.), which integrates to a_i += 2 nu lambda'(d)/d (v_i - v_wall) along the wall; for
/// artificial viscosity nu = alpha h c/10, its continuum limit in three dimensions.
template <class Kernel, ViscosityModel viscosity_model, class Shapes = WallView>
struct SphAcceleration {
  static constexpr const char* name = "sph acceleration";
  static constexpr bool reads_compression = false, reads_velocity = true, reads_pressure_term = true;
  static constexpr int components = viscosity_model == ViscosityModel::laminar ? 6 : 3;
  Kernel kernel;
  float mass;                     ///< [kg]
  float pair_viscosity;           ///< artificial: alpha h c V; laminar: nu
  CentralViscosity central;       ///< laminar
  float softening;                ///< [m^2] 0.01 h^2
  float wall_viscosity;           ///< [m^2/s] 2 nu
  float least_wall_distance;      ///< [m] d in lambda'/d is not taken below this
  float density0;                 ///< [kg/m^3]
  View<const float> compression;  ///< rho/rho0 - 1 now
  Shapes walls;
  WallFillView fill;
  WallDensity of_walls;      ///< by summation: they push with its gradient
  View<Vec3> acceleration;   ///< [m/s^2], written
  View<Vec3> of_pairs = {};  ///< [m/s^2], written: the sum over pairs that walls divide; empty: not wanted

  template <class Real>
  MERGANSER_METHOD SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j,
                                      const Vector3<Real>& d, Real r2) const {
    const Real factor = kernel.gradient_factor(fast_square_root(r2));
    Real along = -mass * (i.pressure_term + j.pressure_term);
    if constexpr (viscosity_model == ViscosityModel::artificial) {
      const Real approach = dot(i.velocity - j.velocity, d);
      along += fast_quotient(pair_viscosity * (approach < 0.0f ? approach : 0.0f), r2 + softening);
    }
    SphPair<Real> result{};
    result.a = d * (along * factor);
    if constexpr (viscosity_model == ViscosityModel::laminar)
      result.b =
          d * (-pair_viscosity * central.weight(fast_square_root(r2)) * dot(i.velocity - j.velocity, d));
    return result;
  }

  MERGANSER_METHOD void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const {
    Vec3 along_normals{0, 0, 0}, viscous = sum.b;
    float open = 1;
    for_each_near_wall(walls, fill, index, i.position, [&](const Wall& wall, const WallShare& share) {
      const WallShare pushing = of_walls.of(share);
      open *= pushing.open;
      along_normals += pushing.normal * (pushing.slope / pushing.open);
      if (wall.no_slip) viscous += wall_drag(i.velocity - share.velocity, share);
    });
    Vec3 a = sum.a;
    if (!of_pairs.empty()) of_pairs[index] = a;
    if (open < 1) {
      a -= along_normals * (wall_push(index, i.pressure_term) * open);
      if (!of_walls.conservative())
        for_each_near_wall(walls, fill, index, i.position,
                           [&](const Wall&, const WallShare& share) { a = divided(a, share); });
    }
    acceleration[index] = a + viscous;
  }

  /// [m^2/s^2] What walls push with, by the slope of their shares (half that of Lambda).
  MERGANSER_METHOD float wall_push(int index, float pressure_term) const {
    return 2 * pressure_term * density0 * (of_walls.conservative() ? 1 : 1 + compression[index]);
  }
  MERGANSER_METHOD static Vec3 divided(const Vec3& a, const WallShare& share) {
    const Vec3 normal = share.normal * dot(a, share.normal);
    return normal * (1 / share.open_normal) + (a - normal) * (1 / share.open);
  }
  MERGANSER_METHOD Vec3 wall_drag(const Vec3& u, const WallShare& share) const {
    const float distance = share.distance > least_wall_distance ? share.distance : least_wall_distance;
    return (u - share.normal * dot(u, share.normal)) * (wall_viscosity * share.slope / distance);
  }
};

MERGANSER_END
