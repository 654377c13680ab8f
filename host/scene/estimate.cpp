#include "host/scene/estimate.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "host/scene/scene_bodies.h"
#include "host/scene/scene_resolve.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/network_body.h"

namespace merganser {
namespace {

// Bytes per piece at the worst moment of a run on the host (initial state, set-up, a frame) and in device
// arrays, measured with two to three resolutions of the shipped scenes (tests/scenes/estimate_test.cpp).
struct Bytes {
  double host, device;
};
constexpr Bytes sph{200, 200}, flip{190, 275}, sheet{270, 270}, spring{25, 50}, triangle{45, 90};
constexpr Bytes brittle{190, 170}, bond{31, 12}, elastic{1100, 1560}, neighbor{33, 36};
constexpr double flip_cell = 80;  // with the coarser grids
constexpr double frame_particle = 60, frame_neighbor = 8, checkpoint_particle = 80, checkpoint_neighbor = 9;
constexpr double kept_checkpoints = 2;
constexpr double program = 30e6, openvdb = 30e6;  // without a particle

/// Names and paths may hold bytes that are not UTF-8.
std::string text_of(const Json& body) { return body.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// The shape or mesh that a body is made of; only sheets and ropes have none.
const ShapeParameters& shape_of(const BodyParameters& body) {
  if (const auto* cloth = dynamic_cast<const ClothMeshBody*>(&body)) return cloth->shape;
  return dynamic_cast<const FilledBody&>(body).shape;
}

double length(const Point3& a) { return std::hypot(a[0], a[1], a[2]); }
double sphere(double radius) { return 4 * std::numbers::pi / 3 * std::pow(radius, 3); }
double distance(const Float3& a, const Float3& b) {
  return std::hypot(double(b[0]) - a[0], double(b[1]) - a[1], double(b[2]) - a[2]);
}

/// A filled body as what follows needs it: lengths in spacings.
struct Filling {
  double particles, thinnest, longest;
  Point3 low, high;  ///< [m]
};

/// Non-zeros of the factor of an elastic body's matrix: a fit to nested dissections of balls of 4,000 to
/// 64,000 particles (solvers/linear/README.md), in which every particle of a compact body has a number that
/// grows with the body's width. A plate's separators are as long as the plate, at log(length) levels.
double factor_nonzeros(const Filling& body) {
  const double n = body.particles, width = std::min(body.thinnest, std::cbrt(n));
  const double second = std::max(width, n / (width * std::max(body.longest, 1.0)));
  const double per_particle =
      std::max(33 * width - 226, 20 * width + 60) * (1 + std::log2(std::max(1.0, second / width)));
  return std::min(n * per_particle, 0.5 * n * n);
}

/// Particles of one layer of an emitter's disc.
double disc_particles(double radius, double spacing) {
  const double room = (radius - 0.5 * spacing) / spacing + 1e-9;
  if (room < 0) return 0;
  if (room > 1000) return std::numbers::pi * room * room;
  double count = 0;
  for (int b = -int(room); b <= int(room); ++b) count += 2 * std::floor(std::sqrt(room * room - b * b)) + 1;
  return count;
}

}  // namespace

MeshSize size_of(const TriangleMesh& mesh) {
  MeshSize size{.vertices = double(mesh.vertices.size()),
                .triangles = double(mesh.triangles.size()),
                .volume = std::abs(mesh_volume(mesh)),
                .low = {1e300, 1e300, 1e300},
                .high = {-1e300, -1e300, -1e300}};
  for (const Triangle& t : mesh.triangles) {
    const Float3 &a = mesh.vertices[size_t(t[0])], &b = mesh.vertices[size_t(t[1])],
                 &c = mesh.vertices[size_t(t[2])];
    const double ab = distance(a, b), bc = distance(b, c), ca = distance(c, a), s = (ab + bc + ca) / 2;
    size.area += std::sqrt(std::max(0.0, s * (s - ab) * (s - bc) * (s - ca)));
  }
  for (const Float3& v : mesh.vertices)
    for (size_t axis = 0; axis < 3; ++axis) {
      size.low[axis] = std::min(size.low[axis], double(v[axis]));
      size.high[axis] = std::max(size.high[axis], double(v[axis]));
    }
  return size;
}

double bytes_of_filling(const MeshSize& mesh, double spacing) {
  return program + openvdb + 130 * mesh.volume / std::pow(spacing, 3) +
         130 * mesh.area / std::pow(0.5 * spacing, 2);
}

SceneEstimator::SceneEstimator(const Scene& scene)
    : scene_(std::make_shared<const Json>(parse_json(scene.resolved_json, scene.file.string()))),
      end_time_(scene.end_time),
      frame_rate_(scene.frame_rate) {
  resolution_ = (*scene_)["simulation"]["resolution"];
  for (size_t s = 0; s < (*scene_)["systems"].size(); ++s) {
    const Json& system = (*scene_)["systems"][s];
    for (size_t b = 0; b < system["bodies"].size(); ++b) {
      const Json& body = system["bodies"][b];
      const std::string path = element_path(element_path("systems", s, system) + ".bodies", b, body);
      auto read = read_body(body, *find_method(system["type"]), path);
      if (read->mesh_file()) meshes_[text_of(body)] = size_of(shape_of(*read).placed_mesh());
      if (read->mesh_file()) *read->mesh() = {};
      bodies_[text_of(body)] = std::move(read);
    }
  }
}

SystemEstimate SceneEstimator::system_at(const Json& system, double resolution, double looked_at) const {
  const Json& simulation = (*scene_)["simulation"];
  BodySite site;
  site.particle_radius = simulation["particleRadius"].get<double>() / resolution;
  site.resolution = resolution;
  site.looked_at =
      std::min<double>(looked_at, 1 << 18) / std::max<double>(1, double(system["bodies"].size()) / 4);
  const double spacing = site.spacing();
  SystemEstimate made{.name = system["name"], .type = system["type"]};
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  std::map<std::string, double> factors;  // of bodies with different matrices
  double largest_body = 0, largest_factor = 0, filling = 0;
  for (const Json& body : system["bodies"]) {
    BodyEstimate of_body{.name = body["name"]};
    const BodyParameters& parameters = *bodies_.at(text_of(body));
    if (made.type == "massSpring") {
      const double bending = body["bendingStiffness"];
      if (body["shape"] == "clothMesh") {
        const MeshSize& mesh = meshes_.at(text_of(body));
        of_body.particles = mesh.vertices;
        of_body.mass = mesh.area * body["arealDensity"].get<double>();
        made.triangles += mesh.triangles;
        made.springs += (bending > 0 ? 3.0 : 1.5) * mesh.triangles;  // a closed mesh has 3/2 edges a face
      } else if (const auto* sheet = dynamic_cast<const SheetBody*>(&parameters)) {
        const auto [u, v] = sheet->particles_along(resolution);
        of_body.particles = u * v;
        made.springs += (u - 1) * v + u * (v - 1);
        if (bending > 0) made.springs += std::max(0.0, u - 2) * v + u * std::max(0.0, v - 2);
        if (sheet->shear_stiffness > 0) made.springs += 2 * (u - 1) * (v - 1);
        made.triangles += 2 * (u - 1) * (v - 1);
        of_body.mass = length(sheet->edge_u) * length(sheet->edge_v) * sheet->areal_density;
      } else if (const auto* rope = dynamic_cast<const RopeBody*>(&parameters)) {
        of_body.particles = rope->expected_particles(site);
        made.springs += of_body.particles - 1 + (bending > 0 ? std::max(0.0, of_body.particles - 2) : 0);
        const Point3 &a = rope->start, &b = rope->end;
        of_body.mass = length({b[0] - a[0], b[1] - a[1], b[2] - a[2]}) * rope->line_density;
      }
      made.particles += of_body.particles;
      made.bodies.push_back(of_body);
      continue;
    }
    Filling filled{};
    if (parameters.mesh_file()) {
      const MeshSize& mesh = meshes_.at(text_of(body));
      const double side =
          std::max({mesh.high[0] - mesh.low[0], mesh.high[1] - mesh.low[1], mesh.high[2] - mesh.low[2]});
      filled = {mesh.volume / std::pow(spacing, 3), std::cbrt(mesh.volume) / spacing, side / spacing,
                mesh.low, mesh.high};
      filling = std::max(filling, bytes_of_filling(mesh, spacing));
    } else {
      const Shape shape = shape_of(parameters).shape();
      filled = {parameters.expected_particles(site), shape.thinnest / spacing, shape.longest / spacing,
                shape.low, shape.high};
    }
    filled.thinnest = std::max(1.0, filled.thinnest);
    of_body.particles = std::round(filled.particles);
    const double density = body.contains("density0") ? body["density0"] : system["density0"];
    of_body.mass = of_body.particles * density * std::pow(spacing, 3);
    for (size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], filled.low[axis]);
      high[axis] = std::max(high[axis], filled.high[axis]);
    }
    if (made.type == "peridynamics") {
      // Half the particles of a sphere of the horizon's radius each; thin bodies have fewer.
      const double horizon = system["horizonFactor"];
      made.bonds +=
          0.5 * of_body.particles * sphere(horizon) * std::min(1.0, 0.75 * filled.thinnest / horizon);
    }
    if (made.type == "elasticSph") {
      largest_body = std::max(largest_body, of_body.particles);
      Json alike = body;
      for (const char* key : {"name", "translation", "velocity", "start", "end", "centre"}) alike.erase(key);
      const double factor = factor_nonzeros(filled);
      factors[text_of(alike) + std::to_string(of_body.particles)] = factor;
      largest_factor = std::max(largest_factor, factor);
    }
    made.particles += of_body.particles;
    made.bodies.push_back(of_body);
  }
  if (system.contains("emitters"))
    for (const Json& emitter : system["emitters"]) {
      const double layer = disc_particles(emitter["radius"], spacing);
      const double from = emitter["startTime"], to = std::min(end_time_, emitter["endTime"].get<double>());
      const double layers =
          to < from ? 0 : std::floor((to - from) * emitter["velocity"].get<double>() / spacing) + 1;
      const double most = emitter["maxParticles"];
      if (layer > 0) made.emitted += std::min(layers, std::floor(most / layer)) * layer;
      made.layer += layer;
      ++made.emitters;
    }
  const double all = made.particles + made.emitted;
  const auto add = [&](double count, const Bytes& bytes) {
    made.host_bytes += count * bytes.host;
    made.device_bytes += count * bytes.device;
  };
  if (made.type == "sph") {
    add(all, sph);
    if (system["neighborhood"] == "topological") {
      made.neighbors = all * sphere(2 * system["smoothingLengthFactor"].get<double>());
      add(made.neighbors, neighbor);
    }
  } else if (made.type == "flip") {
    add(all, flip);
    // The grid around the fluid at the start, no larger than GridBounds makes it.
    double cells = 1;
    for (size_t axis = 0; axis < 3; ++axis)
      cells *= std::max(0.0, high[axis] - low[axis]) / (spacing * system["cellSize"].get<double>()) + 8;
    made.device_bytes += flip_cell * std::min({cells, std::max(double(1 << 22), 16 * all), double(1 << 29)});
  } else if (made.type == "massSpring") {
    add(all, sheet);
    add(made.springs, spring);
    add(made.triangles, triangle);
  } else if (made.type == "peridynamics") {
    add(all, brittle);
    add(made.bonds, bond);
  } else {
    add(all, elastic);
    double stored = 0;
    for (const auto& [body, nonzeros] : factors) stored += nonzeros;
    const double allowed = system["factorMemory"];
    if (system["solve"] != "conjugateGradient") {
      made.host_bytes += 2200 * largest_body;  // its matrix and the neighborhoods that it is made of
      if (!(allowed > 0) || 4 * stored <= allowed) {
        made.device_bytes += 4 * stored;
        made.host_bytes += 7.5 * largest_factor;  // fronts, in double
      }
    }
  }
  made.host_bytes += 48 * made.layer + filling;
  return made;
}

