#pragma once
/// What only the particles of a scene can tell: states that a simulation would refuse or not survive. `check`
/// and `run` both come by here, from build_initial_state.
#include "solvers/core/initial_state.h"

namespace merganser {

/// Every period is at least three times as long as what looks around in it. Throws InputError that names the
/// key.
void expect_long_periods(const InitialState& initial);
/// No particle of an SPH fluid starts far behind a wall. Throws InputError that names body and wall.
void expect_fluid_before_walls(const InitialState& initial);

}  // namespace merganser
