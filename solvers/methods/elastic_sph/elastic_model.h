#pragma once
/// Common data of both solves for the velocities of elastic bodies.
#include <memory>
#include <optional>
#include <string>

#include "solvers/core/system.h"
#include "solvers/coupling/implicit/body_balance.h"
#include "solvers/coupling/implicit/contact_walls.h"
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/methods/elastic_sph/elastic_operator.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/elastic_sph/factored_bodies.h"
#include "solvers/methods/elastic_sph/solve_choice.h"

MERGANSER_BEGIN

/// Bodies of one system, their positions and their factored matrices. Local indices.
struct ElasticModel {
  /// Throws InputError where elasticTimeStep does not fit, and where `split` is asked for and the factors do
  /// not fit the memory allowed.
  ElasticModel(const SystemState& state, int system_index, const ParticleStore& particles,
               const RestShape& shape);

  /// Factors of preconditioned solves are kept in half precision.
  bool half_factors() const { return implicit() && parameters.factor_precision == FactorPrecision::half; }
  /// True where the factors solve A0 to rounding.
  bool exact_factors() const { return !half_factors() && factored->exact(); }
  bool implicit() const { return parameters.solve != ElasticSolve::split; }
  /// Makes the factors that `choice` wants from now on; where that is not possible, `too_large` says why.
  void make_wanted_factors(const ParticleStore& particles);
  /// [N s] that the tolerance of a solve over dt [s] refers to at least: a hundredth of the weights over it
  /// and a displacement of 1e-8 spacings in it. At the default tolerance forces of a millionth of the weight
  /// are left unanswered, at rest and nowhere else. (Rounding of the right side to float is a tenth of that.)
  double least_reference(const StepContext& step, double dt) const;
  /// The end of a solve, for `statistics`.
  void record_solve(int stage, const LinearSolveResult& result);

  int system_index;
  ElasticSphParameters parameters;
  std::string name;  ///< of the system
  ElasticOperator elastic;
  ExactPositions positions;
  BodyBalance balance;
  ContactWalls contact_walls;  ///< what walls gave within the step's solves
  std::unique_ptr<FactoredBodies> factored;
  std::optional<SolveChoice> choice;  ///< of `auto`
  std::string too_large;              ///< why there is no factor where one is asked for; else empty
  Array<Vec3> control_impulse;        ///< [N s] of the explicit zero-energy control in this step; empty: none
  SystemStatistics statistics;        ///< of the step's solves

 private:
  void measure_scales(const ParticleStore& particles);
  void make_factors(const RestShape& shape, const ParticleStore& particles);
  /// Whole where they fit and take less time; `cheap`: cut wherever that is allowed.
  void make_factors(const RestShape& shape, const ParticleStore& particles, bool cheap);
  double mass_norm_ = 0;                   ///< [kg] root of the sum of the squares of free particles' masses
  double spacing_ = 1e30;                  ///< [m] the least of the bodies'
  std::unique_ptr<RestShape> rest_shape_;  ///< of `auto`, until its factors are made
  SolveCosts factor_costs_{};              ///< of `auto`, from then on
};

MERGANSER_END
