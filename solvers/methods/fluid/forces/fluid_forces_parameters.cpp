#include "solvers/methods/fluid/forces/fluid_forces_parameters.h"

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
                  "Half the work of adhesion per area of wall; surfaceTension: wets, half of it: contact "
                  "angle of 90 degrees in theory; 0 = off");
  return made;
}

const char* FluidForcesParameters::switches() {
  return "implicitViscosity, wallViscosity, surfaceTension, adhesion";
}
bool FluidForcesParameters::any() const {
  return implicit_viscosity > 0 || wall_viscosity > 0 || surface_tension > 0 || adhesion > 0;
}

}  // namespace merganser
