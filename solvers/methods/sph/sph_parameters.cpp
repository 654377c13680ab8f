#include "solvers/methods/sph/sph_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& SphParameters::table() {
  using P = SphParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.sph")
          .number("smoothingLengthFactor", &P::smoothing_length_factor, at_least(0.8).up_to(3), "",
                  "Smoothing length / particle spacing; the support radius is twice the smoothing length")
          .choice("kernel", &P::kernel,
                  {{"cubicSpline", SphKernel::cubic_spline}, {"wendlandC2", SphKernel::wendland_c2}},
                  "Smoothing kernel")
          .choice("density", &P::density,
                  {{"summation", DensityMethod::summation}, {"continuity", DensityMethod::continuity}},
                  "Density by summation over neighbors or by the continuity equation")
          .choice("equationOfState", &P::equation_of_state,
                  {{"tait", EquationOfStateKind::tait}, {"linear", EquationOfStateKind::linear}},
                  "Equation of state: pressure from density")
          .number(
              "soundSpeed", &P::sound_speed, at_least(0), "m/s",
              "Speed of sound; 0 = ten times sqrt(v^2 + 2 g h), or 10 m/s where that is 0. v: the largest "
              "speed of its particles at the start, its emitters and the walls. h: the fall from its "
              "highest particle or emitter to the lowest particle, floor plane or tank bottom")
          .number("gamma", &P::gamma, at_least(1).up_to(20), "", "Exponent of the Tait equation")
          .choice("viscosityModel", &P::viscosity_model,
                  {{"none", ViscosityModel::none},
                   {"artificial", ViscosityModel::artificial},
                   {"laminar", ViscosityModel::laminar}},
                  "Viscosity model; sets the meaning of viscosity")
          .number("viscosity", &P::viscosity, at_least(0), "",
                  "Model artificial: alpha; laminar: kinematic viscosity [m^2/s]")
          .number("xsph", &P::xsph, at_least(0).up_to(1), "",
                  "XSPH factor of a step of 0.4 h/c, less in shorter ones; 0 = off")
          .number("densityDiffusion", &P::density_diffusion, at_least(0).up_to(1), "",
                  "Coefficient delta of the density diffusion; 0 = off; continuity only")
          .number("acousticDamping", &P::acoustic_damping, at_least(0).up_to(1), "",
                  "Bulk viscosity over smoothing length and speed of sound; 0 = off; continuity only")
          .boolean("allowTension", &P::allow_tension, "Keep negative pressures (closed domains)")
          .include(FluidForcesParameters::table(), &P::forces)
          .number("cfl", &P::cfl, above(0).up_to(1), "", "Courant number of the time step")
          .choice(
              "neighborhood", &P::neighborhood,
              {{"euclidean", Neighborhood::euclidean}, {"topological", Neighborhood::topological}},
              "Neighbors of a particle: all within the support, or those of the same piece of fluid, [TN]")
          .integer("topologyFrames", &P::topology_frames, at_least(0).up_to(1e6), "",
                   "Frames between updates of the topological neighborhoods; 0 = no update at frames")
          .only_with("neighborhood", "topological")
          .number("topologyDistance", &P::topology_distance, above(0).up_to(1), "",
                  "Displacement of any particle that triggers an update between frames, fraction of the "
                  "smoothing length")
          .only_with("neighborhood", "topological")
          .number("topologyFusionTime", &P::topology_fusion_time, at_least(0), "s",
                  "Time until a new link has full weight in surfaces, gamma of [TN] eq. 6")
          .only_with("neighborhood", "topological")
          .boolean("shepardFilter", &P::shepard_filter,
                   "Correct densities at the free surface after each update, [TN] sec. 6.1; topological and "
                   "continuity only")
          .only_with("neighborhood", "topological")
          .rule(
              "neighborhood",
              [](const P& p) { return p.neighborhood == Neighborhood::euclidean || !p.forces.any(); },
              std::string(", which does not go with ") + FluidForcesParameters::switches() +
                  "; use euclidean or set them to 0");
  return made;
}

}  // namespace merganser
