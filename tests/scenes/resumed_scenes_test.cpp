/// Every scene that ships, stopped at three steps and resumed: the checkpoint of a later step has the same
/// bytes as that of a run that went through.
#include <gtest/gtest.h>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "tests/support/shipped_scenes.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace resumed_scenes_test {

void run_to(Simulation& simulation, long long step) {
  while (simulation.step_count() < step) simulation.step(1e9);
}

/// Names of the arrays that differ.
std::vector<std::string> differences(const StateArchive& a, const StateArchive& b) {
  std::vector<std::string> names;
  const auto &of_a = a.arrays(), &of_b = b.arrays();
  EXPECT_EQ(of_a.size(), of_b.size());
  for (size_t k = 0; k < std::min(of_a.size(), of_b.size()); ++k)
    if (of_a[k].name != of_b[k].name || of_a[k].bytes != of_b[k].bytes) names.push_back(of_a[k].name);
  return names;
}

/// In a new simulation, as the command line resumes. And in the one that has gone to the end: whatever a
/// checkpoint does not hold has other values there, so each such member is one that the next step makes anew
/// or that changes no bit.
void expect_same_bits(const InitialState& initial, const std::vector<long long>& stops, long long end_step) {
  const auto whole = make_simulation(initial);
  std::vector<StateArchive> archives;
  for (const long long stop : stops) {
    run_to(*whole, stop);
    archives.push_back(whole->save());
  }
  run_to(*whole, end_step);
  const StateArchive end = whole->save();
  for (const StateArchive& archive : archives) {
    const auto resumed = make_simulation(initial);
    for (Simulation* simulation : {resumed.get(), whole.get()}) {
      simulation->load(archive);
      EXPECT_EQ(differences(simulation->save(), archive), std::vector<std::string>{});
      run_to(*simulation, end_step);
      EXPECT_EQ(differences(simulation->save(), end), std::vector<std::string>{})
          << (simulation == whole.get() ? "in one that had gone on" : "in a new one");
    }
  }
}

class ResumedScenes : public testing::TestWithParam<std::string> {};
TEST_P(ResumedScenes, GoOnBitForBit) {
  expect_same_bits(test::small_initial_state(GetParam()), {1, 8, 15}, 20);
}
INSTANTIATE_TEST_SUITE_P(Scenes, ResumedScenes, testing::ValuesIn(test::scene_files()), test::scene_name);

/// A pool that has sunk and a raft, one pressure solve: it takes the depth of the fluid from the last step.
TEST(ResumedScene, OfAPoolThatHasSunk) {
  test::TemporaryFolder folder;
  test::write_text(folder / "scene.json", R"({
    "simulation": {"particleRadius": 0.01, "gravitation": [0, 0, -9.81], "endTime": 1}, "coupling": {"method": "none"},
    "systems": [
      {"name": "bodies", "type": "rigid", "bodies": [{"name": "raft", "shape": "box", "start": [0.1, 0.1, 0.1], "end": [0.22, 0.2, 0.16], "density0": 500}]},
      {"name": "water", "type": "dfsph", "viscosity": 0.0005, "coupledTo": ["bodies"],
       "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.3, 0.3, 0.2]}]}],
    "walls": [{"shape": "box", "low": [0, 0, 0], "high": [0.3, 0.3, 1]}]})");
  expect_same_bits(build_initial_state(load_scene(folder / "scene.json", {})), {10, 20, 30}, 34);
}

}  // namespace resumed_scenes_test
MERGANSER_END
