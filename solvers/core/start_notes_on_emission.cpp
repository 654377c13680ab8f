/// Notes of start_notes.h on emitters inside of bodies.
#include <map>

#include "solvers/base/parameter_table.h"
#include "solvers/core/method.h"
#include "solvers/core/start_discs.h"
#include "solvers/core/start_notes.h"

namespace merganser {

namespace {

/// Particles of the system that start nearer than a spacing to the disc, by body; across the period as well.
/// `own`: the body that waits for its own particles (begin_behind_own_fluid).
std::map<int, int> particles_at(const EmitterDisc& disc, int own, const SystemState& system,
                                const InitialState& initial) {
  std::map<int, int> counts;
  for (size_t i = 0; i < system.position.size(); ++i)
    if (system.body[i] != own && disc.comes_upon(disc.arm_to(system.position[i], initial.periodic_length)))
      ++counts[system.body[i]];
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
        for (const auto& [body, particles] : particles_at(disc, emitter.body, fluid, initial))
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
