#include "solvers/core/method.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/network_body.h"

namespace merganser {

Method mass_spring_method() {
  return {.word = "massSpring",
          .parameters = MethodParameters(MassSpringParameters{}),
          .keys = {{&MassSpringParameters::table()}, solid_keys()},
          .bodies = NetworkBody::kinds(),
          .bodies_meaning = "cloths and ropes",
          .is_implicit = [](const SystemState&) { return true; }};
}

}  // namespace merganser
