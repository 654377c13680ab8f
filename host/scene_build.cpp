/// A resolved scene -> everything a simulation starts from.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/check_state.h"
#include "host/scene.h"
#include "host/scene_bodies.h"
#include "host/scene_resolve.h"

namespace merganser {

namespace {

Point3 unit(const Json& direction) {
  Point3 d = point_of(direction);
  const double length = std::hypot(d[0], d[1], d[2]);
  for (double& x : d) x /= length;
  return d;
}

SphParameters read_sph(const Json& system, double particle_radius) {
  SphParameters p;
  p.density0 = system["density0"];
  p.particle_radius = particle_radius;
  p.smoothing_length_factor = system["smoothingLengthFactor"];
  p.kernel = system["kernel"] == "cubicSpline" ? SphKernel::cubic_spline : SphKernel::wendland_c2;
  p.density = system["density"] == "summation" ? DensityMethod::summation : DensityMethod::continuity;
  p.equation_of_state = system["equationOfState"] == "tait" ? EquationOfState::tait : EquationOfState::linear;
  p.sound_speed = system["soundSpeed"];
  p.gamma = system["gamma"];
  p.viscosity_model = system["viscosityModel"] == "none"         ? ViscosityModel::none
                      : system["viscosityModel"] == "artificial" ? ViscosityModel::artificial
                                                                 : ViscosityModel::laminar;
  p.viscosity = system["viscosity"];
  p.xsph = system["xsph"];
  p.density_diffusion = system["densityDiffusion"];
  p.allow_tension = system["allowTension"];
  p.cfl = system["cfl"];
  p.neighborhood =
      system["neighborhood"] == "topological" ? Neighborhood::topological : Neighborhood::euclidean;
  p.topology_frames = system["topologyFrames"];
  p.topology_distance = system["topologyDistance"];
  p.topology_fusion_time = system["topologyFusionTime"];
  p.shepard_filter = system["shepardFilter"];
  return p;
}

FlipParameters read_flip(const Json& system) {
  return {.transfer = system["transfer"] == "apic" ? FlipTransfer::apic : FlipTransfer::flip,
          .flip_blend = system["flipBlend"],
          .cell_size = system["cellSize"],
          .tolerance = system["tolerance"],
          .max_iterations = system["maxIterations"],
          .cfl = system["cfl"],
          .volume_correction = system["volumeCorrection"],
          .reseeding = system["reseeding"]};
}

MassSpringParameters read_mass_spring(const Json& system) {
  return {.spring_damping = system["springDamping"],
          .air_damping = system["airDamping"],
          .tolerance = system["tolerance"],
          .max_iterations = system["maxIterations"]};
}

PeridynamicsParameters read_peridynamics(const Json& system) {
  PeridynamicsParameters p;
  p.integration = system["integration"] == "implicit" ? PeridynamicIntegration::implicit_euler
                                                      : PeridynamicIntegration::explicit_verlet;
  p.horizon_factor = system["horizonFactor"];
  p.damping = system["damping"];
  p.tolerance = system["tolerance"];
  p.max_iterations = system["maxIterations"];
  p.cfl = system["cfl"];
  return p;
}

ElasticSphParameters read_elastic_sph(const Json& system, const Json& simulation) {
  const double own = system["elasticTimeStep"], fixed = simulation["timeStepSize"],
               most = simulation["maxTimeStepSize"];
  ElasticSphParameters p;
  p.solve = system["solve"] == "split"            ? ElasticSolve::split
            : system["solve"] == "preconditioned" ? ElasticSolve::preconditioned
                                                  : ElasticSolve::conjugate_gradient;
  p.zero_energy = system["zeroEnergy"] == "implicit" ? ZeroEnergyControl::implicit_energy
                                                     : ZeroEnergyControl::explicit_force;
  p.elastic_time_step = own > 0 ? own : fixed > 0 ? fixed : most;
  p.smoothing_length_factor = system["smoothingLengthFactor"];
  p.closest_neighbors = system["closestNeighbors"];
  p.tolerance = system["tolerance"];
  p.max_iterations = system["maxIterations"];
  p.factor_memory = system["factorMemory"];
  return p;
}

EmitterParameters read_emitter(const Json& emitter, const BodyContext& context) {
  const double radius = emitter["radius"];
  if (radius < context.particle_radius * (1 - 1e-9))
    throw InputError(context.path + ".radius: is " + shown(radius) +
                     ", must be at least the radius of a particle at this resolution, " +
                     shown(context.particle_radius) + " m");
  return {.position = point_of(emitter["position"]),
          .direction = unit(emitter["direction"]),
          .radius = radius,
          .velocity = emitter["velocity"],
          .start_time = emitter["startTime"],
          .end_time = emitter["endTime"],
          .max_particles = emitter["maxParticles"],
          .body = context.body};
}

WallParameters read_wall(const Json& wall) {
  WallParameters p;
  const std::string shape = wall["shape"];
  if (shape == "plane") {
    p.shape = WallShape::plane;
    p.point = point_of(wall["point"]);
    p.direction = unit(wall["normal"]);
  } else if (shape == "box") {
    p.shape = WallShape::box;
    p.low = point_of(wall["low"]);
    p.high = point_of(wall["high"]);
  } else if (shape == "sphere") {
    p.shape = WallShape::sphere;
    p.point = point_of(wall["centre"]);
  } else {
    p.shape = WallShape::cylinder;
    p.point = point_of(wall["point"]);
    p.direction = unit(wall["axis"]);
  }
  p.radius = wall.value("radius", 0.0);
  p.inside = wall.value("inside", true);
  p.velocity = point_of(wall["velocity"]);
  p.friction = wall["friction"];
  p.restitution = wall["restitution"];
  p.no_slip = wall["noSlip"];
  return p;
}

MergeSplitParameters read_coupling(const Json& coupling) {
  MergeSplitParameters p;
  const std::string method = coupling["method"];
  p.method = method == "penalty"    ? ContactMethod::penalty
             : method == "sphForce" ? ContactMethod::sph_force
             : method == "impulses" ? ContactMethod::impulses
             : method == "none"     ? ContactMethod::none
                                    : ContactMethod::merging_and_splitting;
  p.alpha = coupling["alpha"];
  p.beta = coupling["beta"];
  p.unlimited = coupling["groupLimit"].is_string();
  if (!p.unlimited) {
    p.group_min = coupling["groupLimit"][0];
    p.group_max = coupling["groupLimit"][1];
  }
  p.second_stage = coupling["secondStage"];
  return p;
}

PairwiseContactParameters read_pairwise_contacts(const Json& coupling) {
  return {.stiffness = coupling["stiffness"],
          .damping = coupling["damping"],
          .iterations = coupling["impulseIterations"],
          .restitution = coupling["impulseRestitution"]};
}

/// Throws InputError where the body that was just added is empty or its particles cannot be held in float.
void expect_sound_body(const SystemState& system, size_t first, const BodyContext& context) {
  if (system.position.size() == first)
    throw InputError(context.path + ": holds no particle, it is smaller than the particle spacing of " +
                     shown(2 * context.particle_radius) +
                     " m; make it larger, raise the resolution or lower simulation.particleRadius");
  for (size_t i = first; i < system.position.size(); ++i) {
    bool fine = std::isfinite(system.mass[i]) && system.mass[i] > 1e-35f && std::isfinite(system.radius[i]) &&
                system.radius[i] > 1e-30f;
    for (float x : system.position[i]) fine = fine && std::isfinite(x);
    if (!fine)
      throw InputError(context.path + ": particle " + std::to_string(i - first) + " of " +
                       shown(double(system.mass[i])) + " kg and " + shown(double(system.radius[i])) +
                       " m radius is out of the range of 32-bit numbers; check sizes and densities");
  }
}

SystemState read_system(const Json& system, const Json& simulation, const std::string& path,
                        BodyContext context, InitialState& state) {
  SystemState made;
  made.name = system["name"];
  made.type = system["type"] == "sph"          ? SystemType::sph
              : system["type"] == "flip"       ? SystemType::flip
              : system["type"] == "massSpring" ? SystemType::mass_spring
              : system["type"] == "elasticSph" ? SystemType::elastic_sph
                                               : SystemType::peridynamics;
  const bool fluid = is_fluid(made.type);
  if (made.type == SystemType::sph) {
    made.sph = read_sph(system, context.particle_radius);
  } else if (made.type == SystemType::flip) {
    made.flip = read_flip(system);
    made.sph.density0 = system["density0"];
    made.sph.particle_radius = context.particle_radius;
  } else {
    made.self_contact = system["selfContact"];
    if (made.type == SystemType::mass_spring)
      made.mass_spring = read_mass_spring(system);
    else if (made.type == SystemType::elastic_sph)
      made.elastic_sph = read_elastic_sph(system, simulation);
    else
      made.peridynamics = read_peridynamics(system);
  }
  const int index = static_cast<int>(state.systems.size());
  for (size_t b = 0; b < system["bodies"].size(); ++b) {
    const Json& body = system["bodies"][b];
    const size_t first = made.position.size();
    context.body = static_cast<int>(state.bodies.size());
    context.path = element_path(path + ".bodies", b, body);
    state.bodies.push_back({body["name"], index});
    try {
      if (fluid)
        add_fluid_body(body, context, made);
      else if (made.type == SystemType::peridynamics)
        add_brittle_body(body, context, made);
      else if (made.type == SystemType::elastic_sph)
        add_elastic_body(body, context, made);
      else
        add_solid_body(body, context, made);
    } catch (const InputError& error) {  // shapes and meshes do not know whose they are
      const std::string said = error.what();
      throw InputError(said.starts_with(context.path) ? said : context.path + ": " + said);
    }
    expect_sound_body(made, first, context);
  }
  if (!fluid) return made;
  for (size_t e = 0; e < system["emitters"].size(); ++e) {
    const Json& emitter = system["emitters"][e];
    context.body = static_cast<int>(state.bodies.size());
    context.path = element_path(path + ".emitters", e, emitter);
    state.bodies.push_back({emitter["name"], index});
    made.emitters.push_back(read_emitter(emitter, context));
  }
  return made;
}

/// Refuses scenes that are too large before a single particle is made; mesh bodies add theirs when their file
/// has been read.
double expect_moderate_size(const Json& systems, BodyContext context) {
  for (size_t s = 0; s < systems.size(); ++s)
    for (size_t b = 0; b < systems[s]["bodies"].size(); ++b) {
      const Json& body = systems[s]["bodies"][b];
      context.path = element_path(element_path("systems", s, systems[s]) + ".bodies", b, body);
      const double particles = expected_particles(body, context);
      expect_particle_count(particles, context);
      context.particles_so_far += particles;
    }
  return context.particles_so_far;
}

/// Places by name.
std::map<std::string, int> index_by_name(const auto& named) {
  std::map<std::string, int> index;
  for (size_t i = 0; i < named.size(); ++i) index.emplace(named[i].name, static_cast<int>(i));
  return index;
}

/// Particles by body.
std::vector<long long> count_particles(const InitialState& state) {
  std::vector<long long> counts(state.bodies.size(), 0);
  for (const SystemState& system : state.systems)
    for (int body : system.body) ++counts[size_t(body)];
  return counts;
}

/// What the checks of a scene measure.
void read_checks(const Json& checks, InitialState& state) {
  const auto systems = index_by_name(state.systems), bodies = index_by_name(state.bodies);
  const std::vector<long long> counts = count_particles(state);
  for (size_t c = 0; c < checks.size(); ++c) {
    const Json& check = checks[c];
    const auto body = [&](const char* key) { return bodies.at(check[key]); };
    if (check.contains("sheet")) {
      state.crossing_checks.push_back({systems.at(check["system"]), body("sheet")});
    } else if (check["type"] == "overlapBeforeBreak") {
      state.report_overlap = true;
    } else if (check["type"] == "travels") {
      state.tracked_bodies.push_back(body("body"));
    } else if (check["type"] == "returnsToShape") {
      state.shaped_bodies.push_back(body("body"));
    } else if (check["type"] == "sameMotion") {
      const long long mine = counts[size_t(body("body"))], others = counts[size_t(body("copy"))];
      if (mine != others)
        throw InputError("checks." + std::to_string(c) + ".copy: " + shown(check["copy"]) + " has " +
                         std::to_string(others) + " particles and " + shown(check["body"]) + " " +
                         std::to_string(mine) + "; make them from the same shape, moved by translation");
      state.copied_bodies.push_back({body("body"), body("copy")});
    } else if (check["type"] == "noLinks") {
      state.unlinked_bodies.push_back({body("body"), body("other")});
    }
  }
}

InitialState build(const Json& scene) {
  const Json& simulation = scene["simulation"];
  InitialState state;
  state.gravitation = point_of(simulation["gravitation"]);
  state.coupling = read_coupling(scene["coupling"]);
  state.report_overlap = scene["coupling"]["reportOverlap"];
  state.pairwise_contacts = read_pairwise_contacts(scene["coupling"]);
  state.periodic_origin = point_of(simulation["periodic"]["origin"]);
  state.periodic_length = point_of(simulation["periodic"]["length"]);
  state.time_step = simulation["timeStepSize"];
  state.max_time_step = simulation["maxTimeStepSize"];
  state.cfl_factor = simulation["cflFactor"];
  state.seed = simulation["seed"];
  for (const Json& wall : scene["walls"]) state.walls.push_back(read_wall(wall));
  BodyContext context{
      .particle_radius = simulation["particleRadius"].get<double>() / simulation["resolution"].get<double>(),
      .resolution = simulation["resolution"],
      .seed = state.seed,
      .body = 0,
      .path = ""};
  context.particles_so_far = expect_moderate_size(scene["systems"], context);
  for (size_t s = 0; s < scene["systems"].size(); ++s) {
    const Json& system = scene["systems"][s];
    state.systems.push_back(
        read_system(system, simulation, element_path("systems", s, system), context, state));
  }
  read_checks(scene["checks"], state);
  expect_long_periods(state);
  expect_fluid_before_walls(state);
  return state;
}

}  // namespace

InitialState build_initial_state(const Scene& scene) {
  try {
    return build(parse_json(scene.resolved_json, scene.file.string()));
  } catch (const InputError& e) {
    throw InputError(scene.file.string() + ": " + e.what());
  }
}

}  // namespace merganser
