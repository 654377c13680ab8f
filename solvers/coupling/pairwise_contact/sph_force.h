#pragma once
/// SPH-based force between overlapping particles: contact particles as a fluid of their own, [MS] refs.
/// 22, 23.
///
/// Density by number, rho_i = m_i sum_j W_ij with the particle itself (Solenthaler & Pajarola 2008), so that
/// masses may differ; its rest value is that of the particle alone, rho0_i = m_i W(0). With the spiky kernel
/// W = 15/(pi s^6) (s - d)^3 of support s = r_i + r_j (Mueller et al. 2003, [MS] ref. 3), whose gradient does
/// not vanish at d = 0,
///
///     p_i = stiffness (rho_i/rho0_i - 1) = stiffness sum_j (1 - d_ij/s_ij)^3                       [Pa]
///     f_i = -sum_j (p_i V_i^2 + p_j V_j^2) grad_i W_ij
///         = -sum_j (p_i V_i^2 + p_j V_j^2) 45/(pi s^6) (s - d)^2 n,  V = (2 r)^3                    [N]
///
/// with n from i to j: pairs repel. Nothing damps it.
#include "solvers/coupling/pairwise_contact/contact_pair.h"
#include "solvers/coupling/pairwise_contact/contact_rows.h"

MERGANSER_BEGIN

struct ContactPressures {
  static constexpr const char* name = "contact: pressures";
  ContactRowsView rows;
  ContactParticles particles;
  float stiffness;       ///< [Pa]
  View<float> pressure;  ///< [Pa] per row, written
  MERGANSER_METHOD void operator()(int row) const {
    float compression = 0;
    rows.for_each_partner(row, [&](int, int j) {
      const ContactPair pair = contact_pair(particles, rows.particle[row], j);
      const float q = pair.overlap / pair.reach;
      compression += q * q * q;
    });
    pressure[row] = stiffness * compression;
  }
};

/// Magnitude of the force between two particles [N]. V^2/s^6 = (2 r/s)^6 stays between 0 and 64 for any
/// radii.
MERGANSER_FN float sph_contact_force(float pressure_i, float radius_i, float pressure_j, float radius_j,
                                     float overlap) {
  const float reach = radius_i + radius_j;
  auto sixth_power = [](float a) { return a * a * a * (a * a * a); };
  const float weight_i = sixth_power(2 * radius_i / reach), weight_j = sixth_power(2 * radius_j / reach);
  constexpr float gradient_scale = 14.3239449f;  // 45/pi
  return gradient_scale * (pressure_i * weight_i + pressure_j * weight_j) * (overlap * overlap);
}

struct SphForces {
  static constexpr const char* name = "contact: sph forces";
  ContactRowsView rows;
  ContactParticles particles;
  View<const float> pressure;  ///< [Pa] per row
  View<Vec3> force;            ///< [N] per row, written
  MERGANSER_METHOD void operator()(int row) const {
    const int i = rows.particle[row];
    Vec3 sum{0, 0, 0};
    rows.for_each_partner(row, [&](int other, int j) {
      const ContactPair pair = contact_pair(particles, i, j);
      sum -= sph_contact_force(pressure[row], particles.radius[i], pressure[other], particles.radius[j],
                               pair.overlap) *
             pair.direction;
    });
    force[row] = sum;
  }
};

MERGANSER_END
