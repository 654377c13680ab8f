#pragma once
/// Ranges of a FLIP fluid's parameters.
#include "device/backend.h"
#include "solvers/initial_state.h"

MERGANSER_BEGIN

/// Throws InputError that names the system and the key where a parameter is out of range, a particle's mass
/// is not density0 (2 particle_radius)^3, or the domain is periodic.
void check_flip_parameters(const SystemState& state, const InitialState& initial);

MERGANSER_END
