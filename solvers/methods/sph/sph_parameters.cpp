#include "solvers/methods/sph/sph_parameters.h"

#include "solvers/base/parameter_table.h"

namespace merganser {

const ParameterTable& SphParameters::table() {
  using P = SphParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.sph")
          .number("smoothingLengthFactor", &P::smoothing_length_factor, at_least(0.8).up_to(3), "",
                  "smoothing length / particle spacing; the support is twice as long")
          .choice("kernel", &P::kernel,
                  {{"cubicSpline", SphKernel::cubic_spline}, {"wendlandC2", SphKernel::wendland_c2}},
                  "smoothing kernel")
          .choice("density", &P::density,
                  {{"summation", DensityMethod::summation}, {"continuity", DensityMethod::continuity}},
                  "how the density follows the particles")
          .choice("equationOfState", &P::equation_of_state,
                  {{"tait", EquationOfStateKind::tait}, {"linear", EquationOfStateKind::linear}},
                  "pressure from density")
          .number("soundSpeed", &P::sound_speed, at_least(0), "m/s",
                  "0 = ten times the largest speed expected")
          .number("gamma", &P::gamma, at_least(1).up_to(20), "", "exponent of the Tait equation")
          .choice("viscosityModel", &P::viscosity_model,
                  {{"none", ViscosityModel::none},
                   {"artificial", ViscosityModel::artificial},
                   {"laminar", ViscosityModel::laminar}},
                  "what viscosity means")
          .number("viscosity", &P::viscosity, at_least(0), "",
                  "artificial: alpha; laminar: kinematic viscosity [m^2/s]")
          .number("xsph", &P::xsph, at_least(0).up_to(1), "", "XSPH factor, 0 = off")
          .number("densityDiffusion", &P::density_diffusion, at_least(0).up_to(1), "",
                  "delta of the density diffusion, 0 = off; continuity only")
          .boolean("allowTension", &P::allow_tension, "keep negative pressures (closed domains)")
          .number("cfl", &P::cfl, above(0).up_to(1), "", "Courant number of the step")
          .choice("neighborhood", &P::neighborhood,
                  {{"euclidean", Neighborhood::euclidean}, {"topological", Neighborhood::topological}},
                  "which particles act on each other: all within the support, or those of the same piece of "
                  "fluid, [TN]")
          .integer("topologyFrames", &P::topology_frames, at_least(0).up_to(1e6), "",
                   "frames from one update of topological neighborhoods to the next, 0 = none for frames")
          .number("topologyDistance", &P::topology_distance, above(0).up_to(1), "",
                  "and an update between frames where a particle has moved by this share of the smoothing "
                  "length")
          .number("topologyFusionTime", &P::topology_fusion_time, at_least(0), "s",
                  "time in which a new link comes to count in full for surfaces, gamma of [TN] eq. 6")
          .boolean("shepardFilter", &P::shepard_filter,
                   "correct the free surface's densities after each update, [TN] sec. 6.1; topological and "
                   "continuity only");
  return made;
}

}  // namespace merganser
