#pragma once
/// A column of water in a tank.
#include "solvers/core/initial_state.h"

namespace merganser {

/// `system`'s fluid as a lattice of particles from the origin on, alone in a tank; [m].
InitialState column_in_tank(SystemState system, const std::array<int, 3>& particles, double spacing,
                            const Point3& tank);

}  // namespace merganser
