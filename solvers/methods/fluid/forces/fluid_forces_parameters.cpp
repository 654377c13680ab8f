#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& FluidForcesParameters::table() {
  using P = FluidForcesParameters;
  static const ParameterTable made =
      ParameterRows<P>("fluidForces")
          .number("implicitViscosity", &P::implicit_viscosity, at_least(0), "Pa s",
                  "Dynamic viscosity, solved implicitly: no bound on the time step; 0 = off")
          .number("wallViscosity", &P::wall_viscosity, at_least(0), "Pa s",
                  "The same between fluid and walls with noSlip; 0 = walls slip")
          .multiple("1*implicitViscosity")
          .number("viscosityTolerance", &P::viscosity_tolerance, above(0).up_to(0.1), "",
                  "Relative residual at which the solve for the viscosity ends")
          .integer("viscosityIterations", &P::viscosity_iterations, at_least(1).up_to(1e5), "",
                   "Largest number of iterations of that solve")
          .number("surfaceTension", &P::surface_tension, at_least(0), "N/m",
                  "Coefficient of surface tension; 0 = off")
          .number("adhesion", &P::adhesion, at_least(0), "N/m",
                  "Half the work of adhesion per area of wall; 0 = off. Equal to surfaceTension the fluid "
                  "wets; half of it gives a contact angle of 90 degrees in theory")
          .number(
              "vorticity", &P::vorticity, at_least(0), "m^2/s",
              "Transfer coefficient nu_t of the micropolar model, between flow and rotation of particles; "
              "0 = off")
          .number("vorticityInertia", &P::vorticity_inertia, above(0), "m^2",
                  "Inertia Theta of the particles' rotation")
          .only_with("vorticity")
          .number("vorticityDiffusion", &P::vorticity_diffusion, at_least(0), "m^2/s",
                  "Diffusion of the particles' rotation")
          .only_with("vorticity")
          .number("airDrag", &P::air_drag, at_least(0), "",
                  "Factor of the drag by air, 1 = that of drops; 0 = off")
          .number("airDensity", &P::air_density, above(0), "kg/m^3", "Density of the air")
          .only_with("airDrag")
          .number("airViscosity", &P::air_viscosity, above(0), "Pa s", "Dynamic viscosity of the air")
          .only_with("airDrag")
          .point("airVelocity", &P::air_velocity, "m/s", "Wind")
          .only_with("airDrag");
  return made;
}

const char* FluidForcesParameters::switches() {
  return "implicitViscosity, wallViscosity, surfaceTension, adhesion, vorticity, airDrag";
}
bool FluidForcesParameters::any() const {
  return implicit_viscosity > 0 || wall_viscosity > 0 || surface_tension > 0 || adhesion > 0 ||
         vorticity > 0 || air_drag > 0;
}
double FluidForcesParameters::longest_step(double density0, double h) const {
  double step = 1e30;
  if (const double tension = std::max(surface_tension, adhesion); tension > 0)
    step = 0.25 * std::sqrt(density0 * std::pow(h, 3) / (2 * std::numbers::pi * tension));
  if (vorticity > 0) {
    // v and omega grow with the rate nu_t k/sqrt(Theta) at most, k up to about pi/h.
    step = std::min(step, 0.25 * h * std::sqrt(vorticity_inertia) / vorticity);
    if (vorticity_diffusion > 0)
      step = std::min(step, 0.125 * h * h / double(static_cast<float>(vorticity_diffusion)));
  }
  return step;
}
int FluidForcesParameters::bytes_per_particle() const {
  constexpr int vector = 12, block = 24;
  const bool viscous = implicit_viscosity > 0 || wall_viscosity > 0, rotates = vorticity > 0;
  return (any() ? vector : 0) + (viscous ? 7 * vector + block + (wall_viscosity > 0 ? block : 0) : 0) +
         (rotates ? vector : 0) + (viscous || rotates ? vector : 0);
}

}  // namespace merganser
