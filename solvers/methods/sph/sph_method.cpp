#include <algorithm>

#include "solvers/core/method.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

Method sph_method() {
  return {
      .word = "sph",
      .type = SystemType::sph,
      .keys = {{&SphParameters::fluid_table(), [](SystemState& s) -> void* { return &s.sph; }},
               {&SphParameters::table(), [](SystemState& s) -> void* { return &s.sph; }}},
      .bodies = FluidBody::kinds(),
      .bodies_meaning = "Initial fluid",
      .emits = true,
      .bound_step = [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
        const SphParameters& p = system.sph;
        const double sound = p.sound_speed > 0 ? p.sound_speed : std::max(10.0 * speed, 10.0);
        const double h = p.smoothing_length_factor * 2 * p.particle_radius;
        bound(p.cfl * h / (sound + speed), "sound speed of " + system.name);
      }};
}

}  // namespace merganser
