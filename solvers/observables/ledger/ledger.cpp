#include "solvers/observables/ledger/ledger.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"

MERGANSER_BEGIN

namespace {
template <class Totals, class Visitor>
void visit_numbers(Totals& totals, Visitor visit) {
  for (auto* value :
       {&totals.merging, &totals.synchronization, &totals.damping, &totals.integration, &totals.fracture,
        &totals.walls, &totals.work, &totals.energy_residual, &totals.unobserved_energy})
    visit(*value);
  for (auto* vector : {&totals.wall_impulse, &totals.external_impulse, &totals.momentum_residual,
                       &totals.unobserved_momentum})
    visit(vector->x), visit(vector->y), visit(vector->z);
}
}  // namespace

void Ledger::skip_to(double energy, const Vec3d& momentum) {
  totals_.unobserved_energy += energy - energy_;
  totals_.unobserved_momentum += momentum - momentum_;
  start(energy, momentum);
}

void Ledger::start(double energy, const Vec3d& momentum) {
  energy_ = energy;
  momentum_ = momentum;
}

void Ledger::emit(double energy, const Vec3d& momentum) {
  energy_ += energy;
  momentum_ += momentum;
  totals_.work += energy;
  totals_.external_impulse += momentum;
}

void Ledger::close(const LedgerStep& step) {
  const StepExchange& exchange = step.exchange;
  // A part of the inertia's loss is what synchronization took.
  const double integration = exchange.integration - step.synchronization;
  totals_.merging += step.merging;
  totals_.synchronization += step.synchronization_lost;
  totals_.damping += exchange.damping;
  totals_.integration += integration;
  totals_.fracture += step.fracture;
  totals_.walls += step.walls;
  totals_.work += exchange.work;
  totals_.energy_residual += step.energy - energy_ + step.merging + step.synchronization_lost +
                             exchange.damping + integration + step.fracture + step.walls - exchange.work;
  totals_.wall_impulse += step.wall_impulse;
  totals_.external_impulse += exchange.impulse;
  totals_.momentum_residual +=
      step.momentum - momentum_ - step.gravity - step.wall_impulse - exchange.impulse;
  energy_ = step.energy;
  momentum_ = step.momentum;
}

bool Ledger::is_finite() const {
  const std::vector<double> values = save();
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::vector<double> Ledger::save() const {
  std::vector<double> values;
  visit_numbers(totals_, [&](double value) { values.push_back(value); });
  values.insert(values.end(), {energy_, momentum_.x, momentum_.y, momentum_.z});
  return values;
}

void Ledger::load(const std::vector<double>& values) {
  size_t count = 0;
  visit_numbers(totals_, [&](double) { ++count; });
  if (values.size() != count + 4) throw FileError("checkpoint: its ledger is that of another version");
  auto value = values.begin();
  visit_numbers(totals_, [&](double& total) { total = *value++; });
  energy_ = value[0];
  momentum_ = {value[1], value[2], value[3]};
}

MERGANSER_END
