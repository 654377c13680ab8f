#pragma once
/// Share of the particles of solids in their densities at rest (PressureShapes::share).
#include <vector>

#include "device/array.h"
#include "solvers/core/initial_state.h"
#include "solvers/methods/dfsph/pressure_solver.h"

MERGANSER_BEGIN

/// With s_i = V (W_ii + sum of W_ij over the particles of the same body) at rest:
///   of a part                    min(1, s_i) - V W_ii,
///   of a solid that the solve keeps together    -max(0, s_i - 1),
/// so that a body whose particles do not lie on the fluid's lattice is not taken for compressed by itself.
Array<float> rest_shares(const DfsphPressure& pressure, const SystemState& solid, bool parts);

MERGANSER_END
