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
  double kernels, reads;  ///< a step at most, on average; kernels with copies on the device
  double recordings;      ///< of launch graphs, a step at most
  int steps = 20;         ///< that are counted
};
void PrintTo(const Budget& budget, std::ostream* out) { *out << budget.scene; }

/// The beam of fig04_fluid_beam_on_cloth by the incompressible solver.
const std::string incompressible_beam =
    R"(systems.water={"name": "water", "type": "dfsph", "density0": 1000, "viscosity": 0.05, "bodies": [{"name":)"
    R"( "beam", "shape": "cylinder", "start": [0, 0, 0.02], "end": [0, 0, 0.82], "radius": 0.12,)"
    R"( "velocity": [0, 0, -3]}]})";

/// Probes of a scene are not the solver's.
const std::string no_probes = "probes=[]", no_checks_of_probes = R"(checks=[{"type": "finite"}])";

class LaunchBudget : public testing::TestWithParam<Budget> {};

/// Steps after the tenth step with contacts (or from step 100 on). Further looks at a solve and second stages
/// come and go with the contacts: they are counted over a hundred steps.
TEST_P(LaunchBudget, IsKept) {
  const auto simulation = make_simulation(test::small_initial_state(GetParam().scene, GetParam().changes));
  for (int in_contact = 0; in_contact < 10 && simulation->step_count() < 100;)
    in_contact += simulation->step(1e9)["contacts"] > 0;
  const int steps = GetParam().steps;
  int iterations = 0, second_stages = 0;
  const DeviceTraffic before = simulation->traffic();
  for (int s = 0; s < steps; ++s) {
    const StepStatistics row = simulation->step(1e9);
    iterations += row["iterations_1"] + row["iterations_2"];
    second_stages += row["second_stage"];
  }
  const DeviceTraffic after = simulation->traffic();
  const double kernels = double(after.kernels - before.kernels + after.copies - before.copies) / steps;
  const double graphs = double(after.graphs - before.graphs) / steps;
  const double reads = double(after.reads - before.reads) / steps,
               writes = double(after.writes - before.writes) / steps;
  const double recordings = double(after.recordings - before.recordings) / steps;
  EXPECT_LE(kernels, GetParam().kernels);
  EXPECT_LE(reads + writes, GetParam().reads);
  EXPECT_LE(recordings, GetParam().recordings);
  note(
      "%s: %.1f kernels and copies, %.1f graphs, %.2f recordings, %.1f reads, %.1f writes; %.1f iterations, "
      "%.2f second stages\n",
      GetParam().scene.c_str(), kernels, graphs, recordings, reads, writes, double(iterations) / steps,
      double(second_stages) / steps);
}
INSTANTIATE_TEST_SUITE_P(
    Scenes, LaunchBudget,
    testing::Values(
        Budget{"demos/dam_break.json", {"coupling.method=none"}, 20, 1, 0},
        Budget{"merging_and_splitting/fig04_fluid_beam_on_cloth.json", {}, 115, 5.1, 0.1, 100},
        // Five reads, and a further look of one solve in twenty steps. Fig. 2: one look more than iterations
        // need, at the residual that is taken anew (known products).
        Budget{"elastic_sph/fig02_moving_bunny.json", {"systems.solid.solve=preconditioned"}, 48, 3.2, 0.1},
        // The wall stands on a floor: a read for rows that the solution takes behind it.
        Budget{"merging_and_splitting/fig09_flip_brittle.json", {}, 140, 8.2, 0.1},
        Budget{"merging_and_splitting/fig05_ball_hits_brittle_wall.json", {}, 82, 5, 0.1, 100},
        Budget{"dfsph/dam_break_100k.json",
               {"coupling.method=none", no_probes, no_checks_of_probes},
               46,
               4,
               0.1},
        // One solve over water and rigid bodies.
        Budget{"rigid/floating_bodies.json", {no_probes, no_checks_of_probes}, 116, 6, 0.1},
        Budget{"merging_and_splitting/fig04_fluid_beam_on_cloth.json", {incompressible_beam}, 150, 9.3, 0.1}),
    [](const auto& info) {
      return test::scene_name(testing::TestParamInfo<std::string>(info.param.scene, info.index)) +
             (info.param.changes.empty() ? "" : "_changed");
    });

}  // namespace launch_budget_test
MERGANSER_END
#endif
