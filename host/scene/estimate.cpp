#include "host/scene/estimate.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "host/scene/mesh_file.h"
#include "host/scene/scene_bodies.h"
#include "host/scene/scene_resolve.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/methods/all_methods.h"

namespace merganser {
namespace {

// Bytes of a frame and of a checkpoint.
constexpr double frame_particle = 60, frame_neighbor = 8, checkpoint_particle = 80, checkpoint_neighbor = 9;
constexpr double kept_checkpoints = 2;
// Bytes a particle of what probes compute with.
constexpr double flow_bytes = 12, field_bytes = 4, level_bytes = 12;

/// Bytes a particle: a copy of the positions for each flow, one field for all pressures, one for all
/// densities, and what all water levels share.
double probe_bytes(const Json& probes) {
  double flows = 0;
  std::set<std::string> others;
  for (const Json& probe : probes) {
    if (probe["type"] == "flow")
      flows += flow_bytes;
    else
      others.insert(probe["type"]);
  }
  return flows + field_bytes * double(others.count("pressure") + others.count("density")) +
         level_bytes * double(others.count("waterLevel"));
}

}  // namespace

SceneEstimator::SceneEstimator(const Scene& scene)
    : parameters_(static_cast<const SimulationParameters&>(scene)) {
  try {
    measure(parse_json(scene.resolved_json, scene.file.string()));
  } catch (const InputError& error) {
    throw InputError(scene.file.string() + ": " + error.what());
  }
}

void SceneEstimator::measure(const Json& json) {
  probe_bytes_ = probe_bytes(json["probes"]);
  measure_walls(json["walls"]);
  // A resolution that is too fine for memory is named before one that is too fine for coordinates.
  const double coarse_spacing = 2 * parameters_.particle_radius / std::min(1.0, parameters_.resolution);
  for (size_t s = 0; s < json["systems"].size(); ++s) {
    const Json& given = json["systems"][s];
    System& system = systems_.emplace_back(System{read_system_keys(given), {}, {}});
    for (size_t b = 0; b < given["bodies"].size(); ++b) {
      const std::string path =
          element_path(element_path("systems", s, given) + ".bodies", b, given["bodies"][b]);
      system.owned.push_back(read_body(given["bodies"][b], *system.state.method, path, coarse_spacing));
      if (ShapeParameters* shape = system.owned.back()->meshed_shape()) shape->measure_mesh();
      system.bodies.push_back({given["bodies"][b]["name"], system.owned.back().get()});
    }
    if (!system.state.method->emits) continue;
    for (const Json& emitter : given["emitters"]) system.state.emitters.push_back(read_emitter(emitter));
  }
}

void SceneEstimator::measure_walls(const Json& walls) {
  for (const Json& wall : walls) {
    if (wall["shape"] != "mesh") continue;
    WallParameters parameters = read_wall(wall);
    const MeshSize size = size_of(read_mesh(parameters.file, mesh_transform(parameters)));
    mesh_walls_.emplace_back(std::move(parameters), size);
  }
}

SceneEstimate SceneEstimator::at(double resolution, double looked_at) const {
  SceneEstimate estimate{.resolution = resolution, .host_bytes = program_bytes};
  BodySite site;
  site.particle_radius = parameters_.particle_radius / resolution;
  site.resolution = resolution;
  double neighbors = 0;
  for (const System& system : systems_) {
    site.looked_at =
        std::min<double>(looked_at, 1 << 18) / std::max<double>(1, double(system.bodies.size()) / 4);
    const SystemEstimate made = estimate_system(system.state, system.bodies, site, parameters_.end_time);
    estimate.particles += made.particles;
    estimate.emitted += made.emitted;
    estimate.host_bytes += made.host_bytes;
    estimate.device_bytes += made.device_bytes;
    neighbors += made.neighbors;
    estimate.systems.push_back(made);
  }
  for (const auto& [wall, mesh] : mesh_walls_)
    estimate.table_bytes += bytes_of_field(wall, mesh, 2 * site.particle_radius);
  estimate.device_bytes += estimate.table_bytes;
  const double all = estimate.particles + estimate.emitted;
  estimate.device_bytes += probe_bytes_ * all;
  estimate.frames = std::floor(parameters_.end_time * parameters_.frame_rate + 1e-6) + 1;
  estimate.disk_bytes = estimate.frames * (all * frame_particle + neighbors * frame_neighbor) +
                        kept_checkpoints * (all * checkpoint_particle + neighbors * checkpoint_neighbor);
  return estimate;
}

std::string SceneEstimator::largest_mesh() const {
  double longest = 0;
  std::string text;
  const auto look_at = [&](const MeshSize& size, const std::string& path) {
    for (size_t k = 0; k < 3; ++k) {
      if (size.high[k] - size.low[k] <= longest) continue;
      longest = size.high[k] - size.low[k];
      text = path + ": " + unit_advice(size);
    }
  };
  for (const System& system : systems_)
    for (size_t b = 0; b < system.bodies.size(); ++b)
      if (const ShapeParameters* shape = system.owned[b]->meshed_shape(); shape && shape->word != "sphere")
        look_at(shape->size, "systems." + system.state.name + ".bodies." + system.bodies[b].name);
  for (const auto& [wall, size] : mesh_walls_) look_at(size, "wall '" + wall.file + "'");
  return text;
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
  double low = 1e-3, high = parameters_.resolution;
  if (!fits(low)) return 0;
  for (int halving = 0; halving < 30; ++halving) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  // Two digits. A little below the limit more may be needed: bodies' factors that are whole there, in parts
  // here.
  const double digit = std::pow(10.0, std::floor(std::log10(low)) - 1);
  for (double tenths = std::floor(low / digit); tenths >= 1; --tenths)
    if (fits(tenths * digit)) return tenths * digit;
  return low;
}

}  // namespace merganser
