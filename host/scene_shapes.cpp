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

MeshTransform placement_of(const Json& body) {
  if (body["shape"] == "sphere")
    return {.rotation_axis = point_of(body["rotationAxis"]),
            .rotation_angle = body["rotationAngle"],
            .translation = sum(point_of(body["centre"]), point_of(body["translation"])),
            .fit_size = 2 * body["radius"].get<double>()};
  return {.scale = point_of(body["scale"]),
          .rotation_axis = point_of(body["rotationAxis"]),
          .rotation_angle = body["rotationAngle"],
          .translation = point_of(body["translation"]),
          .fit_size = body["fitSize"]};
}

}  // namespace

bool is_filled_mesh(const Json& body) {
  return body["shape"] == "mesh" || (body["shape"] == "sphere" && body.contains("geometryFile"));
}

TriangleMesh filled_mesh(const Json& body, const BodyContext& context) {
  const std::filesystem::path file = body["geometryFile"].get<std::string>();
  TriangleMesh mesh = read_mesh(file);
  require_closed(mesh, context.path + ".geometryFile (" + file.string() + ")");
  transform(mesh, placement_of(body));
  return mesh;
}

Shape shape_of(const Json& body) {
  const std::string shape = body["shape"];
  const Point3 shift = point_of(body["translation"]);
  const auto placed = [&](const char* key) { return sum(point_of(body[key]), shift); };
  if (shape == "box") return box_shape(placed("start"), placed("end"));
  if (shape == "sphere") return sphere_shape(placed("centre"), body["radius"]);
  if (shape == "cylinder") return cylinder_shape(placed("start"), placed("end"), body["radius"]);
  if (shape == "torus")
    return torus_shape(placed("centre"), point_of(body["axis"]), body["majorRadius"], body["minorRadius"]);
  return bowl_shape(placed("centre"), body["outerRadius"], body["thickness"], body["rimHeight"]);
}

std::vector<Float3> fill_shape(const Json& body, const Sampling& sampling, const BodyContext& context) {
  if (!is_filled_mesh(body)) return sample_shape(shape_of(body), sampling);
  const TriangleMesh mesh = filled_mesh(body, context);
  expect_particle_count(std::abs(mesh_volume(mesh)) / std::pow(sampling.spacing, 3), context);
  return sample_mesh(mesh, sampling);
}

}  // namespace merganser
