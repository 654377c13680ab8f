#pragma once
/// Memory estimate of a system of elastic solids.
#include "solvers/core/method.h"

namespace merganser {

/// Adds bytes; see Method::estimate.
void estimate_elastic_sph(const SystemState& system, double spacing, SystemEstimate& made);

/// Non-zeros of the factor of a compact body of so many particles that is so many spacings wide; of a plate
/// or rod about twice to half as many.
double factor_nonzeros(double particles, double width);

/// Into how many parts the matrix of a body is cut; 1: its factor, of so many non-zeros, is kept whole.
/// `wanted`: the key factorParts; cheap: parts of automatic choice even where the whole would be faster.
int factor_parts(int wanted, double particles, double nonzeros, bool cheap);
/// Numbers stored of the factors of that many parts and of their coarse level.
double numbers_in_parts(double particles, int parts);

}  // namespace merganser
