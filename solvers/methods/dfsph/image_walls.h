#pragma once
/// Walls that can show images.
#include <string>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

/// Names a wall behind which there are no images, why, and a remedy: it is neither plane nor tank, is one of
/// samples, turns, stands on another one at an angle that is no right one, or stands across a periodic axis.
/// Empty where all walls can have them. period [m], 0: not periodic.
std::string why_no_images(const std::vector<WallParameters>& walls, const Point3& period);

/// Throws InputError with that of the fluid `system`.
void expect_image_walls(const SystemState& system, const InitialState& initial);

}  // namespace merganser
