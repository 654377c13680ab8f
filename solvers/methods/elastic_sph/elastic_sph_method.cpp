#include "solvers/core/method.h"
#include "solvers/methods/elastic_sph/elastic_body.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser {

Method elastic_sph_method() {
  return {.word = "elasticSph",
          .parameters = MethodParameters(ElasticSphParameters{}),
          .keys = {{&ElasticSphParameters::table()}, solid_keys()},
          .bodies = SoftSolidBody::kinds(),
          .bodies_meaning = "soft solids",
          .bound_step =
              [](const SystemState& system, const InitialState&, double, const StepBound& bound) {
                const auto& p = system.parameters.of<ElasticSphParameters>();
                if (p.solve == ElasticSolve::split)
                  bound(p.elastic_time_step, "elasticTimeStep of " + system.name);
              },
          .is_implicit =
              [](const SystemState& system) {
                return system.parameters.of<ElasticSphParameters>().solve != ElasticSolve::split;
              }};
}

}  // namespace merganser
