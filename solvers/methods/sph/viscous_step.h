#pragma once
/// Bound on explicit steps by viscosity.
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

/// nu dt/h^2 up to which explicit steps are stable. Laminar viscosity resists compression three times as much
/// as shear. A stirred tank flies apart with 0.125 where h is 1.2 or 2 spacings, with 0.15 or 0.2 elsewhere.
constexpr double longest_viscous_step(ViscosityModel model) {
  return model == ViscosityModel::laminar ? 0.1 : 0.125;
}

}  // namespace merganser
