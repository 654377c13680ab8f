#pragma once
/// Checks of a fluid's initial state, whoever made it.
#include "device/backend.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// Throws InputError that names the system and the key where one of its FluidParameters is out of range, or a
/// particle's mass is not density0 (2 particle_radius)^3.
void check_fluid(const SystemState& state);
/// Throws InputError where the domain is periodic; `what` names what knows no period, `remedy` what to use.
void require_open_domain(const SystemState& state, const Point3& periodic_length, const std::string& what,
                         const std::string& remedy);

MERGANSER_END
