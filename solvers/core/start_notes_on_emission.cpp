/// Notes of start_notes.h on emitters inside of bodies.
#include <map>

#include "solvers/base/parameter_table.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/method.h"
#include "solvers/core/nearest_image.h"
#include "solvers/core/start_discs.h"
#include "solvers/core/start_notes.h"

namespace merganser {

namespace {

/// Particles of the system that start nearer than a spacing to the disc, by body; across the period as well.
std::map<int, int> particles_at(const EmitterDisc& disc, const SystemState& system,
                                const InitialState& initial) {
  constexpr double rounding = 1e-3;
  const cpu::Vec3 period = cpu::to_vec3(initial.periodic_length);
  std::map<int, int> counts;
  for (size_t i = 0; i < system.position.size(); ++i) {
    const Float3& x = system.position[i];
    const cpu::Vec3d arm = cpu::Vec3d{x[0], x[1], x[2]} - disc.centre;
    const cpu::Vec3d nearest = to_double(nearest_image(to_float(arm), period));
    if (disc.distance_to(disc.centre + nearest) < (1 - rounding) * disc.spacing) ++counts[system.body[i]];
  }
  return counts;
}

}  // namespace

std::vector<std::string> notes_on_emission_into_bodies(const InitialState& initial) {
  std::vector<std::string> notes;
  const int count = static_cast<int>(initial.systems.size());
  for (int s = 0; s < count; ++s) {
    const SystemState& system = initial.systems[size_t(s)];
    if (system.method->may_overlap) continue;
    const double spacing = 2 * system.fluid.particle_radius;
    for (const EmitterParameters& emitter : system.emitters) {
      if (!has_disc(emitter, spacing)) continue;
      const EmitterDisc disc = disc_of(emitter, spacing);
      for (int other = 0; other < count; ++other) {
        const SystemState& fluid = initial.systems[size_t(other)];
        if (other != s && !(is_fluid(fluid) && solved_together(initial, s, other))) continue;
        for (const auto& [body, particles] : particles_at(disc, fluid, initial))
          notes.push_back("systems." + system.name + ".emitters." +
                          initial.bodies[size_t(emitter.body)].name + " emits into systems." + fluid.name +
                          ".bodies." + initial.bodies[size_t(body)].name + ": " + std::to_string(particles) +
                          " particles start nearer than " + number_text(spacing) +
                          " m, a spacing, to its disc; what is emitted there comes upon them and is flung "
                          "away; move the emitter out of the body, or leave room for it");
      }
    }
  }
  return notes;
}

}  // namespace merganser