SceneEstimate SceneEstimator::at(double resolution, double looked_at) const {
  SceneEstimate estimate{.resolution = resolution, .host_bytes = program};
  double neighbors = 0;
  for (const Json& system : (*scene_)["systems"]) {
    const SystemEstimate made = system_at(system, resolution, looked_at);
    estimate.particles += made.particles;
    estimate.emitted += made.emitted;
    estimate.host_bytes += made.host_bytes;
    estimate.device_bytes += made.device_bytes;
    neighbors += made.neighbors;
    estimate.systems.push_back(made);
  }
  const double all = estimate.particles + estimate.emitted;
  estimate.frames = std::floor(end_time_ * frame_rate_ + 1e-6) + 1;
  estimate.disk_bytes = estimate.frames * (all * frame_particle + neighbors * frame_neighbor) +
                        kept_checkpoints * (all * checkpoint_particle + neighbors * checkpoint_neighbor);
  return estimate;
}

double SceneEstimator::resolution_within(double host_bytes, double device_bytes) const {
  const auto fits = [&](double resolution) {
    const SceneEstimate estimate = at(resolution, 0);
    if (estimate.particles + estimate.emitted > most_particles) return false;
    // Counts by volume are a little off: two per cent to spare.
    return device_bytes > 0
               ? estimate.host_bytes <= 0.98 * host_bytes && estimate.device_bytes <= 0.98 * device_bytes
               : estimate.host_bytes + estimate.device_bytes <= 0.98 * host_bytes;
  };
  double low = 1e-3, high = resolution_;
  if (!fits(low)) return 0;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  const double digit = std::pow(10.0, std::floor(std::log10(low)) - 1);
  return std::floor(low / digit) * digit;
}

}  // namespace merganser
