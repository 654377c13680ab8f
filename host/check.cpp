#include "host/check.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "host/json_reader.h"

namespace merganser {

namespace {

constexpr double bytes_per_particle = 300, bytes_per_spring = 40,
                 bytes_per_bond = 8;  // device arrays of all solvers, bound of the benchmark
constexpr double bytes_per_frame_particle =
    60;  // position, velocity, id, body, system, density; not compressed
constexpr double bytes_per_checkpoint_particle = 80;
constexpr double kept_checkpoints = 2;

/// Device memory of topological neighborhoods per pair and direction: the rows twice over, distances, the
/// close pairs and the linked rows; and the table of rows, which is wider than they are.
constexpr double bytes_per_neighbor = 55, table_bytes_per_particle = 4 * 96;
constexpr double bytes_per_frame_neighbor = 8, bytes_per_checkpoint_neighbor = 9;  // not compressed

struct StepEstimate {
  double speed = 0;  ///< [m/s] largest to be expected: initial speed and the fall through the scene's height
  double step = 0;   ///< [s]
  std::string limited_by;
};

double inner(const Point3& g, const Float3& x) { return g[0] * x[0] + g[1] * x[1] + g[2] * x[2]; }

/// About how many bonds, surfaces neglected: half the particles of a sphere of the horizon's radius each.
double expected_bonds(const SystemState& system) {
  if (system.type != SystemType::peridynamics) return 0;
  return double(system.position.size()) * 2 / 3 * std::numbers::pi *
         std::pow(system.peridynamics.horizon_factor, 3);
}

/// Neighbors within 2h in a full fluid, both directions.
double expected_neighbors(const SystemState& system) {
  if (system.type != SystemType::sph || system.sph.neighborhood != Neighborhood::topological) return 0;
  double particles = double(system.position.size());
  for (const EmitterParameters& emitter : system.emitters) particles += emitter.max_particles;
  return particles * 4 / 3 * std::numbers::pi * std::pow(2 * system.sph.smoothing_length_factor, 3);
}

StepEstimate estimate_step(const InitialState& initial) {
  StepEstimate estimate;
  double speed = 0, least_radius = 1e300, top = -1e300, bottom = 1e300;
  for (const SystemState& system : initial.systems) {
    for (size_t i = 0; i < system.position.size(); ++i) {
      const Float3& v = system.velocity[i];
      speed = std::max(speed, double(std::hypot(v[0], v[1], v[2])));
      least_radius = std::min(least_radius, double(system.radius[i]));
      const double fall = inner(initial.gravitation, system.position[i]);
      top = std::max(top, fall);
      bottom = std::min(bottom, fall);
    }
    for (const EmitterParameters& emitter : system.emitters) {
      speed = std::max(speed, emitter.velocity);
      least_radius = std::min(least_radius, system.sph.particle_radius);
    }
  }
  estimate.speed = std::sqrt(speed * speed + 2 * std::max(0.0, top - bottom));
  estimate.step = initial.max_time_step;
  estimate.limited_by = "simulation.maxTimeStepSize";
  auto limit = [&](double step, const std::string& by) {
    if (step >= estimate.step) return;
    estimate.step = step;
    estimate.limited_by = by;
  };
  if (estimate.speed > 0) limit(initial.cfl_factor * least_radius / estimate.speed, "simulation.cflFactor");
  for (const SystemState& system : initial.systems) {
    const PeridynamicsParameters& brittle = system.peridynamics;
    if (system.type == SystemType::peridynamics &&
        brittle.integration == PeridynamicIntegration::explicit_verlet)
      // Silling & Askari 2005, eq. 34, with the sum over bonds as an integral over the horizon.
      for (const PeridynamicMaterial& m : brittle.materials)
        limit(brittle.cfl * brittle.horizon_factor * m.spacing * std::sqrt(m.density / (18 * m.bulk_modulus)),
              "stiffness of " + initial.bodies[size_t(m.body)].name);
    if (system.type == SystemType::elastic_sph && system.elastic_sph.solve == ElasticSolve::split)
      limit(system.elastic_sph.elastic_time_step, "elasticTimeStep of " + system.name);
    if (system.type == SystemType::flip)
      limit(system.flip.cfl * system.flip.cell_size * 2 * system.sph.particle_radius / estimate.speed,
            "cfl of " + system.name);
    if (system.type != SystemType::sph) continue;
    const double sound =
        system.sph.sound_speed > 0 ? system.sph.sound_speed : std::max(10.0 * estimate.speed, 10.0);
    const double h = system.sph.smoothing_length_factor * 2 * system.sph.particle_radius;
    limit(system.sph.cfl * h / (sound + estimate.speed), "sound speed of " + system.name);
  }
  if (initial.time_step > 0) {
    estimate.step = initial.time_step;
    estimate.limited_by = "simulation.timeStepSize";
  }
  return estimate;
}

Json systems_json(const InitialState& initial) {
  Json systems = Json::array();
  for (size_t s = 0; s < initial.systems.size(); ++s) {
    const SystemState& system = initial.systems[s];
    Json bodies = Json::array();
    for (size_t b = 0; b < initial.bodies.size(); ++b) {
      if (initial.bodies[b].system != static_cast<int>(s)) continue;
      double mass = 0;
      long long count = 0, held = 0;
      for (size_t i = 0; i < system.body.size(); ++i) {
        if (system.body[i] != static_cast<int>(b)) continue;
        ++count;
        mass += system.mass[i];
        held += system.immobile[i];
      }
      bodies.push_back(
          {{"name", initial.bodies[b].name}, {"particles", count}, {"held", held}, {"mass", mass}});
    }
    systems.push_back({{"name", system.name},
                       {"type", system.type == SystemType::sph           ? "sph"
                                : system.type == SystemType::flip        ? "flip"
                                : system.type == SystemType::mass_spring ? "massSpring"
                                : system.type == SystemType::elastic_sph ? "elasticSph"
                                                                         : "peridynamics"},
                       {"particles", system.position.size()},
                       {"springs", system.springs.size()},
                       {"bonds", std::llround(expected_bonds(system))},
                       {"triangles", system.triangles.size()},
                       {"emitters", system.emitters.size()},
                       {"bodies", bodies}});
  }
  return systems;
}

Json report(const Scene& scene, const InitialState& initial) {
  double particles = 0, springs = 0, bonds = 0, emitted = 0, neighbors = 0, tables = 0;
  for (const SystemState& system : initial.systems) {
    particles += double(system.position.size());
    springs += double(system.springs.size());
    bonds += expected_bonds(system);
    neighbors += expected_neighbors(system);
    if (expected_neighbors(system) > 0) tables += table_bytes_per_particle * double(system.position.size());
    for (const EmitterParameters& emitter : system.emitters) emitted += emitter.max_particles;
  }
  Json overlaps = Json::array(), walls = Json::array();
  for (const BodyOverlap& overlap : find_overlaps(initial))
    overlaps.push_back(
        {{"bodies",
          {initial.bodies[size_t(overlap.body_a)].name, initial.bodies[size_t(overlap.body_b)].name}},
         {"pairs", overlap.pairs},
         {"more", overlap.more},
         {"deepest", overlap.deepest}});
  for (long long count : count_behind_walls(initial)) walls.push_back(count);
  const StepEstimate step = estimate_step(initial);
  const double frames = std::floor(scene.end_time * scene.frame_rate + 1e-6) + 1, most = particles + emitted;
  return {{"scene", scene.file.string()},
          {"title", scene.title},
          {"resolution", scene.resolution},
          {"particles", particles},
          {"particles_emitted_at_most", emitted},
          {"systems", systems_json(initial)},
          {"overlaps", overlaps},
          {"particles_behind_walls", walls},
          {"memory_bytes", most * bytes_per_particle + springs * bytes_per_spring + bonds * bytes_per_bond +
                               neighbors * bytes_per_neighbor + tables},
          {"frames", frames},
          {"disk_bytes",
           most * (frames * bytes_per_frame_particle + kept_checkpoints * bytes_per_checkpoint_particle) +
               neighbors *
                   (frames * bytes_per_frame_neighbor + kept_checkpoints * bytes_per_checkpoint_neighbor)},
          {"largest_speed", step.speed},
          {"time_step", step.step},
          {"time_step_limited_by", step.limited_by},
          {"steps", std::ceil(scene.end_time / step.step)}};
}

std::string size_text(double bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(bytes < 1e9 ? 0 : 1) << (bytes < 1e9 ? bytes / 1e6 : bytes / 1e9)
       << (bytes < 1e9 ? " MB" : " GB");
  return text.str();
}

std::string count_text(const Json& value) { return std::to_string(std::llround(value.get<double>())); }

std::string readable(const Json& r) {
  std::ostringstream text;
  text << r["title"].get<std::string>() << " (" << r["scene"].get<std::string>() << ", resolution "
       << r["resolution"].get<double>() << ")\n"
       << "particles     " << count_text(r["particles"]);
  if (r["particles_emitted_at_most"] > 0)
    text << ", and at most " << count_text(r["particles_emitted_at_most"]) << " emitted";
  text << '\n';
  for (const Json& system : r["systems"]) {
    text << "  " << system["name"].get<std::string>() << " (" << system["type"].get<std::string>()
         << "): " << count_text(system["particles"]) << " particles";
    for (const char* what : {"springs", "bonds", "triangles", "emitters"})
      if (system[what] > 0) text << ", " << count_text(system[what]) << ' ' << what;
    text << '\n';
    for (const Json& body : system["bodies"]) {
      text << "    " << body["name"].get<std::string>() << ": " << count_text(body["particles"])
           << " particles, " << body["mass"].get<double>() << " kg";
      if (body["held"] > 0) text << ", " << count_text(body["held"]) << " held";
      text << '\n';
    }
  }
  text << "overlaps      " << (r["overlaps"].empty() ? "none" : "") << '\n';
  for (const Json& overlap : r["overlaps"])
    text << "  " << overlap["bodies"][0].get<std::string>() << " and "
         << overlap["bodies"][1].get<std::string>() << ": " << count_text(overlap["pairs"])
         << (overlap["more"] ? " pairs or more" : " pairs") << ", the deepest "
         << overlap["deepest"].get<double>() << " m\n";
  if (!r["overlaps"].empty() && r["overlaps"][0]["more"])
    text << "  and others: too many particles lie in each other to count them all\n";
  for (size_t w = 0; w < r["particles_behind_walls"].size(); ++w)
    if (r["particles_behind_walls"][w] > 0)
      text << "behind wall   walls." << w << ": " << count_text(r["particles_behind_walls"][w])
           << " particles\n";
  text << "memory        about " << size_text(r["memory_bytes"]) << '\n'
       << "disk          about " << size_text(r["disk_bytes"]) << " for " << count_text(r["frames"])
       << " frames\n"
       << "time step     about " << r["time_step"].get<double>() << " s ("
       << r["time_step_limited_by"].get<std::string>() << ", speeds up to "
       << r["largest_speed"].get<double>() << " m/s)\n"
       << "steps         about " << count_text(r["steps"]) << '\n';
  return text.str();
}

}  // namespace

std::string check_report(const Scene& scene, const InitialState& initial, bool json) {
  const Json made = report(scene, initial);
  return json ? made.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : readable(made);
}

}  // namespace merganser
