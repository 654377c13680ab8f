#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

#include "solvers/base/parameter_rows.h"

namespace merganser {

const ParameterTable& ElasticMaterial::table() {
  using M = ElasticMaterial;
  static const ParameterTable made =
      ParameterRows<M>("elasticBody")
          .number("youngsModulus", &M::youngs_modulus, above(0), "Pa", "Young's modulus")
          .required()
          .number("poissonRatio", &M::poisson_ratio, at_least(0).up_to(0.499), "", "Poisson's ratio")
          .number("alpha", &M::alpha, at_least(0).up_to(1e6), "",
                  "Stiffness of the zero-energy control relative to the shear modulus, [ES] eq. 20; 0 = "
                  "none. 10 makes up for what gradients miss of bending and torsion at surfaces");
  return made;
}

const ParameterTable& ElasticSphParameters::table() {
  using P = ElasticSphParameters;
  static const ParameterTable made =
      ParameterRows<P>("system.elasticSph")
          .choice("solve", &P::solve,
                  {{"auto", ElasticSolve::automatic},
                   {"preconditioned", ElasticSolve::preconditioned},
                   {"split", ElasticSolve::split},
                   {"conjugateGradient", ElasticSolve::conjugate_gradient}},
                  "Solver of a step. preconditioned: conjugate gradients with the factored constant matrix. "
                  "conjugateGradient: with block Jacobi. auto: the one of these that takes less in this "
                  "scene. split: the solve of [ES] alg. 1")
          .choice("material", &P::law,
                  {{"corotated", ElasticLaw::corotated}, {"neoHookean", ElasticLaw::neo_hookean}},
                  "Energy. corotated, [ES] eq. 10 and 13: for small and moderate strains. neoHookean (Smith "
                  "et al. 2018), solved by Newton's method: for large strains")
          .choice("zeroEnergy", &P::zero_energy,
                  {{"implicit", ZeroEnergyControl::implicit_energy},
                   {"explicit", ZeroEnergyControl::explicit_force}},
                  "Control of zero-energy modes: implicit, [ES] eq. 20, or Ganzenmueller's explicit force")
          .choice("volumes", &P::volumes,
                  {{"mass", ElasticVolumes::mass}, {"summation", ElasticVolumes::summation}},
                  "Volume of a particle: mass / rest density, or by summation over its neighbors, [ES] eq. "
                  "5. Summation is too large at surfaces, so slender and thin bodies are too stiff")
          .number("elasticTimeStep", &P::elastic_time_step, at_least(0), "s",
                  "Time step of the factored matrix; 0 = timeStepSize, or maxTimeStepSize where timeStepSize "
                  "is 0")
          .number("smoothingLengthFactor", &P::smoothing_length_factor, at_least(0.6).up_to(3), "",
                  "Smoothing length / particle spacing; the support radius is twice the smoothing length")
          .integer("closestNeighbors", &P::closest_neighbors, at_least(0).up_to(1000), "",
                   "Number of nearest neighbors kept per particle; 0 = all within the support")
          .number("tolerance", &P::tolerance, above(0).up_to(1), "",
                  "Relative residual at which conjugate gradients stop")
          .integer("maxIterations", &P::max_iterations, at_least(1).up_to(1e6), "",
                   "Iteration cap; reaching it is reported")
          .number("factorMemory", &P::factor_memory, at_least(0), "B",
                  "Memory limit of all factors; 0 = no limit. Beyond it matrices are cut into parts; where "
                  "these do not fit, block Jacobi is the preconditioner")
          .integer(
              "factorParts", &P::factor_parts, at_least(0).up_to(1e6), "",
              "Parts of a body's matrix whose factors are the preconditioner; 1 = the matrix is factored "
              "whole. 0 = whole, or parts of 128 particles where whole exceeds factorMemory or takes longer")
          .choice("factorPrecision", &P::factor_precision,
                  {{"single", FactorPrecision::single}, {"half", FactorPrecision::half}},
                  "Numbers of factors that are preconditioners: 32 or 16 bits. 16 bits take half the memory "
                  "once made and some more iterations; split keeps 32 bits")
          .rule(
              "material",
              [](const P& p) { return p.law != ElasticLaw::neo_hookean || p.solve != ElasticSolve::split; },
              ", cannot be solved by \"solve\": \"split\"; use auto, preconditioned or conjugateGradient");
  return made;
}

}  // namespace merganser
