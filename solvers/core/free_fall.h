#pragma once
/// Falls of bodies and jets to what lies below them at the start.
#include <vector>

#include "solvers/core/initial_state.h"
#include "solvers/core/speed_phase.h"

namespace merganser {

/// Speeds of bodies that nothing holds and of what emitters emit, until they meet a wall, another body's box
/// or the border of their kill boxes, or until the end. Fluid keeps that speed as long again, a jet until it
/// ends. None where gravity is zero or has a part along a period: walls and viscosity limit flows there.
std::vector<SpeedPhase> speeds_of_falls(const InitialState& initial);

}  // namespace merganser
