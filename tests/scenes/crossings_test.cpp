/// The crossing counter in whole runs, against an account from the frames alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/crossing_reference.h"
#include "tests/support/height_of_sheet.h"
#include "tests/support/source_folder.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace crossings_test {

struct Outcome {
  StepStatistics last;
  long long below = 0;  ///< particles below the sheet in the last frame
};

std::filesystem::path fig11_file() {
  return source_folder() / "scenes/merging_and_splitting/fig11_group_limits_4_8.json";
}

/// Positions of systems 0 and 1.
void split(const FrameData& frame, std::vector<Vec3>& sheet, std::vector<Vec3>& water) {
  for (size_t i = 0; i < frame.position.size(); ++i)
    (frame.system[i] == 0 ? sheet : water)
        .push_back({frame.position[i][0], frame.position[i][1], frame.position[i][2]});
}

/// [MS] Fig. 11, groups of 4 to 8.
Outcome fig11(double resolution, double end_time, const std::vector<std::string>& changes) {
  SceneOverrides overrides;
  overrides.resolution = resolution;
  overrides.set = changes;
  const InitialState initial = build_initial_state(load_scene(fig11_file(), overrides));
  const auto simulation = make_simulation(initial);
  Outcome outcome;
  while (simulation->time() < end_time) outcome.last = simulation->step(end_time);
  outcome.below = test::particles_below_sheet(simulation->frame(), initial, 1, 0);
  return outcome;
}

/// Without contacts the whole block falls through, and each of its particles is counted once.
void expect_all_through(const Outcome& outcome, long long particles) {
  EXPECT_EQ(outcome.last["followed_particles"], particles);
  EXPECT_EQ(outcome.below, particles);
  EXPECT_EQ(outcome.last["crossed_particles"], particles);
  EXPECT_EQ(outcome.last["crossings"], particles);
}

/// A plate goes through the sheet, bounces off a wall behind it and comes back within two steps: both
/// passages count, also where they happen between two rows of statistics.
TEST(Crossings, PathsAreFollowedBetweenRows) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "scene.json", R"({
    "simulation": {"particleRadius": 0.005, "gravitation": [0, 0, 0], "timeStepSize": 0.001},
    "coupling": {"method": "none"},
    "systems": [
      {"name": "cloth", "type": "massSpring", "bodies": [
        {"name": "sheet", "shape": "sheet", "origin": [-0.05, -0.05, 0], "edgeU": [0.15, 0, 0], "edgeV": [0, 0.15, 0],
         "arealDensity": 1, "stretchStiffness": 1000, "shearStiffness": 500}]},
      {"name": "solid", "type": "peridynamics", "bodies": [
        {"name": "plate", "shape": "box", "start": [0.001, 0.002, 0.0005], "end": [0.031, 0.032, 0.0105],
         "density0": 1000, "youngsModulus": 1e5, "velocity": [0, 0, -2]}]}],
    "walls": [{"shape": "plane", "point": [0, 0, -0.006], "normal": [0, 0, 1], "restitution": 1}],
    "checks": [{"type": "reportCrossings", "system": "solid", "sheet": "sheet"}]
  })");
  const InitialState initial = build_initial_state(load_scene(folder / "scene.json", {}));
  for (const int interval : {1, 5}) {
    const auto simulation = make_simulation(initial);
    StepStatistics row;
    for (int step = 1; step <= 5; ++step) row = simulation->advance(1e9, step % interval == 0);
    EXPECT_EQ(row["followed_particles"], 9);
    EXPECT_EQ(row["crossed_particles"], 9) << "a row every " << interval << " steps";
    EXPECT_EQ(row["crossings"], 18) << "a row every " << interval << " steps";
  }
}

TEST(Crossings, WithoutContactsAllIsCounted) {
  const Outcome outcome = fig11(0.14, 0.2, {"coupling.method=none"});
  expect_all_through(outcome, outcome.last["followed_particles"]);
  EXPECT_GT(outcome.last["followed_particles"], 800);
}
TEST(CrossingsSlow, WithoutContactsAllIsCounted) {
  expect_all_through(fig11(0.25, 0.2, {"coupling.method=none"}), 5103);
}

/// A weak penalty lets some through and keeps some: every step's paths, taken from the frames, against every
/// triangle. The block is shifted, for in the symmetric scene paths lie on edges, where the reference counts
/// both triangles.
TEST(Crossings, LeaksEqualBruteForce) {
  SceneOverrides overrides;
  overrides.resolution = 0.14;
  overrides.set = {"coupling.method=penalty", "coupling.stiffness=2e4",
                   "systems.water.bodies.block.start=[-0.2713, -0.2657, 0.02]",
                   "systems.water.bodies.block.end=[0.2687, 0.2743, 0.17]"};
  const InitialState initial = build_initial_state(load_scene(fig11_file(), overrides));
  const auto simulation = make_simulation(initial);
  std::vector<Vec3> sheet, water;
  long long passages = 0;
  StepStatistics row;
  while (simulation->time() < 0.08) {
    if (sheet.empty()) split(simulation->frame(), sheet, water);
    row = simulation->step(0.08);
    std::vector<Vec3> sheet_now, water_now;
    split(simulation->frame(), sheet_now, water_now);
    passages += reference_passages(initial.systems[0].triangles, sheet, sheet_now, water, water_now);
    ASSERT_EQ(row["crossings"], passages) << "step " << row.step;
    sheet = sheet_now;
    water = water_now;
  }
  EXPECT_GT(passages, 50);
  EXPECT_LT(row["crossed_particles"], row["followed_particles"]);
}

/// At 6 m/s some go through the cloth with merging-and-splitting. To 0.06 s what left the cloth is above it.
TEST(CrossingsSlow, LeaksAreCounted) {
  const Outcome outcome = fig11(0.25, 0.06, {"systems.water.bodies.block.velocity=[0,0,-6]"});
  EXPECT_GT(outcome.below, 0);
  EXPECT_GE(outcome.last["crossed_particles"], outcome.below);
  EXPECT_EQ((std::llround(outcome.last["crossings"]) - outcome.below) % 2, 0) << "who came back passed twice";
}

}  // namespace crossings_test
MERGANSER_END
