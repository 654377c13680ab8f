#pragma once
/// Penalty force between overlapping particles: a damped spring that only pushes.
#include "solvers/coupling/pairwise_contact/contact_pair.h"
#include "solvers/coupling/pairwise_contact/contact_rows.h"

MERGANSER_BEGIN

/// Magnitude of the force [N] on both particles of a pair, along n away from each other:
///
///     f = max(0, k o - c v_n),  k = stiffness (r_i + r_j),  c = 2 damping sqrt(k mu),  mu = 1/(1/m_i +
///     1/m_j)
///
/// with overlap o [m] and rate of separation v_n = n . (v_j - v_i) [m/s]. Distance-based, [MS] refs. 6 and 8
/// (Terzopoulos et al. 1989, Tonnesen 1991); the dashpot is the textbook one, `damping` its share of the
/// pair's critical damping. A stiffness in Pa makes k grow with the particles as that of an elastic rod of
/// their size does; at full overlap of equal particles f spread over (r_i + r_j)^2 is the stiffness itself.
MERGANSER_FN float penalty_force(float stiffness, float damping, float reach, float overlap,
                                 float separation_rate, float inverse_mass_sum) {
  const float k = stiffness * reach;
  const float c = 2 * damping * sqrtf(k / inverse_mass_sum);
  const float f = k * overlap - c * separation_rate;
  return f > 0 ? f : 0.0f;
}

struct PenaltyForces {
  static constexpr const char* name = "contact: penalty forces";
  ContactRowsView rows;
  ContactParticles particles;
  View<const Vec3> velocity;       ///< [m/s] at the beginning of the step
  View<const float> inverse_mass;  ///< [1/kg]
  float stiffness;                 ///< [Pa]
  float damping;                   ///< share of critical damping
  View<Vec3> force;                ///< [N] per row, written
  MERGANSER_METHOD void operator()(int row) const {
    const int i = rows.particle[row];
    Vec3 sum{0, 0, 0};
    rows.for_each_partner(row, [&](int, int j) {
      const ContactPair pair = contact_pair(particles, i, j);
      const float rate = dot(pair.direction, velocity[j] - velocity[i]);
      sum -= penalty_force(stiffness, damping, pair.reach, pair.overlap, rate,
                           inverse_mass[i] + inverse_mass[j]) *
             pair.direction;
    });
    force[row] = sum;
  }
};

MERGANSER_END
