#include "solvers/sph/check_parameters.h"

#include <cmath>
#include <string>

#include "device/errors.h"

MERGANSER_BEGIN

namespace {
void require(bool good, const std::string& system, const char* key, double value, const char* allowed) {
  if (!good)
    throw InputError("system '" + system + "': sph." + key + " is " + std::to_string(value) +
                     ", but must be " + allowed);
}
}  // namespace

void check_neighborhood(const SystemState& state, const Point3& periodic_length) {
  if (state.sph.neighborhood == Neighborhood::topological &&
      (periodic_length[0] > 0 || periodic_length[1] > 0 || periodic_length[2] > 0))
    throw InputError("system '" + state.name +
                     "': sph.neighborhood is topological, which knows no periodic domain; use euclidean or "
                     "leave simulation.periodic out");
}

void check_sph_parameters(const SystemState& state) {
  const SphParameters& p = state.sph;
  require(p.density0 > 0, state.name, "density0", p.density0, "positive");
  require(p.particle_radius > 0, state.name, "particleRadius", p.particle_radius, "positive");
  require(p.smoothing_length_factor >= 0.8 && p.smoothing_length_factor <= 4, state.name,
          "smoothingLengthFactor", p.smoothing_length_factor, "between 0.8 and 4");
  require(p.sound_speed >= 0, state.name, "soundSpeed", p.sound_speed, "0 (derived) or positive");
  require(p.gamma >= 1, state.name, "gamma", p.gamma, "at least 1");
  require(p.viscosity >= 0, state.name, "viscosity", p.viscosity, "0 or positive");
  require(p.xsph >= 0 && p.xsph <= 1, state.name, "xsph", p.xsph, "between 0 and 1");
  require(p.density_diffusion >= 0, state.name, "densityDiffusion", p.density_diffusion, "0 or positive");
  require(p.cfl > 0 && p.cfl <= 1, state.name, "cfl", p.cfl, "above 0 and at most 1");
  require(p.topology_frames >= 0, state.name, "topologyFrames", p.topology_frames, "0 or positive");
  require(p.topology_distance > 0 && p.topology_distance <= 1, state.name, "topologyDistance",
          p.topology_distance, "above 0 and at most 1");
  require(p.topology_fusion_time >= 0, state.name, "topologyFusionTime", p.topology_fusion_time,
          "0 or positive");
  const double mass = p.density0 * std::pow(2 * p.particle_radius, 3);
  for (float m : state.mass)
    if (std::abs(m - mass) > 1e-3 * mass)
      throw InputError("system '" + state.name + "': a fluid particle weighs " + std::to_string(m) +
                       " kg, but density0 (2 particleRadius)^3 is " + std::to_string(mass) + " kg");
}

MERGANSER_END
