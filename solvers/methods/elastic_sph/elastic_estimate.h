#pragma once
/// What a system of elastic solids takes.
#include "solvers/core/method.h"

namespace merganser {

/// Adds bytes; see Method::estimate.
void estimate_elastic_sph(const SystemState& system, double spacing, SystemEstimate& made);

}  // namespace merganser
