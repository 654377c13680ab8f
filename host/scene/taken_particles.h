#pragma once
/// Particles of another run that a scene starts from, by the names of systems and bodies.
#include <string>
#include <vector>

#include "solvers/core/initial_state.h"

namespace merganser {

struct TakenBody {
  std::string name;
  std::vector<Float3> position, velocity;  ///< [m], [m/s], in the order of their ids
};
struct TakenSystem {
  std::string name, type;
  double particle_radius = 0;  ///< [m] at the run's resolution
  std::vector<TakenBody> bodies;
};
struct TakenParticles {
  std::string source;  ///< for messages, such as "'runs/a/frames/frame_000012.vtkhdf'"
  std::vector<TakenSystem> systems;
};

/// Puts them in the place of the particles of bodies with the same names, in systems with the same names.
/// Other bodies of the scene stay as they were made. A fluid's body has as many particles as are taken; a
/// solid keeps its rest shape, masses and what holds it, and is there from the beginning. Throws InputError
/// where a system is of another type, has particles of another size or keeps more than places and velocities,
/// and where a solid has another number of particles.
void take_particles(const TakenParticles& taken, InitialState& state);

}  // namespace merganser
