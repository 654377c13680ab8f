/// Initial fluid.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "device/errors.h"
#include "host/scene_bodies.h"
#include "solvers/sampling/mesh.h"
#include "solvers/sampling/shapes.h"

namespace merganser {

namespace {

Point3 sum(const Point3& a, const Point3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

double distance(const Point3& a, const Point3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

std::vector<Float3> fill_mesh(const Json& body, const MeshTransform& placement, const Sampling& sampling, const BodyContext& context) {
  const std::filesystem::path file = body["geometryFile"].get<std::string>();
  TriangleMesh mesh = read_mesh(file);
  require_closed(mesh, context.path + ".geometryFile (" + file.string() + ")");
  transform(mesh, placement);
  expect_particle_count(std::abs(mesh_volume(mesh)) / std::pow(sampling.spacing, 3), context);
  return sample_mesh(mesh, sampling);
}

std::vector<Float3> fill(const Json& body, const Sampling& sampling, const BodyContext& context) {
  const std::string shape = body["shape"];
  const Point3 shift = point_of(body["translation"]);
  auto placed = [&](const char* key) { return sum(point_of(body[key]), shift); };
  auto expect_volume = [&](double volume) { expect_particle_count(volume / std::pow(sampling.spacing, 3), context); };
  constexpr double pi = std::numbers::pi;
  if (shape == "box") {
    const Point3 low = placed("start"), high = placed("end");
    expect_volume((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]));
    return sample_box(low, high, sampling);
  }
  if (shape == "sphere") {
    const double radius = body["radius"];
    if (body.contains("geometryFile"))
      return fill_mesh(body,
                       {.rotation_axis = point_of(body["rotationAxis"]),
                        .rotation_angle = body["rotationAngle"],
                        .translation = placed("centre"),
                        .fit_size = 2 * radius},
                       sampling, context);
    expect_volume(4 * pi / 3 * std::pow(radius, 3));
    return sample_sphere(placed("centre"), radius, sampling);
  }
  if (shape == "cylinder") {
    const double radius = body["radius"];
    expect_volume(pi * radius * radius * distance(placed("start"), placed("end")));
    return sample_cylinder(placed("start"), placed("end"), radius, sampling);
  }
  if (shape == "torus") {
    const double major = body["majorRadius"], minor = body["minorRadius"];
    expect_volume(2 * pi * pi * major * minor * minor);
    return sample_torus(placed("centre"), point_of(body["axis"]), major, minor, sampling);
  }
  if (shape == "bowl") {
    const double outer = body["outerRadius"], thickness = body["thickness"];
    expect_volume(4 * pi / 3 * (std::pow(outer, 3) - std::pow(outer - thickness, 3)));
    return sample_bowl(placed("centre"), outer, thickness, body["rimHeight"], sampling);
  }
  return fill_mesh(body,
                   {.scale = point_of(body["scale"]),
                    .rotation_axis = point_of(body["rotationAxis"]),
                    .rotation_angle = body["rotationAngle"],
                    .translation = shift,
                    .fit_size = body["fitSize"]},
                   sampling, context);
}

}  // namespace

void expect_particle_count(double expected, const BodyContext& context) {
  const double total = expected + static_cast<double>(context.particles_so_far);
  if (total <= static_cast<double>(most_particles)) return;
  throw InputError(context.path + ": makes about " + std::to_string(expected) + " particles; a scene may have at most " +
                   std::to_string(most_particles) + " in all. Lower the resolution or raise simulation.particleRadius");
}

Point3 point_of(const Json& value) { return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()}; }

void add_fluid_body(const Json& body, const BodyContext& context, SystemState& system) {
  const Sampling sampling{.spacing = 2 * context.particle_radius,
                          .packing = body["packing"] == "cubic" ? Packing::cubic : Packing::hexagonal,
                          .jitter = body["jitter"],
                          .seed = context.seed + static_cast<std::uint32_t>(context.body)};
  const std::vector<Float3> points = fill(body, sampling, context);
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
