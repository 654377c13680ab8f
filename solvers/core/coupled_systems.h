#pragma once
/// Systems that take part in the pressure solve of a fluid, by its key `coupledTo`.
#include <string>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Places in the scene's list: the fluid, then the systems that `coupledTo` names. Empty where it names none.
std::vector<int> find_coupled(const SystemState& fluid, const std::vector<std::string>& coupled_to,
                              const InitialState& initial);

/// Every name is that of another system, stands there once, has one of the types, takes part in no other
/// solve, and has particles as large as the fluid's. Throws InputError.
void expect_coupled(const SystemState& fluid, const std::vector<std::string>& coupled_to,
                    const std::vector<std::string>& types, const InitialState& initial);

}  // namespace merganser
