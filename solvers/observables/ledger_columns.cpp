/// The ledger in a step and in the rows of statistics. See ledger/README.md.
#include <cmath>

#include "solvers/core/observable.h"
#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/merge_split/merge_split.h"
#include "solvers/observables/ledger/energy_guard.h"
#include "solvers/observables/ledger/ledger.h"
#include "solvers/observables/ledger/step_ledger.h"
#include "solvers/observables/particle_sums.h"

MERGANSER_BEGIN

namespace {
struct EnergyAndMomentum {
  double energy;   ///< [J] kinetic, potential and elastic
  double kinetic;  ///< [J]
  Vec3d momentum;  ///< [kg m/s]
};

/// Blocking.
EnergyAndMomentum measure_now(const ObservedParts& parts) {
  for (const auto& system : parts.systems) system->measure(parts.particles, Measures::all);
  parts.sums.measure(parts.particles.const_view(), {0, parts.particles.count()}, parts.gravity);
  fetch_results();
  const ParticleSums sums = parts.sums.sums();
  double energy = sums.kinetic_energy + sums.potential_energy;
  for (const auto& system : parts.systems) energy += system->measured().elastic_energy;
  return {energy, sums.kinetic_energy, sums.momentum};
}

/// Whether gravity acts along a periodic axis: then there is no potential.
bool falls_for_ever(const InitialState& initial) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (initial.periodic_length[axis] > 0 && initial.gravity[axis] != 0) return true;
  return false;
}

class LedgerColumns final : public Observable {
 public:
  explicit LedgerColumns(const InitialState& initial)
      : guard_(initial), has_potential_(!falls_for_ever(initial)) {
    for (const SystemState& system : initial.systems) systems_.push_back(system.name);
  }
  Columns columns() const override;
  void start(const ObservedParts& parts) override {
    initial_ = measure_now(parts);
    ledger_.start(initial_.energy, initial_.momentum);
    guard_.start(has_potential_ ? initial_.energy : initial_.kinetic);
  }
  void emitted(const ObservedParts&, const std::vector<Emission>& emissions) override {
    emitted_energy_ = 0;
    for (const Emission& emission : emissions) {
      ledger_.emit(emission.energy, emission.momentum);
      emitted_energy_ += emission.energy;
      const double kinetic = emission.mass != 0 ? norm_squared(emission.momentum) / (2 * emission.mass) : 0;
      guard_.receive(has_potential_ ? emission.energy : kinetic, kinetic);
    }
  }
  void begin(const ObservedParts& parts, const StepContext& step) override {
    if (step.step == known_at_) return;
    const EnergyAndMomentum now = measure_now(parts);
    ledger_.skip_to(now.energy, now.momentum);
  }
  void before_advance(const ObservedParts& parts, const StepContext& step,
                      View<const Vec3> end_velocity) override {
    const MetaParticleView groups = parts.merge_split.groups();
    step_ledger_.before_advance(step, groups, end_velocity);
    for (const auto& system : parts.systems) system->record_exchange(step, groups, end_velocity);
  }
  void after_split(const ObservedParts& parts, const StepContext& step,
                   View<const Vec3> end_velocity) override;
  bool after_fetch(const ObservedParts& parts, const StepContext& step) override;
  void write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const override;

  void save(StateArchive& archive, const std::string& prefix) const override {
    archive.put(prefix + "/totals", ledger_.save());
    archive.put(prefix + "/known_at", std::vector<std::int64_t>{known_at_});
    archive.put(prefix + "/guard", guard_.save());
    archive.put(prefix + "/last_row", std::vector<double>{last_row_});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    ledger_.load(archive.get<double>(prefix + "/totals"));
    known_at_ = archive.get<std::int64_t>(prefix + "/known_at").at(0);
    guard_.load(archive.get<double>(prefix + "/guard"));
    last_row_ = archive.get<double>(prefix + "/last_row").at(0);
  }
  std::vector<std::string> warnings() const override { return {guard_.warning()}; }
  std::string divergence() const override {
    return not_finite_.empty() ? guard_.explosion_text() : not_finite_;
  }

