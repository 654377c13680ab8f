/// How many particles the bodies will have, before any is made.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "device/errors.h"
#include "host/scene_bodies.h"

namespace merganser {

namespace {

double length(const Point3& a) { return std::hypot(a[0], a[1], a[2]); }

Point3 difference(const Json& a, const Json& b) {
  const Point3 p = point_of(a), q = point_of(b);
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}

double volume_of(const Json& body) {
  const std::string shape = body["shape"];
  constexpr double pi = std::numbers::pi;
  if (shape == "box") {
    const Point3 side = difference(body["end"], body["start"]);
    return side[0] * side[1] * side[2];
  }
  if (shape == "cylinder")
    return pi * std::pow(body["radius"].get<double>(), 2) * length(difference(body["end"], body["start"]));
  if (shape == "torus")
    return 2 * pi * pi * body["majorRadius"].get<double>() * std::pow(body["minorRadius"].get<double>(), 2);
  if (shape == "bowl") {
    const double outer = body["outerRadius"], thickness = body["thickness"];
    return 4 * pi / 3 * (std::pow(outer, 3) - std::pow(outer - thickness, 3));
  }
  if (shape == "sphere" && !body.contains("geometryFile"))
    return 4 * pi / 3 * std::pow(body["radius"].get<double>(), 3);
  return 0;
}

double solid_particles(const Json& body, double resolution) {
  if (body["shape"] == "clothMesh") return 0;
  const double per_length = resolution / body["spacing"].get<double>();
  if (body["shape"] == "rope") return length(difference(body["end"], body["start"])) * per_length + 1;
  return (length(point_of(body["edgeU"])) * per_length + 1) *
         (length(point_of(body["edgeV"])) * per_length + 1);
}

}  // namespace

double expected_particles(const Json& body, const BodyContext& context) {
  if (body.contains("stretchStiffness")) return solid_particles(body, context.resolution);
  return volume_of(body) / std::pow(2 * context.particle_radius, 3);
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
