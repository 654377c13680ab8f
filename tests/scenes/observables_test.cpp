/// The columns of statistics.csv, and an observable and a check that are added as the pages say: a class and
/// an entry in the list, a row in the table.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/checks/run_checks.h"
#include "host/output/statistics.h"
#include "host/run/summary.h"
#include "host/simulation/stepped_simulation.h"
#include "solvers/base/parameter_rows.h"
#include "tests/support/shipped_scenes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zero_row.h"

MERGANSER_BEGIN
namespace observables_test {

using test::TemporaryFolder;
using test::text_of;

InitialState dam_break() { return test::small_initial_state("demos/dam_break.json"); }

TEST(Observables, ColumnsAreThoseOfTheDesign) {
  EXPECT_EQ(
      table_heading(columns_of(Column::statistics, make_simulation(dam_break())->columns()), {}),
      "step,time,dt,contacts,groups,largest_group,ignored_contacts,second_stage,momentum_x,momentum_y,"
      "momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,kinetic_energy,potential_energy,"
      "elastic_energy,dissipated_energy,max_speed,broken_bonds,density_error,crossings,iterations_1,"
      "iterations_2,deepest_overlap,virtual_bond_energy,dissipated_merging,dissipated_synchronization,"
      "dissipated_damping,dissipated_integration,dissipated_fracture,dissipated_walls,external_work,"
      "energy_residual,wall_impulse_x,wall_impulse_y,wall_impulse_z,external_impulse_x,external_impulse_y,"
      "external_impulse_z,momentum_residual_x,momentum_residual_y,momentum_residual_z,unobserved_energy,"
      "unobserved_momentum_x,unobserved_momentum_y,unobserved_momentum_z");
}

TEST(Observables, ARowHasAValueOfEveryColumn) {
  const auto simulation = make_simulation(dam_break());
  const StepStatistics row = simulation->step(1e9);
  for (const Column& column : simulation->columns()) EXPECT_TRUE(row.has(column.name)) << column.name;
  std::vector<std::string> known;
  const StepStatistics without = simulation->advance(1e9, false);
  for (const Column& column : simulation->columns())
    if (without.has(column.name)) known.push_back(column.name);
  EXPECT_EQ(known, (std::vector<std::string>{"step", "time", "dt", "contacts", "second_stage", "max_speed"}));
}

/// Names of columns are text: what checks, summary and made-up rows of tests look at must be there.
TEST(Observables, WhatTheHostLooksAtIsThere) {
  const auto simulation = make_simulation(dam_break());
  const StepStatistics row = simulation->step(1e9);
  CheckHistory history;
  for (const CheckType& type : check_types()) {
    if (type.derived) {
      EXPECT_NO_THROW(type.derived(row, history)) << type.word;
    } else if (type.subject == CheckSubject::none || type.subject == CheckSubject::sheet) {
      EXPECT_TRUE(row.has(type.column)) << type.word;
    }
    if (type.share_of) {
      EXPECT_NO_THROW(type.share_of(row, history)) << type.word;
    }
  }
  EXPECT_NO_THROW(history.begin_row(row));
  EXPECT_NO_THROW(history.end_row(row));
  RunTotals totals;
  EXPECT_NO_THROW(totals.observe(row, 1, 1));
  for (const Column& column : test::zero_row().columns()) EXPECT_TRUE(row.has(column.name)) << column.name;
}

/// What measures for checks is asked for by name, too.
TEST(Observables, ChecksAreMeasuredByObservablesOfTheList) {
  for (const CheckType& type : check_types()) {
    const bool known =
        std::any_of(all_observables().begin(), all_observables().end(),
                    [&](const ObservableEntry& entry) { return type.measured_by == entry.name; });
    EXPECT_TRUE(type.measured_by.empty() || known) << type.word;
  }
}

struct HighestParticle {
  static constexpr const char* name = "toy: highest particle";
  using Value = float;
  View<const Vec3> position;
  MERGANSER_METHOD float operator()(int i) const { return position[i].z; }
  MERGANSER_METHOD static float identity() { return -1e30f; }
  MERGANSER_METHOD static float combine(const float& a, const float& b) { return a > b ? a : b; }
};

/// How high the highest particle is [m], and how often that was measured.
class Highest final : public Observable {
 public:
  Columns columns() const override {
    return {{.name = "highest", .after = "max_speed"}, {"times_measured", Column::count}};
  }
  void after_step(const ObservedParts& parts, const StepContext&) override {
    highest_.run(parts.particles.count(), HighestParticle{parts.particles.position.const_view()});
    ++times_;
  }
  void write(const ObservedParts&, const StepOutcome&, StatisticsRow& row) const override {
    row.set("highest", highest_.fetched());
    row.set("times_measured", double(times_));
  }
  void save(StateArchive& archive, const std::string& prefix) const override {
    archive.put(prefix + "/times", std::vector<std::int64_t>{times_});
  }
  void load(const StateArchive& archive, const std::string& prefix) override {
    times_ = archive.get<std::int64_t>(prefix + "/times").at(0);
  }

