/// How many particles the bodies will have, before any is made.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene_bodies.h"

namespace merganser {

namespace {

double length(const Point3& a) { return std::hypot(a[0], a[1], a[2]); }

Point3 difference(const Json& a, const Json& b) {
  const Point3 p = point_of(a), q = point_of(b);
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}

/// Particles along an edge, as make_sheet and ropes divide it: at least one cell.
double along(double edge, const Json& body, const BodyContext& context) {
  return std::max(1.0, std::round(edge * context.resolution / body["spacing"].get<double>())) + 1;
}

Sampling sampling_of(const Json& body, const BodyContext& context) {
  return {.spacing = 2 * context.particle_radius,
          .packing = body.value("packing", "cubic") == "hexagonal" ? Packing::hexagonal : Packing::cubic,
          .jitter = body.value("jitter", 0.0),
          .seed = context.seed};
}

}  // namespace

std::array<double, 2> particles_along(const Json& body, const BodyContext& context) {
  if (body["shape"] == "rope")
    return {along(length(difference(body["end"], body["start"])), body, context), 1};
  return {along(length(point_of(body["edgeU"])), body, context),
          along(length(point_of(body["edgeV"])), body, context)};
}

double expected_particles(const Json& body, const BodyContext& context) {
  if (body["shape"] == "clothMesh" || is_filled_mesh(body)) return 0;
  if (body.contains("stretchStiffness")) {
    const auto [u, v] = particles_along(body, context);
    return u * v;
  }
  return count_points(shape_of(body), sampling_of(body, context), context.looked_at);
}

void expect_particle_count(double particles, const BodyContext& context) {
  const double total = particles + context.particles_so_far;
  if (total <= most_particles) return;
  throw InputError(context.path + ": makes about " + shown(std::round(particles)) +
                   " particles and brings the scene to " + shown(std::round(total)) + "; at most " +
                   std::to_string(static_cast<long long>(most_particles)) +
                   " are allowed. Lower the resolution or raise simulation.particleRadius");
}

Point3 point_of(const Json& value) {
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

}  // namespace merganser
