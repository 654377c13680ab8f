#include "solvers/core/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "device/particle_store.h"
#include "solvers/core/method.h"

namespace merganser {

double disc_particles(double radius, double spacing) {
  const double reach = radius / spacing;
  return reach + 1e-9 < 0.5 ? 0 : std::numbers::pi * reach * reach;
}

double particles_of_layers(double layers, double of_one) { return std::floor(layers * of_one + 0.5); }

namespace {

constexpr double layer_bytes = 48;  // of a particle of an emitter's disc, on the host
// Of a particle: two frames that wait (host/simulation/frame.cpp), and one that is put in order and written.
constexpr double frame_bytes = 2 * 52 + 200;

void add_emitter(const EmitterParameters& emitter, double spacing, double end_time, SystemEstimate& made) {
  const double layer = disc_particles(emitter.radius, spacing);
  const double from = emitter.start_time, to = std::min(end_time, emitter.end_time);
  const double layers = to < from ? 0 : std::floor((to - from) * emitter.velocity / spacing) + 1;
  const double most = std::ceil((emitter.max_particles + 0.5) / layer) - 1;
  if (layer > 0) made.emitted += particles_of_layers(std::min(layers, most), layer);
  made.layer += layer;
  made.flow += layer * spacing * spacing * emitter.velocity;
  ++made.emitters;
}

}  // namespace

double ball_volume(double radius) { return 4 * std::numbers::pi / 3 * std::pow(radius, 3); }

double spare_bytes(double particles) {
  return particles > MERGANSER_BACKEND::ParticleStore::most_at_once ? 20 : 48;
}

SystemEstimate estimate_system(const SystemState& system, const std::vector<NamedBody>& bodies,
                               const BodySite& site, double end_time) {
  SystemEstimate made{.name = system.name, .type = system.method->word};
  double filling = 0;
  for (const NamedBody& body : bodies) {
    BodyEstimate one = body.parameters->estimate(site, system);
    one.name = body.name;
    one.parameters = body.parameters;
    made.particles += one.particles;
    made.springs += one.springs;
    made.triangles += one.triangles;
    filling = std::max(filling, one.filling_bytes);
    made.bodies.push_back(std::move(one));
  }
  for (const EmitterParameters& emitter : system.emitters)
    add_emitter(emitter, site.spacing(), end_time, made);
  if (system.method->estimate) system.method->estimate(system, site.spacing(), made);
  made.host_bytes += layer_bytes * made.layer + filling + frame_bytes * made.all_particles();
  return made;
}

}  // namespace merganser
