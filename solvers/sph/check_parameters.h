#pragma once
/// Ranges of a fluid's parameters.
#include "device/backend.h"
#include "solvers/initial_state.h"

MERGANSER_BEGIN

/// Throws InputError that names the system and the key where a parameter is out of range, or a particle's
/// mass is not density0 (2 particle_radius)^3.
void check_sph_parameters(const SystemState& state);
/// Throws InputError where the neighborhood does not go with the domain.
void check_neighborhood(const SystemState& state, const Point3& periodic_length);

MERGANSER_END
