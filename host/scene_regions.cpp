/// Parts of bodies that a scene names by boxes.
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene_bodies.h"

namespace merganser {

std::vector<int> particles_in(const Json& region, const std::vector<Float3>& position, double radius,
                              const std::string& path) {
  const Point3 low = point_of(region["box"][0]), high = point_of(region["box"][1]);
  std::vector<int> found;
  for (double margin : {0.0, radius}) {
    if (!found.empty()) break;
    for (size_t i = 0; i < position.size(); ++i) {
      bool inside = true;
      for (size_t axis = 0; axis < 3; ++axis) {
        const double x = position[i][axis], slack = 1e-6 * (std::abs(x) + radius) + margin;
        inside = inside && x >= low[axis] - slack && x <= high[axis] + slack;
      }
      if (inside) found.push_back(static_cast<int>(i));
    }
  }
  if (found.empty())
    throw InputError(path + ".box: is " + shown(region["box"]) +
                     ", no particle of the body is in it; must hold at least one");
  return found;
}

void add_prescribed_motions(const Json& body, const std::vector<Float3>& position, double radius,
                            const std::string& path, SystemState& system, std::vector<char>& held) {
  const int offset = static_cast<int>(system.position.size());
  for (size_t m = 0; m < body["prescribed"].size(); ++m) {
    const Json& given = body["prescribed"][m];
    PrescribedMotion motion{
        .particles = particles_in(given, position, radius, path + ".prescribed." + std::to_string(m)),
        .velocity = point_of(given["velocity"]),
        .start_time = given["startTime"],
        .end_time = given["endTime"],
        .angular_velocity = point_of(given["angularVelocity"]),
        .centre = point_of(given["centre"])};
    for (int& i : motion.particles) {
      held[size_t(i)] = 1;
      i += offset;
    }
    system.prescribed.push_back(std::move(motion));
  }
}

std::vector<char> held_particles(const Json& body, const std::vector<Float3>& position,
                                 const BodyContext& context, SystemState& system) {
  std::vector<char> held(position.size(), 0);
  if (body["pinned"].is_array())
    for (size_t r = 0; r < body["pinned"].size(); ++r)
      for (int i : particles_in(body["pinned"][r], position, context.particle_radius,
                                context.path + ".pinned." + std::to_string(r)))
        held[size_t(i)] = 1;
  add_prescribed_motions(body, position, context.particle_radius, context.path, system, held);
  return held;
}

void add_lattice_particles(const Json& body, const std::vector<Float3>& position,
                           const std::vector<char>& held, const BodyContext& context, SystemState& system) {
  const Point3 v = point_of(body["velocity"]);
  const double spacing = 2 * context.particle_radius;
  const float mass = static_cast<float>(body["density0"].get<double>() * std::pow(spacing, 3));
  for (size_t i = 0; i < position.size(); ++i) {
    system.position.push_back(position[i]);
    system.velocity.push_back(held[i] ? Float3{0, 0, 0} : Float3{float(v[0]), float(v[1]), float(v[2])});
    system.mass.push_back(mass);
    system.radius.push_back(static_cast<float>(context.particle_radius));
    system.immobile.push_back(held[i]);
    system.body.push_back(context.body);
  }
}

}  // namespace merganser
