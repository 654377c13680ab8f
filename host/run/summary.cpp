#include "host/run/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/version.h"

namespace merganser {
namespace {

using Json = nlohmann::ordered_json;

/// 0 where there was no row yet.
double value(const StepStatistics& row, const char* column) { return row.has(column) ? row[column] : 0; }

Point3 momentum(const StepStatistics& row) {
  return row.has("momentum_x") ? row.vector("momentum") : Point3{};
}

double total_energy(const StepStatistics& row) {
  return value(row, "kinetic_energy") + value(row, "potential_energy") + value(row, "elastic_energy");
}

long long count(const StepStatistics& row, const char* column) { return static_cast<long long>(row[column]); }

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

Json energy_json(const RunTotals& totals) {
  const double drift = total_energy(totals.last) - total_energy(totals.first);
  Json json{{"unit", "J"},
            {"first", total_energy(totals.first)},
            {"last", total_energy(totals.last)},
            {"drift", drift},
            {"drift_over_max_kinetic", ratio(drift, totals.max_kinetic_energy)},
            {"max_kinetic", totals.max_kinetic_energy},
            {"dissipated", value(totals.last, "dissipated_energy")}};
  for (const char* column : {"dissipated_damping", "dissipated_integration", "dissipated_fracture",
                             "dissipated_walls", "external_work"})
    json[column] = value(totals.last, column);
  json["unobserved"] = value(totals.last, "unobserved_energy");
  json["residual"] = value(totals.last, "energy_residual");
  return json;
}

Json momentum_json(const RunTotals& totals) {
  const Point3 p = momentum(totals.first), q = momentum(totals.last);
  double drift = 0, first = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    drift = std::hypot(drift, q[axis] - p[axis]);
    first = std::hypot(first, p[axis]);
  }
  return {{"unit", "kg m/s"},
          {"first", p},
          {"last", q},
          {"drift", drift},
          {"drift_over_first", ratio(drift, first)}};
}

Json checks_json(const std::vector<CheckResult>& checks) {
  Json list = Json::array();
  for (const CheckResult& check : checks) {
    Json entry{{"type", check.parameters.type}};
    if (!RunChecks::only_reports(check)) entry["passed"] = check.passed;
    entry["value"] = check.value;
    if (check.type->passes == CheckType::within) entry["least"] = check.parameters.least;
    entry["limit"] = check.parameters.limit;
    entry["step"] = check.step;
    if (!check.parameters.system.empty()) entry["system"] = check.parameters.system;
    if (!check.parameters.body.empty()) entry["body"] = check.parameters.body;
    if (!check.parameters.sheet.empty()) entry["sheet"] = check.parameters.sheet;
    if (!check.parameters.column.empty()) entry["column"] = check.parameters.column;
    if (check.followed > 0) {
      entry["particles_followed"] = check.followed;
      entry["particles_crossed"] = check.crossed;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

void RunTotals::observe(const StepStatistics& row, int particles, double seconds) {
  step_seconds += seconds;
  particle_steps += particles;
  max_contacts = std::max(max_contacts, count(row, "contacts"));
  second_stages += count(row, "second_stage");
  unmet_tolerances += !row.tolerance_met;
  if (row.dt > row.cfl_time_step * (1 + 1e-6) && ++beyond_cfl == 1)
    beyond_step = row.step, beyond_time = row.time, beyond_dt = row.dt, beyond_allowed = row.cfl_time_step;
  max_speed = std::max(max_speed, row["max_speed"]);
  if (row.has_row) observe_row(row);
}

std::string RunTotals::warning() const {
  if (beyond_cfl == 0) return "";
  return fmt::format(
      "{} steps of simulation.timeStepSize were so long that a particle can move further than its radius "
      "times "
      "simulation.cflFactor, first step {} (t = {:.4g} s) with {:.4g} s where {:.4g} s is the most: contacts "
      "can be missed; set it to less, or to 0 for steps that adapt",
      beyond_cfl, beyond_step, beyond_time, beyond_dt, beyond_allowed);
}

void RunTotals::observe_row(const StepStatistics& row) {
  if (first.step == 0) first = row;
  last = row;
  ++rows;
  max_crossings = std::max(max_crossings, count(row, "crossings"));
  largest_group = std::max(largest_group, count(row, "largest_group"));
  ignored_contacts += count(row, "ignored_contacts");
  max_density_error = std::max(max_density_error, row["density_error"]);
  deepest_overlap = std::max(deepest_overlap, row["deepest_overlap"]);
  max_kinetic_energy = std::max(max_kinetic_energy, row["kinetic_energy"]);
  for (const auto& [stage, milliseconds] : row.stage_milliseconds) {
    const auto known = std::find_if(stage_milliseconds.begin(), stage_milliseconds.end(),
                                    [&, name = &stage](const auto& entry) { return entry.first == *name; });
    if (known == stage_milliseconds.end())
      stage_milliseconds.emplace_back(stage, milliseconds);
    else
      known->second += milliseconds;
  }
}

std::string summary_json(const Summary& summary, const RunTotals& totals) {
  const double steps = static_cast<double>(summary.step);
  Json particles{{"total", summary.particles}};
  for (const auto& [name, count] : summary.particles_per_system) particles["per_system"][name] = count;
  Json stages = Json::object(), kernels = Json::object(), setup = Json::object();
  for (const auto& [name, value] : summary.setup) setup[name] = setup.value(name, 0.0) + value;
  for (const auto& [stage, milliseconds] : totals.stage_milliseconds)
    stages[stage] = ratio(milliseconds, static_cast<double>(totals.rows));
  for (const auto& [name, use] : summary.kernels)
    kernels[name] = {{"launches", use.first}, {"ms", use.second}};

  const Json json{
      {"version", version()},
      {"commit", commit()},
      {"scene",
       {{"title", summary.scene}, {"file", summary.scene_file.string()}, {"resolution", summary.resolution}}},
      {"seed", summary.seed},
      {"device", summary.device},
      {"threads", summary.threads},
      {"exit_reason", summary.exit_reason},
      {"exit_code", summary.exit_code < 0 ? Json(nullptr) : Json(summary.exit_code)},
      {"message", summary.message},
      {"checkpoint", summary.checkpoint},
      {"particles", particles},
      {"steps", summary.step},
      {"rows", totals.rows},
      {"frames", summary.frames},
      {"simulated_time", summary.time},
      {"end_time", summary.end_time},
      {"wall_time", summary.wall_seconds},
      {"wall_time_this_session", summary.session_wall_seconds},
      {"ms_per_step", ratio(totals.step_seconds * 1e3, steps)},
      {"ms_per_step_stages", stages},
      {"particle_steps_per_second", ratio(totals.particle_steps, totals.step_seconds)},
      {"device_bytes", summary.device_bytes},
      {"bytes_per_particle", ratio(static_cast<double>(summary.device_bytes), summary.particles)},
      {"setup", setup},
      {"energy", energy_json(totals)},
      {"momentum", momentum_json(totals)},
      {"max_crossings", totals.max_crossings},
      {"max_contacts", totals.max_contacts},
      {"largest_group", totals.largest_group},
      {"ignored_contacts", totals.ignored_contacts},
      {"second_stage_steps", totals.second_stages},
      {"steps_without_solver_tolerance", totals.unmet_tolerances},
      {"max_speed", totals.max_speed},
      {"max_density_error", totals.max_density_error},
      {"deepest_overlap", totals.deepest_overlap},
      {"kernels_this_session", kernels},
      {"checks", checks_json(summary.checks)},
      {"warnings", summary.warnings}};
  // Titles and messages may hold bytes that are not UTF-8; they must not stop a summary.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace merganser
