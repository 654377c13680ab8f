#include "solvers/core/coordinate_range.h"

#include <algorithm>
#include <cmath>

namespace merganser {

static double largest(const auto& x) {
  return std::max({std::abs(double(x[0])), std::abs(double(x[1])), std::abs(double(x[2]))});
}

FarthestPlace farthest_place(const SystemState& system, const InitialState& initial) {
  FarthestPlace found;
  const auto look_at = [&](double coordinate, double radius, const char* kind, int body) {
    if (coordinate / radius <= found.in_radii()) return;
    found = {coordinate, radius,
             "systems." + system.name + "." + kind + "." + initial.bodies[size_t(body)].name};
  };
  for (size_t i = 0; i < system.position.size(); ++i)
    look_at(largest(system.position[i]), system.radius[i], "bodies", system.body[i]);
  for (const EmitterParameters& emitter : system.emitters)
    look_at(largest(emitter.position), system.fluid.particle_radius, "emitters", emitter.body);
  return found;
}

}  // namespace merganser
