#pragma once
/// Walls that can show images.
#include <string>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Throws InputError that names a wall behind which there are no images of the fluid `system`: it is neither
/// plane nor tank, is one of samples, turns, stands on another one at an angle that is no right one, or
/// stands across a periodic axis.
void expect_image_walls(const SystemState& system, const InitialState& initial);

}  // namespace merganser
