#include "host/scene/taken_particles.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/core/body.h"
#include "solvers/core/method.h"
#include "solvers/core/start_discs.h"

namespace merganser {

namespace {

const auto* by_name(const auto& list, const std::string& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

void expect_same_kind(const TakenParticles& taken, const TakenSystem& theirs, const SystemState& own,
                      double radius) {
  const std::string path = "systems." + own.name, from = " in " + taken.source;
  if (theirs.type != own.method->word)
    throw InputError(path + ".type: is \"" + own.method->word + "\", but \"" + theirs.type + "\"" + from +
                     "; --from takes particles of the same type: give that type, or the system another name");
  if (std::abs(theirs.particle_radius - radius) > 1e-6 * radius)
    throw InputError(path + ": its particles have a radius of " + number_text(radius) + " m, but " +
                     number_text(theirs.particle_radius) + " m" + from +
                     "; give the same simulation.particleRadius and --resolution");
  if (!own.method->starts_from_particles)
    throw InputError(path + ": --from cannot start it, for a system of type \"" + own.method->word +
                     "\" keeps more than places and velocities of its particles; continue its run with "
                     "--resume, or give the system another name to begin it anew");
}

/// A fluid with particles of another number: all lists anew.
void take_fluid(const TakenSystem& theirs, const std::vector<BodyInfo>& bodies, int index, double radius,
                SystemState& system) {
  SystemState made;
  const double mass = system.fluid.density0 * std::pow(2 * radius, 3);
  for (size_t b = 0; b < bodies.size(); ++b) {
    const int body = static_cast<int>(b);
    if (bodies[b].system != index) continue;
    if (const TakenBody* taken = by_name(theirs.bodies, bodies[b].name)) {
      for (size_t i = 0; i < taken->position.size(); ++i) {
        const Float3& v = taken->velocity[i];
        add_particle(made, taken->position[i], {v[0], v[1], v[2]}, mass, radius, false, body);
      }
      continue;
    }
    for (size_t i = 0; i < system.position.size(); ++i) {
      if (system.body[i] != body) continue;
      const Float3& v = system.velocity[i];
      add_particle(made, system.position[i], {v[0], v[1], v[2]}, system.mass[i], system.radius[i],
                   system.immobile[i] != 0, body);
    }
  }
  system.position = std::move(made.position);
  system.velocity = std::move(made.velocity);
  system.mass = std::move(made.mass);
  system.radius = std::move(made.radius);
  system.immobile = std::move(made.immobile);
  system.body = std::move(made.body);
}

void take_solid(const TakenParticles& taken, const TakenBody& theirs, int body, const std::string& path,
                SystemState& system) {
  std::vector<size_t> own;
  for (size_t i = 0; i < system.body.size(); ++i)
    if (system.body[i] == body) own.push_back(i);
  if (own.size() != theirs.position.size())
    throw InputError(path + ": has " + std::to_string(own.size()) + " particles, but " +
                     std::to_string(theirs.position.size()) + " in " + taken.source +
                     "; --from takes solids of the same shape and resolution");
  for (size_t k = 0; k < own.size(); ++k) {
    system.position[own[k]] = theirs.position[k];
    if (!system.immobile[own[k]]) system.velocity[own[k]] = theirs.velocity[k];
  }
  std::erase_if(system.late, [&](const LateBody& late) { return late.body == body; });
}

}  // namespace

void take_particles(const TakenParticles& taken, InitialState& state) {
  const double radius = state.particle_radius / state.resolution;
  bool any = false;
  for (size_t s = 0; s < state.systems.size(); ++s) {
    SystemState& system = state.systems[s];
    const TakenSystem* theirs = by_name(taken.systems, system.name);
    if (!theirs) continue;
    expect_same_kind(taken, *theirs, system, radius);
    if (!is_fluid(system) && system.rest_position.empty()) system.rest_position = system.position;
    for (size_t b = 0; b < state.bodies.size(); ++b) {
      const TakenBody* body = by_name(theirs->bodies, state.bodies[b].name);
      if (state.bodies[b].system != int(s) || !body || body->position.empty()) continue;
      any = true;
      if (!is_fluid(system))
        take_solid(taken, *body, int(b), "systems." + system.name + ".bodies." + body->name, system);
    }
    if (is_fluid(system)) take_fluid(*theirs, state.bodies, int(s), radius, system);
    begin_behind_own_fluid(system, state);
  }
  if (!any)
    throw InputError("--from: no body of the scene has particles in " + taken.source +
                     "; systems and bodies are found by their names");
}

}  // namespace merganser
