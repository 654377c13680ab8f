/// Solids of a peridynamics system.
#include <nlohmann/json.hpp>

#include "host/scene_bodies.h"

namespace merganser {

namespace {

PeridynamicMaterial read_material(const Json& body, int index, double spacing) {
  PeridynamicMaterial material;
  material.body = index;
  material.density = body["density0"];
  material.spacing = spacing;
  material.bulk_modulus = body["youngsModulus"].get<double>() / 1.5;
  material.fracture_energy = body["fractureEnergy"];
  const double critical_stretch = body["criticalStretch"];
  if (critical_stretch > 0 || material.fracture_energy > 0) material.critical_stretch = critical_stretch;
  material.stretch_scatter = body["criticalStretchScatter"];
  return material;
}

}  // namespace

void add_brittle_body(const Json& body, const BodyContext& context, SystemState& system) {
  const double spacing = 2 * context.particle_radius;
  const std::vector<Float3> points =
      fill_shape(body, {.spacing = spacing, .packing = Packing::cubic, .jitter = 0, .seed = 0}, context);
  const std::vector<char> held = held_particles(body, points, context, system);

  PeridynamicsParameters& parameters = system.peridynamics;
  parameters.materials.push_back(read_material(body, context.body, spacing));
  const Point3 shift = point_of(body["translation"]);
  for (const Json& crack : body["preCracks"]) {
    Point3 corner = point_of(crack["corner"]);
    for (size_t axis = 0; axis < 3; ++axis) corner[axis] += shift[axis];
    parameters.pre_cracks.push_back(
        {context.body, corner, point_of(crack["edgeU"]), point_of(crack["edgeV"])});
  }
  const int offset = static_cast<int>(system.position.size());
  for (size_t l = 0; l < body["loads"].size(); ++l) {
    const Json& given = body["loads"][l];
    PeridynamicLoad load{.particles = particles_in(given, points, context.particle_radius,
                                                   context.path + ".loads." + std::to_string(l)),
                         .acceleration = point_of(given["acceleration"]),
                         .start_time = given["startTime"],
                         .end_time = given["endTime"]};
    for (int& i : load.particles) i += offset;
    parameters.loads.push_back(std::move(load));
  }
  add_lattice_particles(body, points, held, context, system);
}

}  // namespace merganser
