#include "host/scene/scene_bodies.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/mesh_file.h"
#include "host/scene/scene_keys.h"
#include "solvers/core/coordinate_range.h"
#include "solvers/geometry/sampling/closed_mesh.h"
#include "solvers/geometry/sampling/weld.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/methods/all_methods.h"

namespace merganser {

namespace {
/// Keys that bring a mesh to the origin.
const RangeRemedy mesh_remedy{"mesh (by translation, or by fitSize, which centres it)",
                              "simulation.particleRadius"};

/// Of a cloth, for vertices that a face names twice are no seam.
void expect_three_corners(const TriangleMesh& mesh, const std::string& path, const std::string& file) {
  for (const Triangle& t : mesh.triangles)
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
      throw InputError(path + ".geometryFile: a face of " + file + " names vertex " +
                       std::to_string((t[0] == t[1] ? t[0] : t[2]) + 1) + " twice; clean the mesh");
}
}  // namespace

std::unique_ptr<BodyParameters> read_body(const Json& body, const Method& method, const std::string& path,
                                          double spacing) {
  for (const BodyKind& kind : method.bodies) {
    if (kind.word != body["shape"]) continue;
    std::unique_ptr<BodyParameters> made = kind.make();
    read_parameters(body, kind.table, made.get());
    if (ShapeParameters* shape = made->meshed_shape()) {
      const std::string name = path + ".geometryFile (" + shape->file + ")";
      shape->mesh = read_mesh(shape->file, shape->mesh_transform());
      expect_in_range(farthest_place(shape->mesh, spacing, name), mesh_remedy);
      if (made->fills_its_mesh()) {
        make_closed(shape->mesh, name);
      } else {
        expect_three_corners(shape->mesh, path, shape->file);
        shape->welded = weld(shape->mesh, weld_tolerance);
      }
    }
    return made;
  }
  throw InputError(path + ".shape: is " + shown(body["shape"]) + "; systems of type " + method.word +
                   " do not have this shape");
}

TriangleMesh read_wall_mesh(const WallParameters& wall, double spacing, const std::string& name) {
  TriangleMesh mesh = read_mesh(wall.file, mesh_transform(wall));
  expect_in_range(nearest_place(mesh, spacing, name), mesh_remedy);
  return mesh;
}

SystemState read_system_keys(const Json& system) {
  SystemState made = new_system(system["type"]);
  made.name = system["name"];
  for (const Method::Keys& keys : made.method->keys)
    read_parameters(system, *keys.table, keys.bound_to(made));
  return made;
}

WallParameters read_wall(const Json& wall) {
  WallParameters p;
  const auto& tables = WallParameters::tables();
  for (size_t shape = 0; shape < tables.size(); ++shape) {
    if (tables[shape].kind != "wall." + wall["shape"].get<std::string>()) continue;
    p.shape = static_cast<WallShape>(shape);
    read_parameters(wall, tables[shape], &p);
  }
  return p;
}

EmitterParameters read_emitter(const Json& emitter) {
  EmitterParameters made;
  read_parameters(emitter, EmitterParameters::table(), &made);
  return made;
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
