/// Rows of statistics, checks over them, and the summary.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/checks/run_checks.h"
#include "host/output/statistics.h"
#include "host/run/summary.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zero_row.h"

namespace merganser {
namespace host_statistics_test {

using test::TemporaryFolder;
using test::text_of;
using test::write_text;

StepStatistics row(long long step, double kinetic = 1, double potential = 0) {
  StepStatistics row = test::zero_row();
  row.step = step;
  row.time = 0.1 * static_cast<double>(step);
  row.set("step", static_cast<double>(step));
  row.set("time", row.time);
  row.set("kinetic_energy", kinetic);
  row.set("potential_energy", potential);
  row.set("energy_residual", step == 3 ? 0.5 : 0);
  row.set("deepest_overlap", step == 3 ? 0.0625 : 0);
  row.stage_milliseconds = {{"grid", 1.5}, {"contacts", 2.25}};
  return row;
}

/// A row of a run that began with these energies [J].
StepStatistics row_of_start(StepStatistics row, double kinetic, double potential = 0) {
  row.set("initial_kinetic_energy", kinetic);
  row.set("initial_energy", kinetic + potential);
  return row;
}

CheckResult only_result(const RunChecks& checks) { return checks.results().at(0); }

/// Numbers are the shortest text that reads back as the same double, counts are whole; what only checks see
/// is left out.
TEST(HostStatistics, RowsAreText) {
  const auto columns = std::make_shared<const Columns>(
      Columns{{"step", Column::count}, {"time"}, {.name = "travel(ball)", .file = Column::none}, {"energy"}});
  StepStatistics row(columns);
  row.set("step", 3e6);
  row.set("time", 0.1 + 0.2);
  row.set("travel(ball)", 7);
  row.set("energy", -1.5e-9);
  row.stage_milliseconds = {{"grid", 1.5}, {"contacts", 2.25}};
  const Columns in_file = columns_of(Column::statistics, *columns);
  EXPECT_EQ(table_heading(in_file, {"grid", "contacts"}), "step,time,energy,ms_grid,ms_contacts");
  EXPECT_EQ(table_row(row, in_file, {"grid", "merge", "contacts"}),
            "3000000,0.30000000000000004,-1.5e-09,1.5,0,2.25");
}

/// A column may stand behind one that is there already, so that a new observable does not part others.
TEST(HostStatistics, ColumnsStandWhereTheySay) {
  Columns all{{"a"}, {"b"}};
  place_columns(all, {{"c"}, {.name = "d", .after = "a"}, {.name = "e", .after = "d"}});
  EXPECT_EQ(table_heading(all, {}), "a,d,e,b,c");
}

TEST(HostStatistics, ARowKnowsItsColumnsOnly) {
  StepStatistics row(std::make_shared<const Columns>(vector_columns("momentum")));
  EXPECT_FALSE(row.has("momentum_x"));
  EXPECT_THROW(row["momentum_x"], std::out_of_range);
  EXPECT_THROW(row.set("energy", 1), std::out_of_range);
  row.set("momentum", Point3{1, 2, 3});
  EXPECT_EQ(row["momentum_z"], 3);
  EXPECT_EQ(row.vector("momentum"), (Point3{1, 2, 3}));
}

TEST(HostStatistics, ContinuesWithoutGapOrDuplicate) {
  const TemporaryFolder folder;
  const auto file = folder / "statistics.csv";
  {
    TableFile rows(file, Column::statistics, test::zero_row().columns(), 0, 0);
    for (int step = 1; step <= 5; ++step) rows.append(row(step));
  }
  const std::string whole = text_of(file);
  write_text(file, whole + "6,0.6,1e-");  // a row in part, as a crash of the machine may leave it
  {
    TableFile rows(file, Column::statistics, test::zero_row().columns(), 3, 3);
    EXPECT_EQ(rows.warning(), "");
    for (int step = 4; step <= 5; ++step) rows.append(row(step));
  }
  EXPECT_EQ(text_of(file), whole);
}

TEST(HostStatistics, SaysWhereRowsAreMissing) {
  const TemporaryFolder folder;
  TableFile rows(folder / "statistics.csv", Column::statistics, test::zero_row().columns(), 3, 3);
  EXPECT_NE(rows.warning(), "");
  rows.append(row(4));
  EXPECT_TRUE(text_of(folder / "statistics.csv").starts_with("step,"));
}

/// However a row and the loss fall together: there is no moment at which rows can go unseen.
TEST(HostStatistics, SeesItsFileShortenedBetweenAnyTwoInstructions) {
  const TemporaryFolder folder;
  for (int trial = 0; trial < 50; ++trial) {
    const auto file = folder / fmt::format("{}.csv", trial);
    std::atomic<int> written = 0;
    std::thread shortens([&] {
      while (written < 20) std::this_thread::yield();
      std::filesystem::resize_file(file, 0);
      written = -1;
    });
    TableFile rows(file, Column::statistics, test::zero_row().columns(), 0, 0);
    EXPECT_THROW(
        {
          for (int step = 1, after = 0; after < 3; ++step) {
            rows.append(row(step));
            if (int before = written; before >= 0)
              written.compare_exchange_strong(before, step);
            else
              ++after;
          }
        },
        FileError)
        << trial;
    written = 20;
    shortens.join();
  }
}

TEST(HostChecks, EnergyMayRiseByAShareOfTheKineticEnergy) {
  RunChecks checks({{"energyRise", "", "", 0.01}}, 1);
  checks.observe(row_of_start(row(1, 100, 0), 100));
  checks.observe(row(2, 90, 10.9));  // 0.9 % of 100 J
  EXPECT_TRUE(only_result(checks).passed);
  EXPECT_NEAR(only_result(checks).value, 0.009, 1e-12);
  checks.observe(row(3, 90, 5));
  checks.observe(row(4, 100, 0));  // 5 % of 100 J; the sum is still below the first one
  EXPECT_FALSE(only_result(checks).passed);
  EXPECT_EQ(only_result(checks).step, 4);
}

/// What walls, springs or a bad start give in the first step is measured from the state before it.
TEST(HostChecks, TheFirstStepMayRaiseTheEnergyAsLittle) {
  RunChecks at_rest({{"energyRise", "", "", 0.01}}, 1), falling({{"energyRise", "", "", 0.01}}, 1);
  at_rest.observe(row_of_start(row(1, 7500, 10), 0, 10));
  EXPECT_FALSE(only_result(at_rest).passed);
  EXPECT_EQ(only_result(at_rest).value, 1);
  EXPECT_EQ(only_result(at_rest).step, 1);
  falling.observe(row_of_start(row(1, 101, 9.5), 100, 10));  // 0.5 J of 101 J
  EXPECT_TRUE(only_result(falling).passed);
  EXPECT_NEAR(only_result(falling).value, 0.5 / 101, 1e-12);
}

/// What lies still has less kinetic energy than rounding of its positions moves in its potential energy.
TEST(HostChecks, RoundingAtRestIsNoRise) {
  for (const auto& [rise, passed] : {std::pair{1e-6, true}, std::pair{1e-5, false}}) {
    RunChecks checks({{"energyRise", "", "", 0.01}}, 1);
    checks.observe(row_of_start(row(1, 3e-8, -50), 3e-8, -50));
    checks.observe(row(2, 3e-8, -50 + rise));  // 2^-24 of 50 J: 3e-6 J
    EXPECT_EQ(only_result(checks).passed, passed);
  }
}

TEST(HostChecks, MomentumDriftCountsFromBeforeTheFirstStep) {
  RunChecks checks({{"momentumDrift", "", "", 0.1}}, 2);
  StepStatistics a = row(1, 4);
  a.set("initial_momentum", Point3{1, 0, 0});
  a.set("momentum", Point3{2, 0, 0});
  checks.observe(a);
  EXPECT_NEAR(only_result(checks).value, 1.0 / 4, 1e-15);
  EXPECT_FALSE(only_result(checks).passed);
}

/// The greatest speed is known of every step, with a row or without.
TEST(HostChecks, SpeedIsThatOfEveryStep) {
  RunChecks checks({{"maxSpeed", "", "", 2}}, 1);
  checks.observe(row(1));
  StepStatistics fast(std::make_shared<const Columns>(Columns{{"max_speed"}}));
  fast.has_row = false;
  fast.step = 2;
  fast.set("max_speed", 3);
  checks.observe(fast);
  checks.observe(row(3));
  EXPECT_FALSE(only_result(checks).passed);
  EXPECT_EQ(only_result(checks).step, 2);
}

/// Whatever it was before, the last step's speed counts.
TEST(HostChecks, RestIsThatOfTheLastStep) {
  RunChecks checks({{"comesToRest", "", "", 0.1}}, 1);
  StepStatistics a = row(1);
  a.set("max_speed", 3);
  checks.observe(a);
  EXPECT_FALSE(only_result(checks).passed);
  a.step = 2;
  a.set("max_speed", 0.05);
  checks.observe(a);
  EXPECT_TRUE(only_result(checks).passed);
}

/// When a probe first reaches a value, where it ends, and how far it swings from a time on; a checkpoint in
/// between changes nothing.
TEST(HostChecks, ProbesArriveEndAndSwing) {
  CheckParameters arrives{.type = "probeArrives", .limit = 0.5}, ends{.type = "probeEnds", .limit = -1},
      swings{.type = "probeSwings", .limit = 6};
  arrives.column = ends.column = swings.column = "gauge";
  arrives.reaches = 3, arrives.least = 0.4;
  ends.least = -2;
  swings.after = 0.3, swings.least = 5;
  const std::vector<CheckParameters> all{arrives, ends, swings};
  RunChecks checks(all, 1);
  const auto columns = std::make_shared<const Columns>(Columns{{.name = "gauge", .file = Column::probes}});
  const auto observe = [&](long long step, double value) {
    StateArchive archive;
    checks.save(archive);
    RunChecks resumed(all, 1);
    resumed.load(archive);
    StepStatistics known(columns);
    known.step = step;
    known.time = 0.1 * double(step);
    known.has_row = false;
    known.set("gauge", value);
    resumed.observe(known);
    checks = resumed;
  };
  observe(1, -9);
  observe(2, 1);  // before the swing counts
  std::vector<CheckResult> results = checks.results();
  EXPECT_TRUE(std::isinf(results[0].value));
  for (const CheckResult& result : results) EXPECT_FALSE(result.passed) << RunChecks::describe(result);
  observe(3, -2);
  observe(4, std::numeric_limits<double>::quiet_NaN());
  observe(5, 3.5);
  observe(6, 9);
  EXPECT_FALSE(checks.results()[2].passed) << "11 are too many";
  checks = RunChecks(all, 1);
  for (const auto& [step, value] : {std::pair{3, -2.0}, {5, 3.5}, {7, 3.0}, {9, -1.5}}) observe(step, value);
  results = checks.results();
  for (const CheckResult& result : results) EXPECT_TRUE(result.passed) << RunChecks::describe(result);
  EXPECT_NEAR(results[0].value, 0.5, 1e-12);
  EXPECT_EQ(results[0].step, 5);
  EXPECT_EQ(results[1].value, -1.5);
  EXPECT_EQ(results[2].value, 5.5);
  EXPECT_EQ(RunChecks::describe(results[2]),
            "check probeSwings passed: 5.5 of gauge, between 5 and 6, reached at step 5");
  observe(10, -2.5);  // where it ends
  EXPECT_FALSE(checks.results()[1].passed);
}

/// Values of probes come when they are due, may be negative, and are NaN where there is nothing to measure.
TEST(HostChecks, ProbesAreLookedAtWhereTheyAreDue) {
  CheckParameters reaches{.type = "probeReaches", .limit = 3}, stays{.type = "probeStays", .limit = 3};
  reaches.column = stays.column = "gate_flow";
  RunChecks checks({reaches, stays}, 1);
  const auto columns =
      std::make_shared<const Columns>(Columns{{.name = "gate_flow", .file = Column::probes}});
  const auto observe = [&](long long step, std::optional<double> value, bool has_row) {
    StepStatistics known(columns);
    known.step = step;
    known.has_row = has_row;
    if (value) known.set("gate_flow", *value);
    StepStatistics whole = row(step);
    checks.observe(has_row && !value ? whole : known);
  };
  observe(1, -2, false);
  observe(2, std::numeric_limits<double>::quiet_NaN(), false);
  observe(3, {}, true);
  std::vector<CheckResult> results = checks.results();
  EXPECT_FALSE(results[0].passed);
  EXPECT_TRUE(results[1].passed);
  EXPECT_EQ(results[1].value, 2);
  observe(4, -3.5, false);
  results = checks.results();
  EXPECT_TRUE(results[0].passed);
  EXPECT_FALSE(results[1].passed);
  EXPECT_EQ(results[1].step, 4);
  EXPECT_NE(RunChecks::describe(results[1]).find("of gate_flow"), std::string::npos);
}

TEST(HostChecks, WhatEmittersBringIsNoRise) {
  RunChecks checks({{"energyRise", "", "", 0.01}}, 1);
  checks.observe(row_of_start(row(1, 100, 0), 100));
  StepStatistics emitting = row(2, 150, 0.5);
  emitting.set("emitted_energy", 50);
  checks.observe(emitting);
  EXPECT_TRUE(only_result(checks).passed);
  EXPECT_NEAR(only_result(checks).value, 0.5 / 150, 1e-12);
  emitting.step = 3;
  emitting.set("kinetic_energy", 155);
  emitting.set("emitted_energy", 0);
  checks.observe(emitting);
  EXPECT_FALSE(only_result(checks).passed);
}

TEST(HostChecks, CrossingsSpeedAndNumbers) {
  RunChecks checks({{"noCrossing", "water", "sheet", 0},
                    {"reportCrossings", "water", "sheet", 0},
                    {"maxSpeed", "", "", 3},
                    {"finite", "", "", 0}},
                   1);
  StepStatistics a = row(1);
  a.set("max_speed", 3);
  checks.observe(a);
  for (const CheckResult& result : checks.results()) EXPECT_TRUE(result.passed) << result.parameters.type;
  a.step = 2;
  a.set("crossings", 2);
  a.set("max_speed", 3.5);
  a.set("elastic_energy", std::numeric_limits<double>::quiet_NaN());
  checks.observe(a);
  a = row(3);
  a.set("crossings", 2);
  checks.observe(a);
  const auto results = checks.results();
  EXPECT_FALSE(results[0].passed);
  EXPECT_EQ(results[0].value, 2);
  EXPECT_EQ(results[0].step, 2);
  EXPECT_TRUE(results[1].passed);
  EXPECT_EQ(results[1].value, 2);
  EXPECT_FALSE(results[2].passed);
  EXPECT_EQ(results[2].value, 3.5);
  EXPECT_FALSE(results[3].passed);
  EXPECT_EQ(results[3].value, 1);
  EXPECT_EQ(RunChecks::describe(results[1]), "crossings of water through sheet: 2, reached at step 2");
  EXPECT_EQ(RunChecks::describe(results[2]), "check maxSpeed FAILED: 3.5, limit 3, reached at step 2");
}

TEST(HostChecks, NaNFailsAndStays) {
  RunChecks checks({{"maxSpeed", "", "", 3}}, 1);
  StepStatistics a = row(1);
  a.set("max_speed", std::nan(""));
  checks.observe(a);
  checks.observe(row(2));
  EXPECT_FALSE(only_result(checks).passed);
}

TEST(HostChecks, MomentumDriftIsRelativeToWhatTheMassCanHave) {
  // 2 kg at 4 J have at most sqrt(2 * 2 * 4) = 4 kg m/s, also where the momenta cancel.
  RunChecks checks({{"momentumDrift", "", "", 1e-3}}, 2);
  StepStatistics a = row(1, 4);
  checks.observe(a);
  a.step = 2;
  a.set("momentum", Point3{0, 0.003, -0.004});
  checks.observe(a);
  EXPECT_NEAR(only_result(checks).value, 0.005 / 4, 1e-15);
  EXPECT_FALSE(only_result(checks).passed);
}

TEST(HostChecks, EnergyLedgerIsRelativeToTheLargestKineticAndElasticEnergy) {
  RunChecks checks({{"energyLedger", "", "", 0.01}}, 1);
  StepStatistics a = row(1, 10, 5000);
  a.set("energy_residual", -0.5);
  checks.observe(a);
  EXPECT_FALSE(only_result(checks).passed) << "5 % of 10 J; potential energy depends on where zero is";
  a = row(2, 10);
  a.set("elastic_energy", 90);
  checks.observe(a);
  EXPECT_NEAR(only_result(checks).value, 0.005, 1e-15);
  EXPECT_EQ(only_result(checks).step, 1);
  EXPECT_TRUE(only_result(checks).passed);
}

TEST(HostChecks, VerdictSurvivesACheckpoint) {
  const std::vector<CheckParameters> parameters{{"energyRise", "", "", 0.5},
                                                {"momentumDrift", "", "", 1},
                                                {"energyLedger", "", "", 1},
                                                {"maxSpeed", "", "", 1},
                                                {"finite", "", "", 0}};
  RunChecks whole(parameters, 1), first(parameters, 1), second(parameters, 1);
  for (int step = 1; step <= 6; ++step) {
    StepStatistics a = row_of_start(row(step, 1 + step % 3, 0.3 * step), 2);
    a.set("momentum", Point3{0.1 * step, 0, 0});
    a.set("max_speed", 1.0 / step);
    whole.observe(a);
    (step <= 3 ? first : second).observe(a);
    if (step == 3) {
      StateArchive archive;
      first.save(archive);
      second.load(archive);
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(whole.results()[i].value, second.results()[i].value) << parameters[i].type;
    EXPECT_EQ(whole.results()[i].step, second.results()[i].step) << parameters[i].type;
    EXPECT_EQ(whole.results()[i].passed, second.results()[i].passed) << parameters[i].type;
  }
}

TEST(HostChecks, UnknownTypeIsAnInputError) {
  EXPECT_THROW(RunChecks({{"noSuch", "", "", 0}}, 1), InputError);
}

TEST(HostSummary, TotalsSurviveACheckpoint) {
  RunTotals totals, loaded;
  for (int step = 1; step <= 3; ++step) totals.observe(row(step, step), 10, 0.5);
  totals.wall_seconds = 7;
  StateArchive archive;
  totals.save(archive);
  loaded.load(archive);
  EXPECT_EQ(summary_json({}, totals), summary_json({}, loaded));
  EXPECT_EQ(loaded.wall_seconds, 7);
  EXPECT_EQ(loaded.particle_steps, 30);
  EXPECT_EQ(loaded.first.step, 1);
}

TEST(HostSummary, SaysWhatTheDesignLists) {
  RunTotals totals;
  for (int step = 1; step <= 4; ++step) totals.observe(row(step, step), 10, 0.5);
  Summary summary;
  summary.scene = "bad byte \xff";
  summary.step = 4;
  summary.particles = 10;
  summary.particles_per_system = {{"water", 10}};
  summary.device_bytes = 3000;
  summary.exit_reason = "finished";
  summary.exit_code = 0;
  summary.checks = {
      {{"maxSpeed", "", "", 3}, &check_type("maxSpeed"), false, std::numeric_limits<double>::infinity(), 2}};
  const auto json = nlohmann::json::parse(summary_json(summary, totals));
  for (const char* key : {"version", "commit", "scene", "seed", "device", "steps", "simulated_time",
                          "wall_time", "exit_reason", "max_crossings", "energy", "momentum"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["particles"]["per_system"]["water"], 10);
  EXPECT_EQ(json["ms_per_step"], 500);
  EXPECT_EQ(json["ms_per_step_stages"]["contacts"], 2.25);
  EXPECT_EQ(json["particle_steps_per_second"], 20);
  EXPECT_EQ(json["bytes_per_particle"], 300);
  EXPECT_EQ(json["energy"]["drift"], 3);
  EXPECT_EQ(json["deepest_overlap"], 0.0625) << "the greatest of all rows, not the last";
  EXPECT_EQ(json["checks"][0]["passed"], false);
}

}  // namespace host_statistics_test
}  // namespace merganser
