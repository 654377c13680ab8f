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

/// Speed of sound [m/s] where SphParameters::sound_speed is 0, so that the fluid compresses by about 1 %
/// (Monaghan 1994): ten times the largest speed to be expected, max(v0, sqrt(v0^2 + 2 |g| H)), with v0 the
/// largest initial or emitter speed and H the height from the highest particle or emitter of this fluid down
/// to the lowest particle of any system or the lowest floor below it (a plane or tank facing against
/// gravity), whichever is lower. 10 m/s where nothing moves.
double expected_sound_speed(const SystemState& state, const InitialState& initial);

MERGANSER_END
