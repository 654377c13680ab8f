#pragma once
/// Work that an iterative or a split solve discards, as the ledger of a step counts it
/// (solvers/observables/ledger/README.md).
#include "solvers/core/step_exchange.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// Held: immobile, or in a group with an immobile particle.
struct HeldParticles {
  View<const float> inverse_mass;
  MetaParticleView groups;
  MERGANSER_METHOD int group(int i) const { return groups.group_count > 0 ? groups.group_of[i] : -1; }
  MERGANSER_METHOD bool holds(int i) const {
    const int g = group(i);
    return !((g < 0 ? inverse_mass[i] : groups.inverse_mass[g]) > 0);
  }
};

/// Of a particle that is alone and free: what its step's impulse m (v' - v - dt g) has beyond the impulse S
/// that its system's ledger knows of, times v' [J]: what an iterative or a split solve leaves.
struct DiscardedWork {
  HeldParticles held;
  View<const float> mass;         ///< [kg], indexed like the store, as all here
  View<const Vec3> velocity;      ///< [m/s] v
  View<const Vec3> end_velocity;  ///< [m/s] v'
  Vec3d free_change;              ///< [m/s] dt g
  MERGANSER_METHOD double operator()(int i, const Vec3d& impulse) const {
    if (held.group(i) >= 0 || held.holds(i)) return 0;
    const Vec3d end = to_double(end_velocity[i]);
    return dot(double(mass[i]) * (end - to_double(velocity[i]) - free_change) - impulse, end);
  }
};
DiscardedWork discarded_work(const StepContext& step, const MetaParticleView& groups,
                             View<const Vec3> end_velocity);

MERGANSER_END
