/// RunTotals in a checkpoint.
#include "host/run/checkpoint.h"
#include "host/run/summary.h"

namespace merganser {
namespace {

/// The totals as flat lists of numbers; `visit` gets every number by reference, so that saving and loading
/// agree.
template <class Totals, class Visitor>
void visit_reals(Totals& totals, Visitor visit) {
  visit(totals.wall_seconds);
  visit(totals.step_seconds);
  visit(totals.particle_steps);
  visit(totals.max_speed);
  visit(totals.max_density_error);
  visit(totals.deepest_overlap);
  visit(totals.max_kinetic_energy);
  visit(totals.beyond_time);
  visit(totals.beyond_dt);
  visit(totals.beyond_allowed);
  for (auto& stage : totals.stage_milliseconds) visit(stage.second);
}

template <class Totals, class Visitor>
void visit_integers(Totals& totals, Visitor visit) {
  visit(totals.rows);
  visit(totals.max_crossings);
  visit(totals.max_contacts);
  visit(totals.largest_group);
  visit(totals.ignored_contacts);
  visit(totals.second_stages);
  visit(totals.unmet_tolerances);
  visit(totals.beyond_cfl);
  visit(totals.beyond_step);
}

/// A row by the names of its columns.
void save_row(const StepStatistics& row, StateArchive& archive, const std::string& prefix) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Column& column : row.columns()) {
    if (!row.has(column.name)) continue;
    names.push_back(column.name);
    values.push_back(row[column.name]);
  }
  put_texts(archive, prefix + "/columns", names);
  archive.put(prefix + "/values", values);
  archive.put(prefix + "/step", std::vector<std::int64_t>{row.step});
}

StepStatistics load_row(const StateArchive& archive, const std::string& prefix) {
  Columns columns;
  for (const std::string& name : texts(archive, prefix + "/columns")) columns.push_back({name});
  const auto values = archive.get<double>(prefix + "/values");
  if (values.size() != columns.size())
    throw FileError("checkpoint: '" + prefix + "' has not as many values as columns");
  StepStatistics row(std::make_shared<const Columns>(columns));
  for (size_t k = 0; k < values.size(); ++k) row.set(columns[k].name, values[k]);
  row.step = archive.get<std::int64_t>(prefix + "/step").at(0);
  return row;
}

}  // namespace

void RunTotals::save(StateArchive& archive) const {
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> stages;
  visit_reals(*this, [&](double value) { reals.push_back(value); });
  visit_integers(*this, [&](long long value) { integers.push_back(value); });
  for (const auto& stage : stage_milliseconds) stages.push_back(stage.first);
  archive.put("totals/reals", reals);
  archive.put("totals/integers", integers);
  put_texts(archive, "totals/stages", stages);
  save_row(first, archive, "totals/first");
  save_row(last, archive, "totals/last");
}

void RunTotals::load(const StateArchive& archive) {
  stage_milliseconds.clear();
  for (const std::string& name : texts(archive, "totals/stages")) stage_milliseconds.emplace_back(name, 0.0);
  const auto reals = archive.get<double>("totals/reals");
  const auto integers = archive.get<std::int64_t>("totals/integers");
  size_t expected_reals = 0, expected_integers = 0;
  visit_reals(*this, [&](double) { ++expected_reals; });
  visit_integers(*this, [&](long long) { ++expected_integers; });
  if (reals.size() != expected_reals || integers.size() != expected_integers)
    throw FileError("checkpoint: the run's sums are those of another version");
  auto real = reals.begin();
  auto integer = integers.begin();
  visit_reals(*this, [&](double& value) { value = *real++; });
  visit_integers(*this, [&](long long& value) { value = *integer++; });
  first = load_row(archive, "totals/first");
  last = load_row(archive, "totals/last");
}

}  // namespace merganser
