/// Initial fluid.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/scene_bodies.h"
#include "solvers/sampling/shapes.h"

namespace merganser {

void add_fluid_body(const Json& body, const BodyContext& context, SystemState& system) {
  const Sampling sampling{.spacing = 2 * context.particle_radius,
                          .packing = body["packing"] == "cubic" ? Packing::cubic : Packing::hexagonal,
                          .jitter = body["jitter"],
                          .seed = context.seed + static_cast<std::uint32_t>(context.body)};
  const std::vector<Float3> points = fill_shape(body, sampling, context);
  const Point3 v = point_of(body["velocity"]);
  const Float3 velocity{float(v[0]), float(v[1]), float(v[2])};
  const float mass = static_cast<float>(system.sph.density0 * std::pow(sampling.spacing, 3));
  const size_t count = system.position.size() + points.size();
  system.position.insert(system.position.end(), points.begin(), points.end());
  system.velocity.resize(count, velocity);
  system.mass.resize(count, mass);
  system.radius.resize(count, static_cast<float>(context.particle_radius));
  system.immobile.resize(count, 0);
  system.body.resize(count, context.body);
}

}  // namespace merganser
