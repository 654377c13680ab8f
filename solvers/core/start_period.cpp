#include "solvers/core/start_period.h"

#include <algorithm>

#include "solvers/base/to_vec3.h"
#include "solvers/core/nearest_image.h"

namespace merganser {

bool is_periodic(const SimulationParameters& simulation) {
  const Point3& length = simulation.periodic_length;
  return std::any_of(length.begin(), length.end(), [](double period) { return period > 0; });
}

Float3 in_domain(const Float3& place, const SimulationParameters& simulation) {
  const cpu::Vec3 x =
      cpu::into_period({place[0], place[1], place[2]}, cpu::to_vec3(simulation.periodic_origin),
                       cpu::to_vec3(simulation.periodic_length));
  return {x.x, x.y, x.z};
}

void bring_into_domain(InitialState& initial) {
  if (!is_periodic(initial)) return;
  for (SystemState& system : initial.systems)
    for (Float3& x : system.position) x = in_domain(x, initial);
}

}  // namespace merganser