 private:
  StepExchange exchange_of_systems(const ObservedParts& parts) const;
  void look_for_numbers(const ObservedParts& parts);
  void guard(const ObservedParts& parts, const StepContext& step, const LedgerStep& entries);

  StepLedger step_ledger_;
  Ledger ledger_;
  std::vector<std::string> systems_;
  EnergyGuard guard_;
  std::vector<ParticleSummation> guarded_;  ///< per system, once energy has appeared
  bool has_potential_;
  double last_row_ = 0;                         ///< [s] time of the last row
  std::string not_finite_;                      ///< what of the ledger is no number, "" where all is
  std::int64_t known_at_ = 0;                   ///< steps done when it knew energy and momentum
  std::vector<char> measured_before_walls_;     ///< per system: its elastic energy, in this step
  double emitted_energy_ = 0;                   ///< [J] before this step
  EnergyAndMomentum initial_{0, 0, {0, 0, 0}};  ///< before the first step; a resumed run measures it again
};

/// Sums over the steps with a row, but for virtual_bond_energy: what groups held during the step.
/// unobserved_...: what energy and momentum have changed by in the steps without a row. initial_...: before
/// the first step.
Columns LedgerColumns::columns() const {
  Columns all = {{.name = "dissipated_energy", .after = "elastic_energy"},  // merging and synchronization
                 {"virtual_bond_energy"},
                 {"dissipated_merging"},
                 {"dissipated_synchronization"},
                 {"dissipated_damping"},
                 {"dissipated_integration"},
                 {"dissipated_fracture"},
                 {"dissipated_walls"},
                 {"external_work"},
                 {"energy_residual"}};
  const auto add = [&](const Columns& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (const char* name : {"wall_impulse", "external_impulse", "momentum_residual"})
    add(vector_columns(name));
  all.push_back({"unobserved_energy"});
  add(vector_columns("unobserved_momentum"));
  Columns for_checks = {{"emitted_energy"}, {"initial_energy"}, {"initial_kinetic_energy"}};
  for (const Column& column : vector_columns("initial_momentum")) for_checks.push_back(column);
  for (Column& column : for_checks) column.file = Column::none;
  add(for_checks);
  return all;
}

/// Of the systems whose particles walls may be about to move, the elastic energy before they do.
void LedgerColumns::after_split(const ObservedParts& parts, const StepContext& step,
                                View<const Vec3> end_velocity) {
  step_ledger_.after_split(step, parts.merge_split.groups(), end_velocity);
  measured_before_walls_.assign(parts.systems.size(), false);
  for (size_t s = 0; s < parts.systems.size(); ++s) {
    if (!parts.walls.may_move_solid(parts.particles, int(s))) continue;
    parts.systems[s]->measure_before_walls(step, end_velocity);
    measured_before_walls_[s] = true;
  }
}

StepExchange LedgerColumns::exchange_of_systems(const ObservedParts& parts) const {
  StepExchange exchange;
  for (size_t s = 0; s < parts.systems.size(); ++s) {
    const SystemStatistics measured = parts.systems[s]->measured();
    exchange += measured.exchange;
    if (measured_before_walls_[s] && parts.walls.moved_solid(int(s)))
      exchange.walls +=
          parts.systems[s]->energy_before_walls() - measured.elastic_energy - measured.fracture_energy;
  }
  return exchange;
}

/// Closes the books of the step.
bool LedgerColumns::after_fetch(const ObservedParts& parts, const StepContext& step) {
  const ParticleSums sums = parts.sums.sums();
  const MergeStatistics merged = parts.merge_split.measured();
  const WallExchange walls = parts.walls.exchange();
  const StepExchange of_systems = exchange_of_systems(parts);
  double elastic = 0, fracture = 0;
  for (const auto& system : parts.systems) {
    const SystemStatistics measured = system->measured();
    elastic += measured.elastic_energy;
    fracture += measured.fracture_energy;
  }
  LedgerStep entries;
  entries.energy = sums.kinetic_energy + sums.potential_energy + elastic;
  entries.momentum = sums.momentum;
  entries.gravity = sums.mass * step.dt * to_double(parts.gravity);
  entries.exchange = step_ledger_.exchange();
  entries.exchange += of_systems;
  entries.merging = merged.dissipated_merging;
  entries.synchronization = merged.synchronization_energy;
  entries.synchronization_lost = merged.dissipated_synchronization;
  entries.fracture = fracture;
  entries.walls = walls.energy + walls.work + of_systems.walls;
  entries.exchange.work += walls.work;
  entries.wall_impulse = walls.impulse + of_systems.wall_impulse;
  ledger_.close(entries);
  known_at_ = step.step + 1;
  look_for_numbers(parts);
  guard(parts, step, entries);
  return false;
}

/// Also of what systems measure beside their energies.
void LedgerColumns::look_for_numbers(const ObservedParts& parts) {
  std::string places;
  for (size_t s = 0; s < parts.systems.size(); ++s) {
    const SystemStatistics measured = parts.systems[s]->measured();
    const StepExchange& x = measured.exchange;
    if (!std::isfinite(measured.elastic_energy + measured.fracture_energy + x.damping + x.integration +
                       x.work + x.walls + measured.density_error))
      places += ", by systems." + systems_[s];
  }
  not_finite_ =
      places.empty() && ledger_.is_finite() ? "" : "energies, momenta or densities are not finite" + places;
}

/// Waits for the device where energy has appeared, and only there.
void LedgerColumns::guard(const ObservedParts& parts, const StepContext& step, const LedgerStep& entries) {
  const ParticleSums sums = parts.sums.sums();
  const double time = step.time + step.dt;
  GuardedStep row{.step = step.step + 1, .time = time, .dt = step.dt, .elapsed = time - last_row_};
  row.held = entries.energy - sums.potential_energy;
  row.energy = has_potential_ ? entries.energy : row.held;
  row.work = entries.exchange.work;
  if (!has_potential_) row.work += dot(to_double(parts.gravity), sums.momentum) * row.elapsed;
  row.mass = sums.mass;
  row.speed_of_walls = parts.walls.move() ? parts.walls.greatest_speed(last_row_, time) : 0;
  last_row_ = time;
  if (!guard_.observe(row)) return;
  guarded_.resize(parts.systems.size());
  for (size_t s = 0; s < guarded_.size(); ++s)
    guarded_[s].measure(parts.particles.const_view(), parts.particles.range(int(s)), parts.gravity);
  fetch_results();
  std::vector<double> held;
  for (size_t s = 0; s < guarded_.size(); ++s)
    held.push_back(guarded_[s].sums().kinetic_energy + parts.systems[s]->measured().elastic_energy);
  guard_.blame(held);
}

void LedgerColumns::write(const ObservedParts& parts, const StepOutcome&, StatisticsRow& row) const {
  const Ledger::Totals& totals = ledger_.totals();
  row.set("virtual_bond_energy", parts.merge_split.measured().virtual_bond_energy);
  row.set("dissipated_energy", totals.merging + totals.synchronization);
  row.set("dissipated_merging", totals.merging);
  row.set("dissipated_synchronization", totals.synchronization);
  row.set("dissipated_damping", totals.damping);
  row.set("dissipated_integration", totals.integration);
  row.set("dissipated_fracture", totals.fracture);
  row.set("dissipated_walls", totals.walls);
  row.set("external_work", totals.work);
  row.set("energy_residual", totals.energy_residual);
  row.set("wall_impulse", to_point(totals.wall_impulse));
  row.set("external_impulse", to_point(totals.external_impulse));
  row.set("momentum_residual", to_point(totals.momentum_residual));
  row.set("unobserved_energy", totals.unobserved_energy);
  row.set("unobserved_momentum", to_point(totals.unobserved_momentum));
  row.set("emitted_energy", emitted_energy_);
  row.set("initial_energy", initial_.energy);
  row.set("initial_kinetic_energy", initial_.kinetic);
  row.set("initial_momentum", to_point(initial_.momentum));
}
}  // namespace

std::unique_ptr<Observable> make_ledger(const InitialState& initial) {
  return std::make_unique<LedgerColumns>(initial);
}

MERGANSER_END
