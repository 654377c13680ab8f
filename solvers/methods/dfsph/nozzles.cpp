#include "solvers/methods/dfsph/nozzles.h"

#include "solvers/core/emitter.h"

MERGANSER_BEGIN

void Nozzles::add(const SystemState& fluid, float length) {
  std::vector<Nozzle> all = nozzles_.to_host();
  for (const EmitterParameters& emitter : fluid.emitters) {
    const Point3& at = emitter.position;
    all.push_back({.disc = to_float(Vec3d{at[0], at[1], at[2]}),
                   .direction = to_float(direction_of(emitter)),
                   .velocity = emitted_velocity(emitter),
                   .length = length,
                   .body = emitter.body});
  }
  nozzles_.assign(all);
}

MERGANSER_END
