#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/methods/elastic_sph/elastic_body.h"
#include "solvers/methods/elastic_sph/elastic_estimate.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser {

namespace {

/// The matrix is factored for the fixed step, or for the largest.
void complete(SystemState& system, const SimulationParameters& simulation) {
  double& step = system.parameters.of<ElasticSphParameters>().elastic_time_step;
  if (step == 0) step = simulation.time_step > 0 ? simulation.time_step : simulation.max_time_step;
}

}  // namespace

Method elastic_sph_method() {
  return {.word = "elasticSph",
          .parameters = MethodParameters(ElasticSphParameters{}),
          .keys = {{&ElasticSphParameters::table()}, solid_keys()},
          .bodies = SoftSolidBody::kinds(),
          .bodies_meaning = "Soft solids",
          .bound_step =
              [](const SystemState& system, const InitialState&, double, const StepBound& bound) {
                const auto& p = system.parameters.of<ElasticSphParameters>();
                if (p.solve == ElasticSolve::split)
                  bound(p.elastic_time_step, "elasticTimeStep of " + system.name);
              },
          .estimate = estimate_elastic_sph,
          .expect_start = expect_before_walls,
          .complete = complete,
          .refuse_period = solid_refuses_period,
          .is_implicit =
              [](const SystemState& system) {
                return system.parameters.of<ElasticSphParameters>().solve != ElasticSolve::split;
              },
          .stabilizer = "a smaller youngsModulus"};
}

}  // namespace merganser