 private:
  Reduction<float> highest_;
  std::int64_t times_ = 0;
};

std::vector<ObservableEntry> with_highest() {
  std::vector<ObservableEntry> list = all_observables();
  list.push_back({"highest", [](const InitialState&) -> std::unique_ptr<Observable> {
                    return std::make_unique<Highest>();
                  }});
  return list;
}

double highest_of(const FrameData& frame) {
  double most = -1e30;
  for (const Float3& x : frame.position) most = std::max(most, double(x[2]));
  return most;
}

TEST(AddedObservable, IsInTheRow) {
  SteppedSimulation simulation(dam_break(), with_highest());
  for (int k = 1; k <= 5; ++k) {
    const StepStatistics row = simulation.step(1e9);
    EXPECT_EQ(row["highest"], highest_of(simulation.frame()));
    EXPECT_EQ(row["times_measured"], k);
  }
  EXPECT_FALSE(simulation.advance(1e9, false).has("highest"));
  EXPECT_EQ(simulation.step(1e9)["times_measured"], 6) << "a step without a row measures nothing for it";
}

/// Rows without the times of stages, which differ.
void append_steps(Simulation& simulation, TableFile& file, int steps) {
  for (int k = 0; k < steps; ++k) {
    StepStatistics row = simulation.step(1e9);
    row.stage_milliseconds.clear();
    file.append(row);
  }
}

TEST(AddedObservable, IsInTheFileAlsoAfterAResume) {
  const TemporaryFolder folder;
  const InitialState initial = dam_break();
  SteppedSimulation whole(initial, with_highest()), first(initial, with_highest()),
      second(initial, with_highest());
  {
    TableFile file(folder / "whole.csv", Column::statistics, whole.columns(), 0, 0);
    append_steps(whole, file, 6);
  }
  {
    TableFile file(folder / "resumed.csv", Column::statistics, first.columns(), 0, 0);
    append_steps(first, file, 3);
  }
  second.load(first.save());
  TableFile file(folder / "resumed.csv", Column::statistics, second.columns(), 3, 3);
  append_steps(second, file, 3);
  EXPECT_EQ(text_of(folder / "resumed.csv"), text_of(folder / "whole.csv"));
  EXPECT_NE(text_of(folder / "whole.csv").find(",max_speed,highest,broken_bonds,"), std::string::npos);
}

/// A check on a column that is there, with a key of its own.
TEST(AddedCheck, IsARow) {
  const std::vector<CheckType> types = {{.word = "staysLow",
                                         .column = "highest",
                                         .keys = ParameterRows<CheckParameters>("check.staysLow")
                                                     .number("limit", &CheckParameters::limit, any_number(),
                                                             "m", "height of the highest particle")}};
  RunChecks low({{"staysLow", "", "", 100}}, 1, types), high({{"staysLow", "", "", -100}}, 1, types);
  SteppedSimulation simulation(dam_break(), with_highest());
  double highest = -1e30;
  for (int k = 0; k < 3; ++k) {
    const StepStatistics row = simulation.step(1e9);
    highest = std::max(highest, row["highest"]);
    low.observe(row);
    high.observe(row);
  }
  EXPECT_TRUE(low.results().at(0).passed);
  EXPECT_EQ(low.results().at(0).value, highest);
  EXPECT_FALSE(high.results().at(0).passed);
  EXPECT_TRUE(RunChecks::describe(high.results().at(0)).starts_with("check staysLow FAILED: "));
}

}  // namespace observables_test
MERGANSER_END
