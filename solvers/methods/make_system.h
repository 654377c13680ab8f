#pragma once
/// Systems of any method.
#include <memory>

#include "solvers/core/initial_state.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// Makes system number `system_index` of the initial state, which is `state`; its particles are already in
/// the store, in the state's order. Throws InputError where the state does not fit the method.
using MakeSystem = std::unique_ptr<System> (*)(const SystemState& state, const InitialState& initial,
                                               int system_index, const ParticleStore& particles);
/// The same for a system of any method.
std::unique_ptr<System> make_system(const InitialState& initial, int index, const ParticleStore& particles);
/// How systems of a method that all_methods.def does not name are made in this half.
void add_factory(const Method& method, MakeSystem make);

MERGANSER_END
