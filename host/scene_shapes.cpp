/// Shapes filled with particles.
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/mesh_file.h"
#include "host/scene_bodies.h"
#include "solvers/sampling/shapes.h"

namespace merganser {

namespace {

Point3 sum(const Point3& a, const Point3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

std::vector<Float3> fill_mesh(const Json& body, const MeshTransform& placement, const Sampling& sampling,
                              const BodyContext& context) {
  const std::filesystem::path file = body["geometryFile"].get<std::string>();
  TriangleMesh mesh = read_mesh(file);
  require_closed(mesh, context.path + ".geometryFile (" + file.string() + ")");
  transform(mesh, placement);
  expect_particle_count(std::abs(mesh_volume(mesh)) / std::pow(sampling.spacing, 3), context);
  return sample_mesh(mesh, sampling);
}

}  // namespace

std::vector<Float3> fill_shape(const Json& body, const Sampling& sampling, const BodyContext& context) {
  const std::string shape = body["shape"];
  const Point3 shift = point_of(body["translation"]);
  auto placed = [&](const char* key) { return sum(point_of(body[key]), shift); };
  if (shape == "box") return sample_box(placed("start"), placed("end"), sampling);
  if (shape == "sphere") {
    const double radius = body["radius"];
    if (body.contains("geometryFile"))
      return fill_mesh(body,
                       {.rotation_axis = point_of(body["rotationAxis"]),
                        .rotation_angle = body["rotationAngle"],
                        .translation = placed("centre"),
                        .fit_size = 2 * radius},
                       sampling, context);
    return sample_sphere(placed("centre"), radius, sampling);
  }
  if (shape == "cylinder") return sample_cylinder(placed("start"), placed("end"), body["radius"], sampling);
  if (shape == "torus")
    return sample_torus(placed("centre"), point_of(body["axis"]), body["majorRadius"], body["minorRadius"],
                        sampling);
  if (shape == "bowl")
    return sample_bowl(placed("centre"), body["outerRadius"], body["thickness"], body["rimHeight"], sampling);
  return fill_mesh(body,
                   {.scale = point_of(body["scale"]),
                    .rotation_axis = point_of(body["rotationAxis"]),
                    .rotation_angle = body["rotationAngle"],
                    .translation = shift,
                    .fit_size = body["fitSize"]},
                   sampling, context);
}

}  // namespace merganser
