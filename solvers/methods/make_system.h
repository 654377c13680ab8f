#pragma once
/// Systems of any method.
#include <memory>

#include "solvers/core/initial_state.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// System number `index` of the initial state; its particles are already in the store, in the state's order.
/// Throws InputError where the state does not fit the method.
std::unique_ptr<System> make_system(const InitialState& initial, int index, const ParticleStore& particles);

MERGANSER_END
