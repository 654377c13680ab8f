#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

#include "solvers/base/parameter_table.h"

namespace merganser {

const ParameterTable& ElasticSphParameters::table() {
  using P = ElasticSphParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.elasticSph")
          .choice("solve", &P::solve,
                  {{"preconditioned", ElasticSolve::preconditioned},
                   {"split", ElasticSolve::split},
                   {"conjugateGradient", ElasticSolve::conjugate_gradient}},
                  "how a step is solved: conjugate gradients with the factored constant matrix as "
                  "preconditioner, [ES] alg. 1, or conjugate gradients with block Jacobi")
          .choice("zeroEnergy", &P::zero_energy,
                  {{"implicit", ZeroEnergyControl::implicit_energy},
                   {"explicit", ZeroEnergyControl::explicit_force}},
                  "control of zero-energy modes: [ES] eq. 20, or Ganzenmueller's explicit force")
          .number("elasticTimeStep", &P::elastic_time_step, at_least(0), "s",
                  "step of the factored matrix; 0 = timeStepSize, or where that is 0 maxTimeStepSize")
          .number("smoothingLengthFactor", &P::smoothing_length_factor, at_least(0.6).up_to(3), "",
                  "smoothing length / particle spacing; the support is twice as long")
          .integer("closestNeighbors", &P::closest_neighbors, at_least(0).up_to(1000), "",
                   "keep only so many neighbors of each particle, 0 = all within the support")
          .number("tolerance", &P::tolerance, above(0).up_to(1), "",
                  "relative residual at which conjugate gradients stop")
          .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1e6), "",
                   "and never later; a tolerance not met is reported")
          .number("factorMemory", &P::factor_memory, at_least(0), "B",
                  "bytes that all factors may take, beyond which block Jacobi is the preconditioner; 0 = no "
                  "limit");
  return made;
}

}  // namespace merganser
