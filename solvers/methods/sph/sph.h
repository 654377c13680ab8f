#pragma once
/// Weakly compressible SPH (Monaghan 1994, 2005) as a system of merging-and-splitting.
#include <memory>

#include "solvers/core/initial_state.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// The fluid `state`, whose particles are the range `system_index` of the store. All its particles must have
/// the mass density0 (2 particle_radius)^3. Throws InputError on parameters out of range, naming them.
std::unique_ptr<System> make_sph(const SystemState& state, const InitialState& initial, int system_index,
                                 const ParticleStore& particles);

MERGANSER_END
