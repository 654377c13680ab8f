/// A resolved scene -> everything a simulation starts from.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "host/scene/scene_bodies.h"
#include "host/scene/scene_keys.h"
#include "host/scene/scene_resolve.h"
#include "solvers/core/start_checks.h"
#include "solvers/core/start_period.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/methods/all_methods.h"

namespace merganser {

namespace {

EmitterParameters make_emitter(const Json& emitter, const BodySite& site) {
  EmitterParameters p = read_emitter(emitter);
  p.body = site.body;
  if (p.radius < site.particle_radius * (1 - 1e-9))
    throw InputError(site.path + ".radius: is " + shown(p.radius) +
                     ", must be at least the radius of a particle at this resolution, " +
                     shown(site.particle_radius) + " m");
  return p;
}

/// Places by name.
std::map<std::string, int> index_by_name(const auto& named) {
  std::map<std::string, int> index;
  for (size_t i = 0; i < named.size(); ++i) index.emplace(named[i].name, static_cast<int>(i));
  return index;
}

/// The meshes of walls, once it is known which scene they stand in.
void read_wall_meshes(InitialState& state) {
  const double spacing = 2 * state.particle_radius / state.resolution;
  for (size_t w = 0; w < state.walls.size(); ++w) {
    WallParameters& wall = state.walls[w];
    if (wall.shape != WallShape::mesh) continue;
    const std::string name = "walls." + std::to_string(w) + ".geometryFile (" + wall.file + ")";
    wall.mesh = make_wall_mesh(wall, read_wall_mesh(wall, spacing, name), spacing, name);
  }
}

/// With the places of what it names.
ProbeParameters read_probe(const Json& probe, const InitialState& state) {
  ProbeParameters p;
  p.type = probe["type"];
  for (const ParameterTable& table : ProbeParameters::tables())
    if (table.kind == "probe." + p.type) read_parameters(probe, table, &p);
  const auto systems = index_by_name(state.systems), bodies = index_by_name(state.bodies);
  if (!p.system.empty()) p.system_index = systems.at(p.system);
  if (!p.body.empty()) {
    p.body_index = bodies.at(p.body);
    p.system_index = state.bodies[size_t(p.body_index)].system;
  }
  return p;
}

/// Throws InputError where the body that was just added is empty or its particles cannot be held in float.
void expect_sound_body(const SystemState& system, size_t first, const BodySite& site) {
  if (system.position.size() == first)
    throw InputError(site.path + ": holds no particle, it is smaller than the particle spacing of " +
                     shown(site.spacing()) +
                     " m; make it larger (a mesh by scale or fitSize), raise the resolution or lower "
                     "simulation.particleRadius");
  for (size_t i = first; i < system.position.size(); ++i) {
    bool fine = std::isfinite(system.mass[i]) && system.mass[i] > 1e-35f && std::isfinite(system.radius[i]) &&
                system.radius[i] > 1e-30f;
    for (float x : system.position[i]) fine = fine && std::isfinite(x);
    if (!fine)
      throw InputError(site.path + ": particle " + std::to_string(i - first) + " of " +
                       shown(double(system.mass[i])) + " kg and " + shown(double(system.radius[i])) +
                       " m radius is out of the range of 32-bit numbers; check sizes and densities");
  }
}

/// The parameters of all bodies, system by system. Refuses scenes that are too large before a single particle
/// is made; mesh bodies add theirs when they are filled.
std::vector<std::vector<std::unique_ptr<BodyParameters>>> read_bodies(const Json& systems, BodySite site,
                                                                      double& particles_so_far) {
  std::vector<std::vector<std::unique_ptr<BodyParameters>>> bodies(systems.size());
  for (size_t s = 0; s < systems.size(); ++s)
    for (size_t b = 0; b < systems[s]["bodies"].size(); ++b) {
      const Json& body = systems[s]["bodies"][b];
      site.path = element_path(element_path("systems", s, systems[s]) + ".bodies", b, body);
      bodies[s].push_back(read_body(body, *find_method(systems[s]["type"]), site.path, site.spacing()));
      const double particles = bodies[s].back()->expected_particles(site);
      expect_particle_count(particles, particles_so_far, site.path);
      particles_so_far += particles;
    }
  return bodies;
}

SystemState read_system(const Json& system, const std::string& path,
                        const std::vector<std::unique_ptr<BodyParameters>>& bodies, BodySite site,
                        InitialState& state) {
  SystemState made = read_system_keys(system);
  made.fluid.particle_radius = site.particle_radius;
  if (made.method->complete) made.method->complete(made, state);
  const int index = static_cast<int>(state.systems.size());
  const auto next_body = [&](const std::string& list, size_t at, const Json& body) {
    site.body = static_cast<int>(state.bodies.size());
    site.path = element_path(path + list, at, body);
    state.bodies.push_back({body["name"], index});
  };
  for (size_t b = 0; b < bodies.size(); ++b) {
    const size_t first = made.position.size();
    next_body(".bodies", b, system["bodies"][b]);
    try {
      bodies[b]->add_to(made, site);
    } catch (const InputError& error) {  // shapes and meshes do not know whose they are
      const std::string said = error.what();
      throw InputError(said.starts_with(site.path) ? said : site.path + ": " + said);
    } catch (RelaxationStopped& stopped) {
      stopped.of = site.path;
      throw;
    }
    expect_sound_body(made, first, site);
    if (const ShapeParameters* shape = bodies[b]->meshed_shape())
      state.bodies.back().welded_vertices = shape->welded;
    state.bodies.back().mass = bodies[b]->mass_of_shape(
        made, site, std::accumulate(made.mass.begin() + std::ptrdiff_t(first), made.mass.end(), 0.0));
    if (bodies[b]->start_time > 0)
      made.late.push_back({site.body, int(first), int(made.position.size() - first), bodies[b]->start_time});
    site.earlier.push_back(bodies[b].get());
  }
  if (!made.method->emits) return made;
  for (size_t e = 0; e < system["emitters"].size(); ++e) {
    next_body(".emitters", e, system["emitters"][e]);
    made.emitters.push_back(make_emitter(system["emitters"][e], site));
  }
  return made;
}

/// Particles by body.
std::vector<long long> count_particles(const InitialState& state) {
  std::vector<long long> counts(state.bodies.size(), 0);
  for (const SystemState& system : state.systems)
    for (int body : system.body) ++counts[size_t(body)];
  return counts;
}

/// What the checks of a scene want to be measured.
void add_measures(const Scene& scene, InitialState& state) {
  const auto systems = index_by_name(state.systems), bodies = index_by_name(state.bodies);
  const std::vector<long long> counts = count_particles(state);
  for (size_t c = 0; c < scene.checks.size(); ++c) {
    const CheckParameters& check = scene.checks[c];
    const CheckType& type = check_type(check.type);
    if (type.measured_by.empty()) continue;
    MeasureRequest request{.quantity = type.measured_by, .column = column_of(type, check)};
    if (const std::string& body = check.sheet + check.body; !body.empty()) {
      request.body = bodies.at(body);
      request.system = state.bodies[size_t(request.body)].system;
    }
    if (!check.system.empty()) request.system = systems.at(check.system);
    if (!check.other.empty()) request.other = bodies.at(check.other);
    if (type.subject == CheckSubject::copy) {
      const long long mine = counts[size_t(request.body)], others = counts[size_t(request.other)];
      if (mine != others)
        throw InputError("checks." + std::to_string(c) + ".copy: " + shown(check.other) + " has " +
                         std::to_string(others) + " particles and " + shown(check.body) + " " +
                         std::to_string(mine) + "; make them from the same shape, moved by translation");
    }
    state.measures.push_back(std::move(request));
  }
}

/// BodySite::relax.
std::vector<Float3> relax(const TriangleMesh& mesh, double spacing, const BuildOptions& options,
                          double& relaxed, const std::string& body) {
  const RelaxationParameters parameters{.spacing = spacing};
  relaxed += relaxed_count(std::abs(mesh_volume(mesh)), spacing);
  if (relaxed > options.most_relaxed) {
    if (options.unrelaxed) options.unrelaxed(body);
    return cpu::start_points(mesh, parameters);
  }
  return cpu::relaxed_sample(mesh, parameters, options.progress, options.stop).position;
}

InitialState build(const Json& scene, const BuildOptions& options) {
  const Json& simulation = scene["simulation"];
  InitialState state;
  read_parameters(simulation, SimulationParameters::table(), static_cast<SimulationParameters*>(&state));
  read_parameters(scene["coupling"], CouplingParameters::table(), static_cast<CouplingParameters*>(&state));
  for (const Json& wall : scene["walls"]) state.walls.push_back(read_wall(wall));
  read_wall_meshes(state);
  BodySite site{.particle_radius = state.particle_radius / state.resolution,
                .resolution = state.resolution,
                .seed = state.seed,
                .body = 0,
                .path = ""};
  double particles = 0, relaxed = 0;
  site.relax = [&](const TriangleMesh& mesh, double spacing) {
    return relax(mesh, spacing, options, relaxed, state.bodies.back().name);
  };
  const auto bodies = read_bodies(scene["systems"], site, particles);
  for (size_t s = 0; s < scene["systems"].size(); ++s) {
    const Json& system = scene["systems"][s];
    const std::string path = element_path("systems", s, system);
    site.expect_count = [&](double of_mesh) { expect_particle_count(of_mesh, particles, path); };
    state.systems.push_back(read_system(system, path, bodies[s], site, state));
  }
  if (options.taken) take_particles(*options.taken, state);
  for (const Json& probe : scene["probes"]) state.probes.push_back(read_probe(probe, state));
  expect_sound_start(state);
  bring_into_domain(state);
  return state;
}

}  // namespace

InitialState build_initial_state(const Scene& scene, const BuildOptions& options) {
  try {
    InitialState state = build(parse_json(scene.resolved_json, scene.file.string()), options);
    add_measures(scene, state);
    return state;
  } catch (const InputError& e) {
    throw InputError(scene.file.string() + ": " + e.what());
  }
}

}  // namespace merganser
