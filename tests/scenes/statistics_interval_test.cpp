/// Rows of statistics every few steps: what the particles do, what the counters count and what the ledger
/// says must not depend on how often somebody looks.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "tests/support/shipped_scenes.h"

MERGANSER_BEGIN
namespace statistics_interval_test {

using Arrays = std::map<std::string, std::vector<char>>;

/// All of a simulation's state but the ledger's sums, which are those of the rows.
Arrays state_of(const Simulation& simulation) {
  Arrays arrays;
  const StateArchive archive = simulation.save();
  for (const NamedArray& array : archive.arrays())
    if (!array.name.starts_with("observables/ledger/")) arrays[array.name] = array.bytes;
  return arrays;
}

/// Energy before the first step, as the books of a row have it.
double first_energy(const StepStatistics& row) {
  return row["kinetic_energy"] + row["potential_energy"] + row["elastic_energy"] + row["dissipated_energy"] +
         row["dissipated_damping"] + row["dissipated_integration"] + row["dissipated_fracture"] +
         row["dissipated_walls"] - row["external_work"] - row["unobserved_energy"] - row["energy_residual"];
}

StepStatistics run(Simulation& simulation, long long steps, long long interval) {
  StepStatistics last;
  while (simulation.step_count() < steps) {
    const long long next = simulation.step_count() + 1;
    const StepStatistics now = simulation.advance(1e9, next % interval == 0);
    EXPECT_EQ(now.step, next);
    EXPECT_EQ(now.has_row, next % interval == 0);
    if (now.has_row) last = now;
  }
  return last;
}

/// Of every number but the times of stages.
void expect_equal_rows(const StepStatistics& a, const StepStatistics& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a["kinetic_energy"], b["kinetic_energy"]);
  EXPECT_EQ(a["elastic_energy"], b["elastic_energy"]);
  EXPECT_EQ(a["dissipated_energy"], b["dissipated_energy"]);
  EXPECT_EQ(a["dissipated_integration"], b["dissipated_integration"]);
  EXPECT_EQ(a["dissipated_walls"], b["dissipated_walls"]);
  EXPECT_EQ(a["external_work"], b["external_work"]);
  EXPECT_EQ(a["unobserved_energy"], b["unobserved_energy"]);
  EXPECT_EQ(a.vector("unobserved_momentum"), b.vector("unobserved_momentum"));
  EXPECT_EQ(a["energy_residual"], b["energy_residual"]);
  EXPECT_EQ(a.vector("momentum_residual"), b.vector("momentum_residual"));
}

class StatisticsInterval : public testing::TestWithParam<std::string> {};

TEST_P(StatisticsInterval, ChangesNothingButTheRows) {
  constexpr long long steps = 60;
  const InitialState initial = test::small_initial_state(GetParam());
  const auto often = make_simulation(initial), seldom = make_simulation(initial);
  const StepStatistics each = run(*often, steps, 1), fifth = run(*seldom, steps, 5);
  const Arrays a = state_of(*often), b = state_of(*seldom);
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, bytes] : a) EXPECT_TRUE(bytes == b.at(name)) << name;

  EXPECT_EQ(each.time, fifth.time);
  EXPECT_EQ(each["contacts"], fifth["contacts"]);
  EXPECT_EQ(each["kinetic_energy"], fifth["kinetic_energy"]);
  EXPECT_EQ(each["elastic_energy"], fifth["elastic_energy"]);
  EXPECT_EQ(each["crossings"], fifth["crossings"]);
  EXPECT_EQ(each["crossed_particles"], fifth["crossed_particles"]);
  EXPECT_EQ(each["broken_bonds"], fifth["broken_bonds"]);
  EXPECT_EQ(each["unobserved_energy"], 0);
  EXPECT_EQ(each.vector("unobserved_momentum"), Point3{});
}

/// The books of a fifth of the steps close as well as all: together with what happened in the others they
/// lead back to the energy of the beginning, and what they leave unexplained is no more.
TEST_P(StatisticsInterval, TheLedgerCloses) {
  constexpr long long steps = 60;
  const InitialState initial = test::small_initial_state(GetParam());
  const auto often = make_simulation(initial), seldom = make_simulation(initial);
  const StepStatistics each = run(*often, steps, 1), fifth = run(*seldom, steps, 5);
  const double scale = std::abs(first_energy(each)) + each["kinetic_energy"] + each["elastic_energy"];
  EXPECT_NEAR(first_energy(fifth), first_energy(each), 1e-12 * scale);
  EXPECT_NE(fifth["unobserved_energy"], 0);
  double largest = 0;  // residual of a single step
  const auto again = make_simulation(initial);
  for (double before = 0; again->step_count() < steps;) {
    const double residual = again->step(1e9)["energy_residual"];
    largest = std::max(largest, std::abs(residual - before));
    before = residual;
  }
  EXPECT_LE(std::abs(fifth["energy_residual"]), steps / 5 * largest + 1e-12 * scale);
}

