#pragma once
/// Places of a start in a periodic domain.
#include "solvers/core/initial_state.h"

namespace merganser {

bool is_periodic(const SimulationParameters& simulation);
/// The image of a place in the domain, as a run has it after its first step; the place itself on open axes.
Float3 in_domain(const Float3& place, const SimulationParameters& simulation);
/// Brings all particles into the domain.
void bring_into_domain(InitialState& initial);
/// Walls have no images: fluid whose kernels end at `reach` [m] sees each wall from both ends of a period
/// alike, or from neither, as far as 200 places of those that move tell. Throws InputError that names the
/// wall.
void expect_walls_in_period(const SystemState& system, const InitialState& initial, double reach);

}  // namespace merganser
