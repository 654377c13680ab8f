#pragma once
/// Viscosity of a fluid and its bound on explicit steps.
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

/// nu [m^2/s] of the continuum limit, see acceleration.h; h [m], c [m/s].
inline double kinematic_viscosity(const SphParameters& p, double h, double c) {
  return p.viscosity_model == ViscosityModel::laminar      ? p.viscosity
         : p.viscosity_model == ViscosityModel::artificial ? p.viscosity * h * c / 10
                                                           : 0;
}

/// nu dt/h^2 up to which explicit steps are stable. Laminar viscosity resists compression three times as much
/// as shear. A stirred tank flies apart with 0.125 where h is 1.2 or 2 spacings, with 0.15 or 0.2 elsewhere.
constexpr double longest_viscous_step(ViscosityModel model) {
  return model == ViscosityModel::laminar ? 0.1 : 0.125;
}

}  // namespace merganser
