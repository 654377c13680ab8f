/// Budget of launches that a step may send to the GPU: a step of a few thousand particles is ruled by
/// launches and waits. Counted in the emulated build, where launches are the GPU half's.
#include <gtest/gtest.h>

#include "device/launch.h"
#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/shipped_scenes.h"

#if MERGANSER_GPU_HALF
MERGANSER_BEGIN
namespace launch_budget_test {

struct Budget {
  std::string scene;
  std::vector<std::string> changes;
  double kernels, reads;   ///< a step at most, on average; kernels with copies on the device
  double recordings;       ///< of launch graphs, a step at most
  int steps = 20;          ///< that are counted
  double resolution = 0;   ///< of the scene, 0 = that of small_initial_state()
  double contacts = 1;     ///< pairs of a step at least before steps are counted
  long long latest = 100;  ///< step from which steps are counted whatever their contacts
};
void PrintTo(const Budget& budget, std::ostream* out) { *out << budget.scene; }

/// The beam of fig04_fluid_beam_on_cloth by the incompressible solver.
const std::string incompressible_beam =
    R"(systems.water={"name": "water", "type": "dfsph", "density0": 1000, "viscosity": 0.05, "bodies": [{"name":)"
    R"( "beam", "shape": "cylinder", "start": [0, 0, 0.02], "end": [0, 0, 0.82], "radius": 0.12,)"
    R"( "velocity": [0, 0, -3]}]})";

/// Probes of a scene are not the solver's.
const std::string mirrored = R"(systems.water.wallPressure="mirrored")";
const std::string no_probes = "probes=[]", no_checks_of_probes = R"(checks=[{"type": "finite"}])";

/// Steps after the tenth step with so many contacts (or from step `latest` on). Further looks at a solve and
/// second stages come and go with the contacts: they are counted over a hundred steps.
void expect_kept(const Budget& budget) {
  const auto simulation =
      make_simulation(test::small_initial_state(budget.scene, budget.changes, budget.resolution));
  for (int in_contact = 0; in_contact < 10 && simulation->step_count() < budget.latest;)
    in_contact += simulation->step(1e9)["contacts"] >= budget.contacts;
  const int steps = budget.steps;
  int iterations = 0, second_stages = 0, fewest_contacts = 1 << 30;
  const DeviceTraffic before = simulation->traffic();
  for (int s = 0; s < steps; ++s) {
    const StepStatistics row = simulation->step(1e9);
    iterations += row["iterations_1"] + row["iterations_2"];
    second_stages += row["second_stage"];
    fewest_contacts = std::min(fewest_contacts, int(row["contacts"]));
  }
  const DeviceTraffic after = simulation->traffic();
  const double kernels = double(after.kernels - before.kernels + after.copies - before.copies) / steps;
  const double graphs = double(after.graphs - before.graphs) / steps;
  const double reads = double(after.reads - before.reads) / steps,
               writes = double(after.writes - before.writes) / steps;
  const double recordings = double(after.recordings - before.recordings) / steps;
  EXPECT_GE(fewest_contacts, budget.contacts > 1 ? 0.95 * budget.contacts : 0);
  EXPECT_LE(kernels, budget.kernels);
  EXPECT_LE(reads + writes, budget.reads);
  EXPECT_LE(recordings, budget.recordings);
  note(
      "%s: %.1f kernels and copies, %.1f graphs, %.2f recordings, %.1f reads, %.1f writes; %.1f iterations, "
      "%.2f second stages\n",
      budget.scene.c_str(), kernels, graphs, recordings, reads, writes, double(iterations) / steps,
      double(second_stages) / steps);
}
std::string case_name(const testing::TestParamInfo<Budget>& info) {
  return test::scene_name(testing::TestParamInfo<std::string>(info.param.scene, info.index)) +
         (info.param.changes.empty() ? "" : "_changed_" + std::to_string(info.index));
}

class LaunchBudget : public testing::TestWithParam<Budget> {};
TEST_P(LaunchBudget, IsKept) { expect_kept(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    Scenes, LaunchBudget,
    testing::Values(
        Budget{"demos/dam_break.json", {"coupling.method=none"}, 20, 1, 0},
        Budget{"merging_and_splitting/fig04_fluid_beam_on_cloth.json", {}, 115, 5.1, 0.1, 100},
        // Five reads, and a further look of one solve in twenty steps. Fig. 2: one look more than iterations
        // need, at the residual that is taken anew (known products).
        Budget{"elastic_sph/fig02_moving_bunny.json", {"systems.solid.solve=preconditioned"}, 49, 3.2, 0.1},
        // The wall stands on a floor: a read for rows that the solution takes behind it. Water
        // parts from walls: a second solve of five launches and a read. A launch finds the motion of cells.
        Budget{"merging_and_splitting/fig09_flip_brittle.json", {}, 147, 9.2, 0.1},
        Budget{"merging_and_splitting/fig05_ball_hits_brittle_wall.json", {}, 82, 5, 0.1, 100},
        Budget{"dfsph/dam_break_100k.json",
               {"coupling.method=none", mirrored, no_probes, no_checks_of_probes},
               46,
               4,
               0.1},
        // Images between walls: who has them, their grid, rows and mirrored values; a read of their number.
        Budget{"dfsph/dam_break_100k.json",
               {"coupling.method=none", no_probes, no_checks_of_probes},
               66,
               6,
               0.1},
        Budget{"rigid/floating_bodies.json", {no_probes, no_checks_of_probes}, 172, 11, 0.1},
        // One solve over water and rigid bodies.
        Budget{"rigid/floating_bodies.json", {mirrored, no_probes, no_checks_of_probes}, 132, 6, 0.1},
        Budget{"merging_and_splitting/fig04_fluid_beam_on_cloth.json", {incompressible_beam}, 150, 9.3, 0.1}),
    case_name);

/// Above the sizes at which a step takes other paths: 65,536 particles, and more pairs than one launch
/// merges.
class LaunchBudgetSlow : public testing::TestWithParam<Budget> {};
TEST_P(LaunchBudgetSlow, IsKept) { expect_kept(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    Scenes, LaunchBudgetSlow,
    testing::Values(
        Budget{"merging_and_splitting/fig04_fluid_beam_on_cloth.json", {}, 150, 8, 0.1, 60, 0.6, 4312, 3000},
        Budget{"dfsph/dam_break_100k.json",
               {"coupling.method=none", mirrored, no_probes, no_checks_of_probes},
               46,
               4,
               0.1,
               10,
               1}),
    case_name);

}  // namespace launch_budget_test
MERGANSER_END
#endif
