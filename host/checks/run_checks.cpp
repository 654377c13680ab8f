#include "host/checks/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/errors.h"

namespace merganser {
namespace {

/// A NaN is worse than any number, and stays.
bool worse(double next, double value) { return !std::isnan(value) && !(next <= value); }

/// How many particles crossed and how many were followed; "" where none were.
std::string particles_text(const CheckResult& result) {
  std::string text;
  if (result.crossed > 0) text += fmt::format(" by {} particles", result.crossed);
  if (result.followed > 0) text += fmt::format(", {} followed", result.followed);
  return text;
}

std::string describe_report(const CheckResult& result) {
  const CheckParameters& check = result.parameters;
  std::string subject;
  if (!check.system.empty()) subject += " of " + check.system;
  if (!check.sheet.empty()) subject += " through " + check.sheet;
  return fmt::format(fmt::runtime(result.type->report), fmt::arg("value", result.value),
                     fmt::arg("subject", subject)) +
         particles_text(result);
}

}  // namespace

RunChecks::RunChecks(const std::vector<CheckParameters>& parameters, double mass,
                     const std::vector<CheckType>& types) {
  history_.mass = mass;
  for (const CheckParameters& check : parameters) {
    const CheckType& type = check_type(check.type, types);
    checks_.push_back({{.parameters = check, .type = &type}, column_of(type, check)});
    if (type.takes == CheckType::arrival)
      checks_.back().result.value = std::numeric_limits<double>::infinity();
  }
}

std::string RunChecks::wants_every_step() const {
  for (const State& check : checks_)
    if (check.result.type->every_step) return check.result.type->word;
  return "";
}

void RunChecks::observe(const StepStatistics& row) {
  if (row.has_row) history_.begin_row(row);
  for (State& check : checks_)
    if (check.result.type->derived ? row.has_row : row.has(check.column)) observe(check, row);
  if (row.has_row) history_.end_row(row);
}

bool RunChecks::take_probe(State& check, const StepStatistics& row, double& value) {
  if (std::isnan(value)) return false;  // there was nothing to measure
  const CheckType::Takes takes = check.result.type->takes;
  if (takes == CheckType::worst) value = std::abs(value);
  if (takes == CheckType::arrival) {
    if (value < check.result.parameters.reaches || std::isfinite(check.result.value)) return false;
    value = row.time;
  }
  if (takes == CheckType::swing) {
    if (row.time < check.result.parameters.after) return false;
    check.low = std::min(check.low, value);
    check.high = std::max(check.high, value);
    value = check.high - check.low;
  }
  return true;
}

void RunChecks::observe(State& check, const StepStatistics& row) const {
  CheckResult& result = check.result;
  const CheckType& type = *result.type;
  double next = type.derived ? type.derived(row, history_) : row[check.column];
  if (type.subject == CheckSubject::probe && !take_probe(check, row, next)) return;
  if (type.takes == CheckType::sum) next += result.value;
  if (type.takes == CheckType::last || type.takes == CheckType::arrival || worse(next, result.value)) {
    result.value = next;
    result.step = row.step;
  }
  if (type.share_of) check.whole = std::max(check.whole, type.share_of(row, history_));
  if (!type.tells_particles) return;
  result.followed = static_cast<long long>(row["followed_particles"]);
  result.crossed = static_cast<long long>(row["crossed_particles"]);
}

std::vector<CheckResult> RunChecks::results() const {
  std::vector<CheckResult> results;
  for (const State& check : checks_) {
    CheckResult result = check.result;
    const CheckType& type = *result.type;
    // The whole may still grow, so the share is formed from both greatest values.
    if (type.share_of) result.value = share(result.value, check.whole);
    const double limit = type.counts ? 0 : result.parameters.limit;
    const bool enough = result.value >= (type.passes == CheckType::within ? result.parameters.least : limit);
    const bool too_much = !(result.value <= limit);
    result.passed = type.passes == CheckType::always || ((enough || type.passes == CheckType::at_most) &&
                                                         (!too_much || type.passes == CheckType::at_least));
    results.push_back(std::move(result));
  }
  return results;
}

std::string RunChecks::describe(const CheckResult& result) {
  const CheckParameters& check = result.parameters;
  const CheckType& type = *result.type;
  const std::string when = result.step > 0 ? fmt::format(", reached at step {}", result.step) : "";
  if (only_reports(result)) return describe_report(result) + when;
  std::string text = fmt::format("check {}", check.type);
  if (!check.system.empty() || !check.sheet.empty())
    text += fmt::format(" ({} through {})", check.system, check.sheet);
  text += fmt::format(" {}: ", result.passed ? "passed" : "FAILED");
  text += type.counts ? fmt::format("{:.0f}", result.value) : fmt::format("{:.4g}", result.value);
  text += particles_text(result);
  if (!check.body.empty()) text += fmt::format(" of {}", check.body);
  if (!check.column.empty()) text += fmt::format(" of {}", check.column);
  if (!check.other.empty()) text += fmt::format(" and {}", check.other);
  if (type.passes == CheckType::within)
    text += fmt::format(", between {:g} and {:g}", check.least, check.limit);
  else if (!type.counts)
    text += fmt::format(", {} {:g}", type.passes == CheckType::at_least ? "at least" : "limit", check.limit);
  return text + when;
}

bool RunChecks::only_reports(const CheckResult& result) { return result.type->passes == CheckType::always; }

std::string RunChecks::failures(const std::vector<CheckResult>& results) {
  std::string all;
  for (const CheckResult& result : results)
    if (!result.passed) all += (all.empty() ? "" : "; ") + describe(result);
  return all;
}

void RunChecks::save(StateArchive& archive) const {
  std::vector<double> values;
  std::vector<std::int64_t> counts;
  for (const State& check : checks_) {
    values.insert(values.end(), {check.result.value, check.whole, check.low, check.high});
    counts.insert(counts.end(), {check.result.step, check.result.followed, check.result.crossed});
  }
  archive.put("checks/values", values);
  archive.put("checks/counts", counts);
  history_.save(archive);
}

void RunChecks::load(const StateArchive& archive) {
  const auto values = archive.get<double>("checks/values");
  const auto counts = archive.get<std::int64_t>("checks/counts");
  if (values.size() != 4 * checks_.size() || counts.size() != 3 * checks_.size())
    throw FileError("checkpoint: the checks are those of another scene");
  for (size_t i = 0; i < checks_.size(); ++i) {
    CheckResult& result = checks_[i].result;
    result.value = values[4 * i];
    checks_[i].whole = values[4 * i + 1];
    checks_[i].low = values[4 * i + 2];
    checks_[i].high = values[4 * i + 3];
    result.step = counts[3 * i];
    result.followed = counts[3 * i + 1];
    result.crossed = counts[3 * i + 2];
  }
  history_.load(archive);
}

}  // namespace merganser
