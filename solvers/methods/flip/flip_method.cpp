#include "solvers/core/method.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

Method flip_method() {
  return {
      .word = "flip",
      .parameters = MethodParameters(FlipParameters{}),
      .is_fluid = true,
      .keys = {fluid_keys(), {&FlipParameters::table()}},
      .bodies = FluidBody::kinds(),
      .bodies_meaning = "initial fluid",
      .emits = true,
      .bound_step = [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
        const auto& p = system.parameters.of<FlipParameters>();
        bound(p.cfl * p.cell_size * 2 * system.fluid.particle_radius / speed, "cfl of " + system.name);
      }};
}

}  // namespace merganser
