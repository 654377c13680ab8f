/// From the initial state to particles, systems and counters. Compiled once per backend.
#include <algorithm>

#include "host/simulation/stepped_simulation.h"
#include "solvers/core/initial_particles.h"
#include "solvers/methods/make_system.h"
#include "solvers/methods/sph/sph_parameters.h"

#if !MERGANSER_GPU_HALF
#include <omp.h>
#endif

MERGANSER_BEGIN

SteppedSimulation::SteppedSimulation(const InitialState& initial,
                                     const std::vector<ObservableEntry>& observables)
    : initial_(initial),
      late_bodies_(initial),
      merge_split_(initial.coupling, initial.seed, vec3(initial.periodic_origin),
                   vec3(initial.periodic_length)),
      pairwise_contacts_(initial.coupling.method, initial.pairwise_contacts, vec3(initial.periodic_length)),
      walls_(initial),
      gravity_(vec3(initial.gravity)),
      parts_{particles_, systems_, merge_split_, walls_, summation_, gravity_},
      looks_for_contacts_(initial.looks_for_contacts()) {
  for (const SystemState& state : initial.systems) {
    const int system =
        particles_.add_system(initial_particles(state, particles_.system_count(), particles_.id_end()));
    for (float radius : state.radius) least_radius_ = std::min(least_radius_, radius);
    if (!state.fluid.kill_box.boxes.empty()) kill_boxes_.emplace_back(state.fluid.kill_box, system);
    for (const EmitterParameters& emitter : state.emitters) {
      emitters_.emplace_back(emitter, state.fluid, system);
      emitters_.back().begin_with(std::count(state.body.begin(), state.body.end(), emitter.body));
      emitter_system_.push_back(system);
      least_radius_ = std::min(least_radius_, float(state.fluid.particle_radius));
    }
  }
  for (size_t s = 0; s < initial.systems.size(); ++s)
    systems_.push_back(make_system(initial, int(s), particles_));
  for (const auto& system : systems_) system->meet(systems_);
  std::vector<ImplicitSystem*> parts;
  for (const auto& system : systems_)
    if (ImplicitSystem* part = system->implicit_system()) parts.push_back(part);
  if (parts.size() > 1) implicit_coupling_ = std::make_unique<ImplicitCoupling>(std::move(parts));
  Columns columns;
  for (const ObservableEntry& entry : observables) {
    observable_names_.push_back(entry.name);
    observables_.push_back(entry.make(initial));
    place_columns(columns, observables_.back()->columns());
  }
  columns_ = std::make_shared<const Columns>(std::move(columns));
  for (SystemState& state : initial_.systems) {  // the particles live in the store from here on
    SystemState kept;
    kept.name = state.name;
    kept.method = state.method;
    kept.self_contact = state.self_contact;
    kept.triangles = std::move(state.triangles);
    state = kept;
  }
  late_bodies_.hold_all(particles_, systems_);
  for (const auto& observable : observables_) observable->start(parts_);
  measure_next_step(false);
  fetch_results();
  limit_next_step();
}

std::vector<ContactRules> SteppedSimulation::contact_rules() const {
  std::vector<ContactRules> contacts;
  for (size_t s = 0; s < systems_.size(); ++s)
    contacts.push_back({systems_[s]->implicit(), initial_.systems[s].self_contact, systems_[s]->bond_first(),
                        systems_[s]->bond_neighbor(), systems_[s]->moves_in_prepare(),
                        systems_[s]->has_rigid_bodies(), -1, systems_[s]->stores_impacts()});
  for (size_t s = 0; s < systems_.size(); ++s)
    for (const int coupled : systems_[s]->coupled_systems())
      contacts[size_t(coupled)].pressure_solve = int(s);
  return contacts;
}

/// Those that take part in steps with a row, or in all.
std::vector<Observable*> SteppedSimulation::observing(bool row) const {
  std::vector<Observable*> taking_part;
  for (const auto& observable : observables_)
    if (row || observable->every_step()) taking_part.push_back(observable.get());
  return taking_part;
}

#if !MERGANSER_GPU_HALF
void set_threads(int count) { omp_set_num_threads(count > 0 ? count : omp_get_num_procs()); }
#endif

std::unique_ptr<Simulation> make_simulation(const InitialState& initial) {
  return std::make_unique<SteppedSimulation>(initial);
}

MERGANSER_END
