#include "solvers/core/method.h"
#include "solvers/methods/mass_spring/network_body.h"

namespace merganser {

Method mass_spring_method() {
  return {.word = "massSpring",
          .type = SystemType::mass_spring,
          .keys = {{&MassSpringParameters::table(), [](SystemState& s) -> void* { return &s.mass_spring; }},
                   solid_keys()},
          .bodies = NetworkBody::kinds(),
          .bodies_meaning = "Cloths and ropes",
          .is_implicit = [](const SystemState&) { return true; }};
}

}  // namespace merganser
