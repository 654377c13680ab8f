#pragma once
/// Synchronization of what several systems computed for one meta-particle, [MS] eq. 17-19. See METHOD.md,
/// "Synchronization", for how the two velocities below follow from the paper's.
#include "device/array.h"
#include "device/vector_math.h"
#include "solvers/coupling/merge_split/contact_detection.h"

MERGANSER_BEGIN

/// Eq. 19 for any number of integrators, from the impulse J [N s] that each gave the group and the mass m
/// [kg] of its members: with the paper's v_k = V* + J_k / M,
///   dEk = 1/2 sum m_k v_k^2 - 1/2 M (sum m_k v_k / M)^2 = (sum m_k J_k^2 - (sum m_k J_k)^2 / M) / (2 M^2).
struct IntegratedEnergy {
  double square = 0;        ///< sum m_k J_k^2
  Vec3d weighted{0, 0, 0};  ///< sum m_k J_k
  int integrators = 0;
  MERGANSER_METHOD void add(double mass, const Vec3d& impulse) {
    if (!(mass > 0)) return;
    square += mass * norm_squared(impulse);
    weighted += mass * impulse;
    ++integrators;
  }
  /// [J]; never negative, and none where there is one integrator only.
  MERGANSER_METHOD double lost(double whole_mass) const {
    if (integrators < 2) return 0;
    return fmax(0.0, 0.5 * (square - norm_squared(weighted) / whole_mass) / (whole_mass * whole_mass));
  }
};

struct Synchronized {
  Vec3 velocity;  ///< [m/s] v'
  float energy;   ///< [J] dEk
};
/// From the sums over a group that moves; `momentum` relative to `reference`.
MERGANSER_FN Synchronized synchronized_group(const Vec3d& reference, const Vec3& start_velocity,
                                             double whole_mass, const Vec3d& momentum,
                                             const IntegratedEnergy& integrated) {
  const Vec3d end = reference + momentum / whole_mass;
  const double step_lost = 0.5 * whole_mass * norm_squared(end - to_double(start_velocity));
  return {to_float(end), static_cast<float>(fmin(integrated.lost(whole_mass), step_lost))};
}

/// v' = sum m v_hat / M = V* + sum J_k / M over all members of a group, and dEk of IntegratedEnergy, but not
/// more than 1/2 M (v' - V)^2, what the group's step lost at all. All implicit systems are one integrator.
/// Velocities are taken relative to the first member's, so that members that agree give exactly their
/// velocity. One thread a group; synchronize_by_system.h has the GPU's way.
struct SynchronizeGroup {
  static constexpr const char* name = "synchronize: groups";
  View<const float> mass;
  View<const int> system;  ///< per particle
  View<const ContactSystem> systems;
  View<const int> first, member;
  View<const Vec3> start_velocity;  ///< [m/s] V
  View<const float> inverse_mass;
  Vec3 free_change;               ///< [m/s] V* - V = dt g
  View<const Vec3> end_velocity;  ///< [m/s] v_hat
  View<Vec3> synchronized;
  View<float> energy;
  MERGANSER_METHOD void operator()(int group) const {
    if (!(inverse_mass[group] > 0)) {
      synchronized[group] = start_velocity[group];
      energy[group] = 0;
      return;
    }
    const Vec3d reference = to_double(end_velocity[member[first[group]]]);
    const Vec3d free = to_double(start_velocity[group] + free_change) - reference;
    double whole_mass = 0, mass_of_one = 0, implicit_mass = 0;
    Vec3d momentum{0, 0, 0}, of_one{0, 0, 0}, of_implicit{0, 0, 0};
    IntegratedEnergy integrated;
    for (int k = first[group]; k < first[group + 1]; ++k) {
      const int i = member[k];
      const double m = mass[i];
      const Vec3d v = to_double(end_velocity[i]) - reference, impulse = m * (v - free);
      whole_mass += m;
      momentum += m * v;
      if (systems[system[i]].implicit) {
        implicit_mass += m;
        of_implicit += impulse;
        continue;
      }
      // Members of one system follow each other.
      if (k > first[group] && system[member[k - 1]] != system[i]) {
        integrated.add(mass_of_one, of_one);
        mass_of_one = 0;
        of_one = {0, 0, 0};
      }
      mass_of_one += m;
      of_one += impulse;
    }
    integrated.add(mass_of_one, of_one);
    integrated.add(implicit_mass, of_implicit);
    const Synchronized result =
        synchronized_group(reference, start_velocity[group], whole_mass, momentum, integrated);
    synchronized[group] = result.velocity;
    energy[group] = result.energy;
  }
};

struct WriteSynchronized {
  static constexpr const char* name = "synchronize: write velocities";
  View<const int> items, group_of;
  View<const Vec3> synchronized;
  View<Vec3> velocity;
  MERGANSER_METHOD void operator()(int item) const {
    if (group_of[item] >= 0) velocity[items[item]] = synchronized[group_of[item]];
  }
};

MERGANSER_END
