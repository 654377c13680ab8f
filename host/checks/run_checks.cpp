#include "host/checks/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace merganser {
namespace {

double total_energy(const StepStatistics& row) {
  return row.kinetic_energy + row.potential_energy + row.elastic_energy;
}

/// part / whole, where nothing of nothing is nothing.
double share(double part, double whole) {
  if (part <= 0) return 0;
  return whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

bool is_finite(const StepStatistics& row) {
  double sum = row.time + row.dt + total_energy(row) + row.dissipated_energy + row.max_speed +
               row.density_error + row.energy_residual;
  for (int axis = 0; axis < 3; ++axis)
    sum += std::abs(row.momentum[axis]) + std::abs(row.angular_momentum[axis]) +
           std::abs(row.momentum_residual[axis]);
  return std::isfinite(sum);
}

/// A NaN is worse than any number, and stays.
bool worse(double next, double value) { return !std::isnan(value) && !(next <= value); }

bool counts(const std::string& type) {
  return type == "noCrossing" || type == "reportCrossings" || type == "finite" || type == "noLinks";
}

bool counts_crossings(const std::string& type) { return type == "noCrossing" || type == "reportCrossings"; }

/// Types that only measure.
bool reports(const std::string& type) { return type == "reportCrossings" || type == "reportRebound"; }

/// What a measurement says of itself.
/// How many particles crossed and how many were followed; "" where none were.
std::string particles_text(const CheckResult& result) {
  std::string text;
  if (result.crossed > 0) text += fmt::format(" by {} particles", result.crossed);
  if (result.followed > 0) text += fmt::format(", {} followed", result.followed);
  return text;
}

std::string describe_report(const CheckResult& result) {
  const CheckParameters& check = result.parameters;
  if (check.type == "reportRebound")
    return fmt::format("rebound: {:.4g} J of potential energy regained since its lowest", result.value);
  std::string text = "crossings";
  if (!check.system.empty()) text += fmt::format(" of {}", check.system);
  if (!check.sheet.empty()) text += fmt::format(" through {}", check.sheet);
  return text + fmt::format(": {:.0f}", result.value) + particles_text(result);
}

/// Types whose value is what happens within a step.
bool speaks_of_steps(const std::string& type) {
  return type == "energyRise" || type == "energyLedger" || type == "overlapBeforeBreak";
}

/// Types whose value must reach the limit.
bool must_reach(const std::string& type) { return type == "breaks" || type == "travels"; }

/// Types whose value is that of the last step, not the worst.
bool takes_last(const std::string& type) { return type == "returnsToShape"; }

}  // namespace

Checks::Checks(std::vector<CheckParameters> parameters, double mass) : mass_(mass) {
  for (CheckParameters& check : parameters) {
    const std::string& type = check.type;
    if (!counts(type) && !reports(type) && !must_reach(type) && type != "energyRise" && type != "maxSpeed" &&
        type != "momentumDrift" && type != "energyLedger" && type != "overlapBeforeBreak" &&
        type != "sameMotion" && !takes_last(type))
      throw InputError(
          "checks: unknown type '" + type +
          "'; allowed: noCrossing, reportCrossings, reportRebound, energyRise, maxSpeed, "
          "momentumDrift, energyLedger, finite, breaks, travels, overlapBeforeBreak, returnsToShape, "
          "sameMotion, noLinks");
    results_.push_back({std::move(check), true, 0, 0});
  }
}

double Checks::measure(const CheckParameters& check, const StepStatistics& row) const {
  if (check.type == "energyRise")
    return rows_ == 0 ? 0
                      : share(total_energy(row) - previous_total_ - row.emitted_energy,
                              std::max(row.kinetic_energy, previous_kinetic_));
  if (check.type == "maxSpeed") return row.max_speed;
  if (check.type == "reportRebound") return row.potential_energy - lowest_potential_;
  if (check.type == "finite") return is_finite(row) ? 0 : 1;
  if (check.type == "breaks") return share(double(row.broken_bonds), double(row.bonds));
  if (check.type == "overlapBeforeBreak") return row.broken_bonds == 0 ? row.deepest_overlap : 0;
  return static_cast<double>(row.crossings);
}

std::string Checks::wants_every_step() const {
  for (const CheckResult& result : results_)
    if (speaks_of_steps(result.parameters.type)) return result.parameters.type;
  return "";
}

void Checks::observe(const StepStatistics& row) {
  if (!row.has_row) {
    for (CheckResult& result : results_)
      if (result.parameters.type == "maxSpeed" && worse(row.max_speed, result.value)) {
        result.value = row.max_speed;
        result.step = row.step;
      }
    return;
  }
  if (rows_ == 0) first_momentum_ = row.momentum;
  if (rows_ == 0 || row.potential_energy < lowest_potential_) lowest_potential_ = row.potential_energy;
  double drift = 0;
  for (int axis = 0; axis < 3; ++axis) drift = std::hypot(drift, row.momentum[axis] - first_momentum_[axis]);
  greatest_momentum_ = std::max(greatest_momentum_, std::sqrt(2 * mass_ * row.kinetic_energy));
  const bool drifted = worse(drift, greatest_drift_);
  if (drifted) greatest_drift_ = drift;
  greatest_energy_ = std::max(greatest_energy_, row.kinetic_energy + row.elastic_energy);
  const double residual = std::abs(row.energy_residual);
  const bool less_closed = worse(residual, greatest_residual_);
  if (less_closed) greatest_residual_ = residual;
  size_t tracked = 0, shaped = 0, copied = 0, unlinked = 0;
  for (CheckResult& result : results_) {
    const CheckParameters& check = result.parameters;
    if (counts_crossings(check.type)) {
      result.followed = row.followed_particles;
      result.crossed = row.crossed_particles;
    }
    if (check.type == "momentumDrift") {
      // The divisor may still grow, so the value is formed from both greatest values.
      result.value = share(greatest_drift_, greatest_momentum_);
      if (drifted) result.step = row.step;
    } else if (check.type == "energyLedger") {
      result.value = share(greatest_residual_, greatest_energy_);
      if (less_closed) result.step = row.step;
    } else {
      const double value = check.type == "travels"          ? row.travel.at(tracked++)
                           : check.type == "returnsToShape" ? row.shape_error.at(shaped++)
                           : check.type == "sameMotion"     ? row.deviation.at(copied++)
                           : check.type == "noLinks"        ? double(row.links.at(unlinked++))
                                                            : measure(check, row);
      const double next = check.type == "finite" ? result.value + value : value;
      if (takes_last(check.type) || worse(next, result.value)) {
        result.value = next;
        result.step = row.step;
      }
    }
  }
  previous_kinetic_ = row.kinetic_energy;
  previous_total_ = total_energy(row);
  ++rows_;
}

std::vector<CheckResult> Checks::results() const {
  std::vector<CheckResult> results = results_;
  for (CheckResult& result : results) {
    const std::string& type = result.parameters.type;
    const double limit = result.parameters.limit;
    result.passed = reports(type) ||
                    (must_reach(type) ? result.value >= limit : result.value <= (counts(type) ? 0 : limit));
  }
  return results;
}

std::string Checks::describe(const CheckResult& result) {
  const CheckParameters& check = result.parameters;
  const std::string when = result.step > 0 ? fmt::format(", reached at step {}", result.step) : "";
  if (only_reports(result)) return describe_report(result) + when;
  std::string text = fmt::format("check {}", check.type);
  if (!check.system.empty() || !check.sheet.empty())
    text += fmt::format(" ({} through {})", check.system, check.sheet);
  text += fmt::format(" {}: ", result.passed ? "passed" : "FAILED");
  text += counts(check.type) ? fmt::format("{:.0f}", result.value) : fmt::format("{:.4g}", result.value);
  text += particles_text(result);
  if (!check.body.empty()) text += fmt::format(" of {}", check.body);
  if (!check.other.empty()) text += fmt::format(" and {}", check.other);
  if (!counts(check.type))
    text += fmt::format(", {} {:g}", must_reach(check.type) ? "at least" : "limit", check.limit);
  return text + when;
}

bool Checks::only_reports(const CheckResult& result) { return reports(result.parameters.type); }

std::string Checks::failures(const std::vector<CheckResult>& results) {
  std::string all;
  for (const CheckResult& result : results)
    if (!result.passed) all += (all.empty() ? "" : "; ") + describe(result);
  return all;
}

void Checks::save(StateArchive& archive) const {
  std::vector<double> values;
  std::vector<std::int64_t> steps, particles;
  for (const CheckResult& result : results_) {
    values.push_back(result.value);
    steps.push_back(result.step);
    particles.push_back(result.followed);
    particles.push_back(result.crossed);
  }
  archive.put("checks/values", values);
  archive.put("checks/steps", steps);
  archive.put("checks/particles", particles);
  archive.put("checks/rows", std::vector<std::int64_t>{rows_});
  archive.put("checks/history",
              std::vector<double>{first_momentum_[0], first_momentum_[1], first_momentum_[2],
                                  greatest_momentum_, greatest_drift_, previous_kinetic_, previous_total_,
                                  lowest_potential_, greatest_energy_, greatest_residual_});
}

void Checks::load(const StateArchive& archive) {
  const auto values = archive.get<double>("checks/values");
  const auto steps = archive.get<std::int64_t>("checks/steps");
  const auto particles = archive.get<std::int64_t>("checks/particles");
  const auto history = archive.get<double>("checks/history");
  const auto rows = archive.get<std::int64_t>("checks/rows");
  if (values.size() != results_.size() || steps.size() != values.size() ||
      particles.size() != 2 * values.size() || history.size() != 10 || rows.size() != 1)
    throw FileError("checkpoint: the checks are those of another scene");
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].value = values[i];
    results_[i].step = steps[i];
    results_[i].followed = particles[2 * i];
    results_[i].crossed = particles[2 * i + 1];
  }
  first_momentum_ = {history[0], history[1], history[2]};
  greatest_momentum_ = history[3];
  greatest_drift_ = history[4];
  previous_kinetic_ = history[5];
  previous_total_ = history[6];
  lowest_potential_ = history[7];
  greatest_energy_ = history[8];
  greatest_residual_ = history[9];
  rows_ = rows[0];
}

}  // namespace merganser
