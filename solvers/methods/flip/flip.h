#pragma once
/// FLIP and APIC: an incompressible fluid of particles with an Eulerian pressure projection.
#include <memory>

#include "solvers/core/initial_state.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// Throws InputError where a parameter is out of range, a particle does not weigh density0 (2
/// particle_radius)^3, or the domain is periodic.
std::unique_ptr<System> make_flip(const SystemState& state, const InitialState& initial, int system_index,
                                  const ParticleStore& particles);

MERGANSER_END
