/// The step's entries in the ledger (solvers/observables/ledger/README.md). Compiled once per backend.
#include "host/simulation/stepped_simulation.h"

MERGANSER_BEGIN

SteppedSimulation::Energy SteppedSimulation::energy_now() {
  for (auto& system : systems_) system->measure(particles_, Measures::all);
  summation_.measure(particles_.const_view(), {0, particles_.count()}, gravity_);
  fetch_results();
  const ParticleSums sums = summation_.sums();
  double energy = sums.kinetic_energy + sums.potential_energy;
  for (const auto& system : systems_) energy += system->measured().elastic_energy;
  return {energy, sums.momentum};
}

void SteppedSimulation::record_exchange(const StepContext& step) {
  const MetaParticleView groups = merge_split_->groups();
  step_ledger_.before_advance(step, groups, step.end_velocity);
  for (auto& system : systems_) system->record_exchange(step, groups, step.end_velocity);
}

/// Of the systems whose particles walls may be about to move.
void SteppedSimulation::measure_energy_before_walls(const StepContext& step) {
  measured_before_walls_.assign(systems_.size(), false);
  for (size_t s = 0; s < systems_.size(); ++s) {
    if (!walls_.may_move_solid(particles_, int(s))) continue;
    systems_[s]->measure_before_walls(step);
    measured_before_walls_[s] = true;
  }
}

void SteppedSimulation::close_ledger(const StepExchange& of_systems, double fracture,
                                     const MergeStatistics& merged, const ParticleSums& sums,
                                     StepStatistics& row) {
  const WallExchange walls = walls_.exchange();
  LedgerStep entries;
  entries.energy = row.kinetic_energy + row.potential_energy + row.elastic_energy;
  entries.momentum = sums.momentum;
  entries.gravity = sums.mass * row.dt * to_double(gravity_);
  entries.exchange = step_ledger_.exchange();
  entries.exchange += of_systems;
  entries.merging = merged.dissipated_merging;
  entries.synchronization = merged.synchronization_energy;
  entries.synchronization_lost = merged.dissipated_synchronization;
  entries.fracture = fracture;
  entries.walls = walls.energy + of_systems.walls;
  entries.wall_impulse = walls.impulse + of_systems.wall_impulse;
  ledger_.close(entries);

  const Ledger::Totals& totals = ledger_.totals();
  row.virtual_bond_energy = merged.virtual_bond_energy;
  row.dissipated_energy = totals.merging + totals.synchronization;
  row.dissipated_merging = totals.merging;
  row.dissipated_synchronization = totals.synchronization;
  row.dissipated_damping = totals.damping;
  row.dissipated_integration = totals.integration;
  row.dissipated_fracture = totals.fracture;
  row.dissipated_walls = totals.walls;
  row.external_work = totals.work;
  row.energy_residual = totals.energy_residual;
  row.wall_impulse = point(totals.wall_impulse);
  row.external_impulse = point(totals.external_impulse);
  row.momentum_residual = point(totals.momentum_residual);
  row.unobserved_energy = totals.unobserved_energy;
  row.unobserved_momentum = point(totals.unobserved_momentum);
}

MERGANSER_END
