#pragma once
/// Impulses between overlapping particles that approach, [MS] refs. 39-43.
///
/// Each pair for itself gets the impulse that turns its rate of separation v_n = n . (v_j - v_i) < 0 into
/// -restitution v_n,
///
///     J = -(1 + restitution) v_n / (1/m_i + 1/m_j),  v_i -= J n/m_i,  v_j += J n/m_j.
///
/// All pairs act at once (Jacobi), each weighted by 1/max(c_i, c_j), where c counts the approaching pairs of
/// a particle. The weight is the same for both, so momentum is exact, and the weights of a particle add up to
/// at most 1, so its new velocity is an average of what its pairs ask for and no pass adds energy.
#include "solvers/coupling/pairwise_contact/contact_pair.h"
#include "solvers/coupling/pairwise_contact/contact_rows.h"

MERGANSER_BEGIN

struct CountApproaching {
  static constexpr const char* name = "contact: count approaching";
  ContactRowsView rows;
  ContactParticles particles;
  View<const Vec3> velocity;  ///< [m/s]
  View<int> count;            ///< per row, written
  MERGANSER_METHOD void operator()(int row) const {
    const int i = rows.particle[row];
    int approaching = 0;
    rows.for_each_partner(row, [&](int, int j) {
      if (dot(contact_pair(particles, i, j).direction, velocity[j] - velocity[i]) < 0) ++approaching;
    });
    count[row] = approaching;
  }
};

struct CollisionImpulses {
  static constexpr const char* name = "contact: impulses";
  ContactRowsView rows;
  ContactParticles particles;
  View<const Vec3> velocity;       ///< [m/s]
  View<const float> inverse_mass;  ///< [1/kg]
  View<const int> count;           ///< approaching pairs per row
  float restitution;
  View<Vec3> impulse;  ///< [N s] per row, written
  MERGANSER_METHOD void operator()(int row) const {
    const int i = rows.particle[row];
    Vec3 sum{0, 0, 0};
    rows.for_each_partner(row, [&](int other, int j) {
      const Vec3 n = contact_pair(particles, i, j).direction;
      const float rate = dot(n, velocity[j] - velocity[i]);
      if (!(rate < 0)) return;
      const int most = count[row] > count[other] ? count[row] : count[other];
      const float size = (1 + restitution) * rate / (inverse_mass[i] + inverse_mass[j]);
      sum += size / static_cast<float>(most) * n;
    });
    impulse[row] = sum;
  }
};

MERGANSER_END
