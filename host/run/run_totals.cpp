/// RunTotals in a checkpoint.
#include <sstream>

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
  for (auto* row : {&totals.first, &totals.last}) {
    visit(row->time);
    for (auto& component : row->momentum) visit(component);
    for (auto& component : row->angular_momentum) visit(component);
    visit(row->kinetic_energy);
    visit(row->potential_energy);
    visit(row->elastic_energy);
    visit(row->dissipated_energy);
    for (auto* entry :
         {&row->dissipated_damping, &row->dissipated_integration, &row->dissipated_fracture,
          &row->dissipated_walls, &row->external_work, &row->energy_residual, &row->unobserved_energy})
      visit(*entry);
  }
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
  visit(totals.first.step);
  visit(totals.last.step);
}

}  // namespace

void RunTotals::save(StateArchive& archive) const {
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::string stages;
  visit_reals(*this, [&](double value) { reals.push_back(value); });
  visit_integers(*this, [&](long long value) { integers.push_back(value); });
  for (const auto& stage : stage_milliseconds) stages += stage.first + '\n';
  archive.put("totals/reals", reals);
  archive.put("totals/integers", integers);
  archive.put("totals/stages", std::vector<signed char>(stages.begin(), stages.end()));
}

void RunTotals::load(const StateArchive& archive) {
  const auto stages = archive.get<signed char>("totals/stages");
  const auto reals = archive.get<double>("totals/reals");
  const auto integers = archive.get<std::int64_t>("totals/integers");
  std::istringstream names{std::string(stages.begin(), stages.end())};
  stage_milliseconds.clear();
  for (std::string name; std::getline(names, name);) stage_milliseconds.emplace_back(name, 0.0);
  size_t expected_reals = 0, expected_integers = 0;
  visit_reals(*this, [&](double) { ++expected_reals; });
  visit_integers(*this, [&](long long) { ++expected_integers; });
  if (reals.size() != expected_reals || integers.size() != expected_integers)
    throw FileError("checkpoint: the run's sums are those of another version");
  auto real = reals.begin();
  auto integer = integers.begin();
  visit_reals(*this, [&](double& value) { value = *real++; });
  visit_integers(*this, [&](long long& value) { value = *integer++; });
}

}  // namespace merganser
