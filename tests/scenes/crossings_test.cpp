/// The crossing counter in whole runs, against an account from the frames alone.
#include <gtest/gtest.h>

#include "device/backend.h"
#include "host/scene.h"
#include "host/simulation.h"
#include "tests/support/height_of_sheet.h"
#include "tests/support/source_folder.h"

MERGANSER_BEGIN
namespace {

struct Outcome {
  StepStatistics last;
  long long below = 0;  ///< particles below the sheet in the last frame
};

/// [MS] Fig. 11, groups of 4 to 8, to 0.2 s.
Outcome fig11(double resolution, const std::vector<std::string>& changes) {
  SceneOverrides overrides;
  overrides.resolution = resolution;
  overrides.set = changes;
  const InitialState initial = build_initial_state(
      load_scene(source_folder() / "scenes/merging_and_splitting/fig11_group_limits_4_8.json", overrides));
  const auto simulation = make_simulation(initial);
  Outcome outcome;
  while (simulation->time() < 0.2) outcome.last = simulation->step(0.2);
  outcome.below = test::particles_below_sheet(simulation->frame(), initial, 1, 0);
  return outcome;
}

/// Without contacts the whole block falls through, and each of its particles is counted once.
void expect_all_through(const Outcome& outcome, long long particles) {
  EXPECT_EQ(outcome.last.followed_particles, particles);
  EXPECT_EQ(outcome.below, particles);
  EXPECT_EQ(outcome.last.crossed_particles, particles);
  EXPECT_EQ(outcome.last.penetrations, particles);
}

TEST(Crossings, WithoutContactsAllIsCounted) {
  const Outcome outcome = fig11(0.14, {"coupling.method=none"});
  expect_all_through(outcome, outcome.last.followed_particles);
  EXPECT_GT(outcome.last.followed_particles, 800);
}
TEST(CrossingsSlow, WithoutContactsAllIsCounted) {
  expect_all_through(fig11(0.25, {"coupling.method=none"}), 5103);
}

/// At 6 m/s some go through a cloth with merging-and-splitting, near its pins above all. Some of them come
/// back, so passages are even or odd.
TEST(CrossingsSlow, LeaksAreCounted) {
  const Outcome outcome = fig11(0.25, {"systems.water.bodies.block.velocity=[0,0,-6]"});
  EXPECT_GT(outcome.below, 0);
  EXPECT_GE(outcome.last.crossed_particles, outcome.below);
  EXPECT_EQ((outcome.last.penetrations - outcome.below) % 2, 0);
}

}  // namespace
MERGANSER_END
