#include "solvers/flip/check_parameters.h"

#include <cmath>
#include <string>

#include "device/errors.h"

MERGANSER_BEGIN

namespace {
void require(bool good, const std::string& system, const char* key, double value, const char* allowed) {
  if (!good)
    throw InputError("system '" + system + "': flip." + key + " is " + std::to_string(value) +
                     ", but must be " + allowed);
}
}  // namespace

void check_flip_parameters(const SystemState& state, const InitialState& initial) {
  const FlipParameters& p = state.flip;
  require(state.sph.density0 > 0, state.name, "density0", state.sph.density0, "positive");
  require(state.sph.particle_radius > 0, state.name, "particleRadius", state.sph.particle_radius, "positive");
  require(p.flip_blend >= 0 && p.flip_blend <= 1, state.name, "flipBlend", p.flip_blend, "between 0 and 1");
  require(p.cell_size >= 1 && p.cell_size <= 4, state.name, "cellSize", p.cell_size, "between 1 and 4");
  require(p.tolerance > 0 && p.tolerance < 1, state.name, "tolerance", p.tolerance, "above 0 and below 1");
  require(p.max_iterations >= 1, state.name, "maxIterations", p.max_iterations, "at least 1");
  require(p.cfl > 0 && p.cfl <= 5, state.name, "cfl", p.cfl, "above 0 and at most 5");
  require(p.volume_correction >= 0 && p.volume_correction <= 10, state.name, "volumeCorrection",
          p.volume_correction, "between 0 (off) and 10");
  for (double period : initial.periodic_length)
    if (period > 0)
      throw InputError("system '" + state.name +
                       "': a FLIP fluid has no periodic axes; set simulation.periodic.length to [0, 0, 0] or "
                       "use an SPH fluid");
  const double mass = state.sph.density0 * std::pow(2 * state.sph.particle_radius, 3);
  for (float m : state.mass)
    if (std::abs(m - mass) > 1e-3 * mass)
      throw InputError("system '" + state.name + "': a fluid particle weighs " + std::to_string(m) +
                       " kg, but density0 (2 particleRadius)^3 is " + std::to_string(mass) + " kg");
}

MERGANSER_END
