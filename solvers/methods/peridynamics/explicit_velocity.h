#pragma once
/// End-of-step velocities of the explicit integration (see MetaParticleView).
#include "solvers/coupling/implicit/reduced_unknowns.h"

MERGANSER_BEGIN

/// Change of velocity of a particle by itself, dt f/m + dt g; none where it or its group is immobile.
struct ExplicitChange {
  static constexpr const char* name = "peridynamics explicit change";
  View<const float> effective_mass;  ///< [kg], 0 = fixed
  View<const Vec3> impulse;          ///< [N s] dt f
  Vec3 gravity;                      ///< [m/s^2]
  float dt;                          ///< [s]
  View<Vec3> change;                 ///< [m/s], written
  MERGANSER_METHOD void operator()(int i) const {
    change[i] = effective_mass[i] > 0 ? impulse[i] / effective_mass[i] + dt * gravity : Vec3{0, 0, 0};
  }
};

/// dt f / (2 m) of mobile particles: from their velocities to those at the time of their positions.
struct HalfKick {
  static constexpr const char* name = "peridynamics half kick";
  View<const float> inverse_mass;  ///< [1/kg]
  View<const Vec3> impulse;        ///< [N s] dt f
  View<const Vec3> braking;        ///< [N s] what damping has taken from it, or empty
  View<Vec3> half_kick;            ///< [m/s], written
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 undamped = braking.empty() ? impulse[i] : impulse[i] + braking[i];
    half_kick[i] = (0.5f * inverse_mass[i]) * undamped;
  }
};

struct AddChange {
  static constexpr const char* name = "peridynamics explicit end velocity";
  int first_particle;
  View<const Vec3> start, change;  ///< [m/s]
  View<Vec3> end_velocity;         ///< [m/s] indexed like the store, written
  MERGANSER_METHOD void operator()(int i) const { end_velocity[first_particle + i] = start[i] + change[i]; }
};

/// impulse -= damping part of (dt C) v, given as braking.
struct SubtractBraking {
  static constexpr const char* name = "peridynamics explicit damping";
  View<const Vec3> braking;  ///< [N s]
  View<Vec3> impulse;        ///< [N s], updated
  MERGANSER_METHOD void operator()(int i) const { impulse[i] -= braking[i]; }
};

MERGANSER_END
