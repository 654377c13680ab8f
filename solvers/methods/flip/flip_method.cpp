#include "solvers/core/method.h"
#include "solvers/methods/fluid/fluid_body.h"

namespace merganser {

Method flip_method() {
  return {
      .word = "flip",
      .type = SystemType::flip,
      .keys = {{&SphParameters::fluid_table(), [](SystemState& s) -> void* { return &s.sph; }},
               {&FlipParameters::table(), [](SystemState& s) -> void* { return &s.flip; }}},
      .bodies = FluidBody::kinds(),
      .bodies_meaning = "Initial fluid",
      .emits = true,
      .bound_step = [](const SystemState& system, const InitialState&, double speed, const StepBound& bound) {
        bound(system.flip.cfl * system.flip.cell_size * 2 * system.sph.particle_radius / speed,
              "cfl of " + system.name);
      }};
}

}  // namespace merganser
