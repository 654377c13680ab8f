/// From the initial state to particles, systems and counters. Compiled once per backend.
#include "host/simulation/stepped_simulation.h"
#include "solvers/core/initial_particles.h"
#include "solvers/methods/make_system.h"
#include "solvers/methods/sph/sph_parameters.h"

#if !MERGANSER_GPU_HALF
#include <omp.h>
#endif

MERGANSER_BEGIN

namespace {
/// Triangles of one body, in local indices of its system, and their longest rest edge.
std::vector<Triangle> triangles_of_body(const SystemState& state, int body, float& longest_edge) {
  std::vector<Triangle> triangles;
  longest_edge = 0;
  for (const Triangle& t : state.triangles) {
    if (state.body[size_t(t[0])] != body) continue;
    triangles.push_back(t);
    for (size_t c = 0; c < 3; ++c)
      longest_edge = std::max(longest_edge, norm(vec3(state.position[size_t(t[c])]) -
                                                 vec3(state.position[size_t(t[(c + 1) % 3])])));
  }
  return triangles;
}

}  // namespace

SteppedSimulation::SteppedSimulation(const InitialState& initial)
    : initial_(initial),
      pairwise_contacts_(initial.coupling.method, initial.pairwise_contacts, vec3(initial.periodic_length)),
      walls_(initial),
      gravity_(vec3(initial.gravity)),
      looks_for_contacts_(initial.coupling.method != ContactMethod::none || initial.report_overlap) {
  for (const SystemState& state : initial.systems) {
    const int system = particles_.add_system(initial_particles(state, particles_.system_count(), next_id_));
    next_id_ += static_cast<int>(state.position.size());
    for (float radius : state.radius) least_radius_ = std::min(least_radius_, radius);
    for (const EmitterParameters& emitter : state.emitters) {
      emitters_.emplace_back(emitter, state.fluid, system);
      emitter_system_.push_back(system);
      least_radius_ = std::min(least_radius_, float(state.fluid.particle_radius));
    }
  }
  for (size_t s = 0; s < initial.systems.size(); ++s)
    systems_.push_back(make_system(initial, int(s), particles_));
  std::vector<ImplicitSystem*> parts;
  for (const auto& system : systems_)
    if (ImplicitSystem* part = system->implicit_system()) parts.push_back(part);
  if (parts.size() > 1) implicit_coupling_ = std::make_unique<ImplicitCoupling>(std::move(parts));
  merge_split_ = std::make_unique<MergeSplit>(initial.coupling, initial.seed, vec3(initial.periodic_origin),
                                              vec3(initial.periodic_length));
  for (const auto& check : initial.crossing_checks) {
    const int sheet_system = initial.bodies[size_t(check.sheet_body)].system;
    float longest_edge = 0;
    const auto triangles =
        triangles_of_body(initial.systems[size_t(sheet_system)], check.sheet_body, longest_edge);
    crossings_.emplace_back(check.fluid_system, sheet_system, triangles, longest_edge,
                            vec3(initial.periodic_length));
    crossings_.back().update(particles_);
  }
  for (int body : initial.tracked_bodies) {
    BodyCentre centre(initial.bodies[size_t(body)].system, body);
    centre.measure(particles_);
    fetch_results();
    const Vec3d start = centre.measured();
    tracked_.push_back({std::move(centre), start});
  }
  for (int body : initial.shaped_bodies) {
    const int system = initial.bodies[size_t(body)].system;
    shaped_.emplace_back(system, body, initial.systems[size_t(system)].rest_position);
  }
  for (const auto& [body, copy] : initial.copied_bodies) {
    const int system = initial.bodies[size_t(body)].system;
    const SystemState& fluid = initial.systems[size_t(system)];
    copied_.push_back(
        {CopiedMotion(system, body, copy, particles_),
         2 * fluid.fluid.particle_radius * fluid.parameters.of<SphParameters>().smoothing_length_factor});
  }
  for (SystemState& state : initial_.systems) {  // the particles live in the store from here on
    SystemState kept;
    kept.name = state.name;
    kept.method = state.method;
    kept.self_contact = state.self_contact;
    state = kept;
  }
  const auto [energy, momentum] = energy_now();
  ledger_.start(energy, momentum);
  measure(false);
  limit_next_step();
}

#if !MERGANSER_GPU_HALF
void set_threads(int count) { omp_set_num_threads(count > 0 ? count : omp_get_num_procs()); }
#endif

std::unique_ptr<Simulation> make_simulation(const InitialState& initial) {
  return std::make_unique<SteppedSimulation>(initial);
}

MERGANSER_END
