#include "solvers/core/method.h"

namespace merganser {

Method mass_spring_method() {
  return {.word = "massSpring",
          .type = SystemType::mass_spring,
          .keys = {{&MassSpringParameters::table(), [](SystemState& s) -> void* { return &s.mass_spring; }}},
          .is_implicit = [](const SystemState&) { return true; }};
}

}  // namespace merganser
