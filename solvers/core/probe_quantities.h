#pragma once
/// Columns of probes.csv.
#include "solvers/core/probe_parameters.h"

namespace merganser {

/// <name>_<quantity> for each of its values, in their order.
std::vector<std::string> probe_columns(const ProbeParameters& probe);

}  // namespace merganser
