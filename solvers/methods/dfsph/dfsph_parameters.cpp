#include "solvers/methods/dfsph/dfsph_parameters.h"

#include "solvers/base/parameter_rows.h"
#include "solvers/core/coupled_systems.h"

namespace merganser {

const ParameterTable& DfsphParameters::table() {
  using P = DfsphParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.dfsph")
          .number("smoothingLengthFactor", &P::smoothing_length_factor, at_least(0.8).up_to(3), "",
                  "Smoothing length / particle spacing; the support radius is twice the smoothing length. "
                  "Default: 1.5 with surfaceTension, else 1.2 where solids take part in the pressure solve, "
                  "else 1")
          .choice("kernel", &P::kernel,
                  {{"cubicSpline", DfsphKernel::cubic_spline}, {"wendlandC2", DfsphKernel::wendland_c2}},
                  "Smoothing kernel. Default: wendlandC2 with surfaceTension or where solids take part in "
                  "the pressure solve, else cubicSpline")
          .choice("wallPressure", &P::wall_pressure,
                  {{"mirrored", DfsphWallPressure::mirrored},
                   {"conservative", DfsphWallPressure::conservative},
                   {"images", DfsphWallPressure::images}},
                  "How walls press on the fluid. mirrored: the fluid's own at every particle; it heats water "
                  "at rest that has no viscosity. conservative: derived from the density; it keeps energy, "
                  "but blocks keep their lattice longer. images: that of mirror images; it keeps energy and "
                  "is hydrostatic at walls. It takes planes and tanks that do not turn. Default: that of a "
                  "fluid of the same solve, else images with gravitation where all walls can, else "
                  "mirrored")
          .number("viscosity", &P::viscosity, at_least(0), "m^2/s", "Kinematic viscosity, explicit")
          .number("maxDensityError", &P::max_density_error, above(0).up_to(1), "",
                  "Tolerance of the constant-density solve: mean relative compression")
          .number("maxDivergenceError", &P::max_divergence_error, above(0).up_to(1), "",
                  "Tolerance of the divergence-free solve: mean relative compression that the velocities "
                  "would cause in a step")
          .boolean("divergenceSolve", &P::divergence_solve, "Run the divergence-free solve")
          .integer("minIterations", &P::min_iterations, at_least(1).up_to(1e6), "",
                   "Smallest number of iterations of each solve")
          .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1e6), "",
                   "Largest number of iterations of each solve")
          .boolean("warmStart", &P::warm_start, "Start each solve from the pressures of the step before")
          .names("coupledTo", &P::coupled_to,
                 "Systems (elasticSph, rigid, dfsph) whose particles take part in the pressure solve of this "
                 "one. They and this one push each other by pressure and do not merge")
          .boolean("solidsCompress", &P::solids_compress,
                   "true: elastic solids under coupledTo resist compression by their own stiffness alone. "
                   "false: the pressure solve keeps their volume")
          .only_with("coupledTo")
          .include(FluidForcesParameters::table(), &P::forces)
          .number("cfl", &P::cfl, above(0).up_to(1), "",
                  "Largest displacement of a particle in a step / particle spacing")
          .number("minTimeStepSize", &P::min_time_step, above(0), "s",
                  "Lower bound of the step that cfl sets")
          .rule(
              "minIterations", [](const P& p) { return p.min_iterations <= p.max_iterations; },
              ", must be at most maxIterations, {maxIterations}");
  return made;
}

std::vector<int> coupled_indices(const SystemState& fluid, const InitialState& initial) {
  return find_coupled(fluid, fluid.parameters.of<DfsphParameters>().coupled_to, initial);
}

}  // namespace merganser
