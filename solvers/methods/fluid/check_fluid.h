#pragma once
/// What a fluid's initial state must keep to, whoever made it.
#include "device/backend.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// Throws InputError that names the system and the key where a parameter is out of the range of its table, or
/// a particle's mass is not density0 (2 particle_radius)^3. `parameters`: the struct of `table`, the
/// method's.
void check_fluid(const SystemState& state, const ParameterTable& table, const void* parameters);
/// Throws InputError where the domain is periodic; `what` names what knows no period, `remedy` what to use.
void require_open_domain(const SystemState& state, const Point3& periodic_length, const std::string& what,
                         const std::string& remedy);

MERGANSER_END
