#include "host/scene/scene_bodies.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/mesh_file.h"
#include "host/scene/scene_keys.h"

namespace merganser {

std::unique_ptr<BodyParameters> read_body(const Json& body, const Method& method, const std::string& path) {
  for (const BodyKind& kind : method.bodies) {
    if (kind.word != body["shape"]) continue;
    std::unique_ptr<BodyParameters> made = kind.make();
    read_parameters(body, kind.table, made.get());
    if (const std::string* file = made->mesh_file()) {
      *made->mesh() = read_mesh(*file);
      if (made->fills_its_mesh()) require_closed(*made->mesh(), path + ".geometryFile (" + *file + ")");
    }
    return made;
  }
  throw InputError(path + ".shape: is " + shown(body["shape"]) + "; systems of type " + method.word +
                   " do not have this shape");
}

void expect_particle_count(double particles, double so_far, const std::string& path) {
  const double total = particles + so_far;
  if (total <= most_particles) return;
  throw InputError(path + ": makes about " + shown(std::round(particles)) +
                   " particles and brings the scene to " + shown(std::round(total)) + "; at most " +
                   std::to_string(static_cast<long long>(most_particles)) +
                   " are allowed. Lower the resolution or raise simulation.particleRadius");
}

Point3 point_of(const Json& value) {
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

}  // namespace merganser