/// A checkpoint between two rows: those after it are the same to the bit.
TEST_P(StatisticsInterval, ContinuesFromACheckpoint) {
  const InitialState initial = test::small_initial_state(GetParam());
  const auto whole = make_simulation(initial);
  const StepStatistics last = run(*whole, 30, 5);
  for (long long stop : {12, 15}) {  // between rows, and at one
    const auto first = make_simulation(initial), second = make_simulation(initial);
    run(*first, stop, 5);
    second->load(first->save());
    EXPECT_EQ(second->step_count(), stop);
    expect_equal_rows(run(*second, 30, 5), last);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, StatisticsInterval,
                         testing::Values("merging_and_splitting/fig03_ball_on_cloth_low.json",
                                         "merging_and_splitting/fig04_fluid_beam_on_cloth.json",
                                         "merging_and_splitting/fig05_ball_hits_brittle_wall.json",
                                         "elastic_sph/soft_bodies_pile.json"),
                         test::scene_name);

/// A row at the end of a frame whatever is due, and only the known numbers without a row.
TEST(StatisticsOfFrames, AreThereAlways) {
  const auto simulation = make_simulation(test::small_initial_state("demos/dam_break.json"));
  const double frame = 4.5 * simulation->next_time_step();
  while (simulation->time() < frame) {
    const StepStatistics now = simulation->advance(frame, false);
    EXPECT_EQ(now.has_row, simulation->time() == frame);
    EXPECT_GT(now["max_speed"], 0);
    EXPECT_EQ(now.has("kinetic_energy"), now.has_row);
    EXPECT_EQ(now.stage_milliseconds.empty(), !now.has_row);
  }
}

long long launches_of(const Simulation& simulation, const std::string& prefix) {
  long long launches = 0;
  for (const auto& [name, use] : simulation.kernel_times())
    if (name.starts_with(prefix)) launches += use.first;
  return launches;
}

/// Nobody looks for contacts that nobody treats, unless the scene asks how deep they are.
TEST(ContactsOfNobody, CostNothing) {
  const std::string file = "merging_and_splitting/fig03_ball_on_cloth_low.json";
  for (bool asked : {false, true}) {
    const auto simulation = make_simulation(test::small_initial_state(
        file,
        {"coupling.method=none", asked ? "coupling.reportOverlap=true" : "coupling.reportOverlap=false"}));
    const long long before = launches_of(*simulation, "contact");
    const StepStatistics row = run(*simulation, 40, 1);
    const long long launches = launches_of(*simulation, "contact") - before;
    EXPECT_EQ(launches > 0, asked);
    EXPECT_EQ(std::isnan(row["deepest_overlap"]), !asked);
    EXPECT_EQ(row["contacts"], 0);
  }
}
/// A body alone that does not touch itself.
TEST(ContactsOfNobody, ABodyAloneHasNone) {
  const auto simulation = make_simulation(test::small_initial_state("elastic_sph/fig02_moving_bunny.json"));
  const long long before = launches_of(*simulation, "contact");
  const StepStatistics row = run(*simulation, 5, 1);
  EXPECT_EQ(launches_of(*simulation, "contact") - before, 0);
  EXPECT_EQ(row["deepest_overlap"], 0);
}

/// Steps between rows sum nothing for the ledger.
TEST(StepsWithoutRows, MeasureNothingForThem) {
  const auto simulation =
      make_simulation(test::small_initial_state("merging_and_splitting/fig03_ball_on_cloth_low.json"));
  run(*simulation, 5, 1);
  const auto count = [&] {
    return launches_of(*simulation, "ledger") + launches_of(*simulation, "particle sums") +
           launches_of(*simulation, "contact: deepest overlap");
  };
  const long long before = count();
  for (int k = 0; k < 5; ++k) simulation->advance(1e9, false);
  EXPECT_EQ(count(), before);
}

/// So that a scene's elastic and pressure solves can be told apart, as the paper gives them ([ES] sec. 9).
TEST(StagesOfAStep, APressureSolveOverSeveralSystemsIsAStageOfItsOwn) {
  const auto simulation =
      make_simulation(test::small_initial_state("elastic_sph/coupled_bunnies_in_water.json"));
  const StepStatistics row = run(*simulation, 3, 1);
  std::map<std::string, int> seen;
  std::map<std::string, double> milliseconds;
  for (const auto& [stage, time] : row.stage_milliseconds) ++seen[stage], milliseconds[stage] = time;
  for (const auto& [stage, times] : seen) EXPECT_EQ(times, 1) << stage;
  EXPECT_EQ(seen["coupled_pressure"], 1);
  EXPECT_GT(milliseconds["coupled_pressure"], 0);
  EXPECT_GT(milliseconds["integrate_1"], 0);
}

}  // namespace statistics_interval_test
MERGANSER_END
