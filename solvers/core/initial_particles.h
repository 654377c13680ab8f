#pragma once
/// From the particles of an initial state to those that the store takes.
#include "device/particle_store.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// The particles of one system as number `system` of the store; ids are consecutive from first_id.
inline HostParticles initial_particles(const SystemState& state, int system = 0, int first_id = 0) {
  HostParticles p;
  for (size_t i = 0; i < state.position.size(); ++i) {
    const Float3 &x = state.position[i], &v = state.velocity[i];
    p.position.push_back({x[0], x[1], x[2]});
    p.velocity.push_back({v[0], v[1], v[2]});
    p.mass.push_back(state.mass[i]);
    p.inverse_mass.push_back(state.immobile[i] ? 0.0f : 1.0f / state.mass[i]);
    p.radius.push_back(state.radius[i]);
    p.id.push_back(first_id + static_cast<int>(i));
    p.body.push_back(state.body[i]);
    p.system.push_back(system);
  }
  return p;
}

MERGANSER_END
