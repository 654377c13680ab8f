#pragma once
/// The parameters of a system's method, for its constructor.
#include <string>

#include "solvers/base/parameter_table.h"
#include "solvers/core/initial_state.h"

namespace merganser {

/// The system's Parameters. Throws InputError that names the system and the key where one is out of the range
/// of its table, or where the system has none of them.
template <class Parameters>
const Parameters& checked_parameters(const SystemState& state) {
  const auto& parameters = state.parameters.of<Parameters>();
  require_in_range(Parameters::table(), &parameters, "system '" + state.name + "'");
  return parameters;
}

}  // namespace merganser
