/// Solids of an elastic SPH system.
#include <nlohmann/json.hpp>

#include "host/scene_bodies.h"

namespace merganser {

void add_elastic_body(const Json& body, const BodyContext& context, SystemState& system) {
  const double spacing = 2 * context.particle_radius;
  const Sampling sampling{.spacing = spacing,
                          .packing = body["packing"] == "cubic" ? Packing::cubic : Packing::hexagonal,
                          .jitter = body["jitter"],
                          .seed = context.seed};
  const std::vector<Float3> points = fill_shape(body, sampling, context);
  system.elastic_sph.materials.push_back({.body = context.body,
                                          .spacing = spacing,
                                          .youngs_modulus = body["youngsModulus"],
                                          .poisson_ratio = body["poissonRatio"],
                                          .alpha = body["alpha"]});
  const std::vector<char> held = held_particles(body, points, context, system);
  const double most = body["displacement"];
  std::vector<Float3> start =
      most > 0 ? displaced(points, most, context.seed + 977u * unsigned(context.body)) : points;
  for (size_t i = 0; i < points.size(); ++i)
    if (held[i]) start[i] = points[i];
  system.rest_position.insert(system.rest_position.end(), points.begin(), points.end());
  add_lattice_particles(body, start, held, context, system);
}

}  // namespace merganser
