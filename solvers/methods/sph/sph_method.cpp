#include <algorithm>

#include "solvers/core/method.h"
#include "solvers/methods/fluid/fluid_body.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

Method sph_method() {
  return {
      .word = "sph",
      .parameters = MethodParameters(SphParameters{}),
      .is_fluid = true,
      .keys = {fluid_keys(), {&SphParameters::table()}},
      .bodies = FluidBody::kinds(),
      .bodies_meaning = "initial fluid",
      .emits = true,
      .bound_step = [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
        const auto& p = system.parameters.of<SphParameters>();
        const double sound = p.sound_speed > 0 ? p.sound_speed : std::max(10.0 * speed, 10.0);
        const double h = p.smoothing_length_factor * 2 * system.fluid.particle_radius;
        bound(p.cfl * h / (sound + speed), "sound speed of " + system.name);
      }};
}

}  // namespace merganser
