#include "solvers/core/method.h"
#include "solvers/core/start_checks.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/network_body.h"

namespace merganser {

namespace {

void estimate(const SystemState&, double, SystemEstimate& made) {
  constexpr PieceBytes particle{270, 270}, spring{25, 50}, triangle{45, 90};
  made.add(made.all_particles(), particle);
  made.add(made.springs, spring);
  made.add(made.triangles, triangle);
}

}  // namespace

Method mass_spring_method() {
  return {.word = "massSpring",
          .parameters = MethodParameters(MassSpringParameters{}),
          .keys = {solid_keys(), {&MassSpringParameters::table()}},
          .bodies = NetworkBody::kinds(),
          .bodies_meaning = "Cloths and ropes",
          .estimate = estimate,
          .expect_start = expect_before_walls,
          .refuse_period = solid_refuses_period,
          .is_implicit = [](const SystemState&) { return true; },
          .stabilizer = "softer springs or more springDamping"};
}

}  // namespace merganser
