#pragma once
/// What a system of elastic solids takes.
#include "solvers/core/method.h"

namespace merganser {

/// Adds bytes; see Method::estimate.
void estimate_elastic_sph(const SystemState& system, double spacing, SystemEstimate& made);

/// Non-zeros of the factor of a compact body of so many particles that is so many spacings wide; of a plate
/// or rod about twice to half as many.
double factor_nonzeros(double particles, double width);

}  // namespace merganser
