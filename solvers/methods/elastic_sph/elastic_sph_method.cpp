#include "solvers/core/method.h"
#include "solvers/methods/elastic_sph/elastic_body.h"

namespace merganser {

Method elastic_sph_method() {
  return {.word = "elasticSph",
          .type = SystemType::elastic_sph,
          .keys = {{&ElasticSphParameters::table(), [](SystemState& s) -> void* { return &s.elastic_sph; }},
                   solid_keys()},
          .bodies = SoftSolidBody::kinds(),
          .bodies_meaning = "Soft solids",
          .bound_step =
              [](const SystemState& system, const InitialState&, double, const StepBound& bound) {
                if (system.elastic_sph.solve == ElasticSolve::split)
                  bound(system.elastic_sph.elastic_time_step, "elasticTimeStep of " + system.name);
              },
          .is_implicit = [](const SystemState& s) { return s.elastic_sph.solve != ElasticSolve::split; }};
}

}  // namespace merganser
