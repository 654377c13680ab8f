#pragma once
#include "solvers/core/initial_state.h"

namespace merganser::test {

/// [kg] of all particles at the start.
inline double mass_of(const InitialState& initial) {
  double mass = 0;
  for (const SystemState& system : initial.systems)
    for (const float m : system.mass) mass += double(m);
  return mass;
}

}  // namespace merganser::test
