/// Two systems in one scene, coupled by merging-and-splitting alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "tests/support/sheet_and_drop.h"

MERGANSER_BEGIN
namespace coupling_test {

using test::SheetAndDrop;

double norm(const Point3& p) { return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]); }

/// A closed scene without gravity: what one system loses the other gains. The bar is float rounding: a
/// velocity is stored with 6e-8 relative, 1,000 steps of about 800 particles add up to well below 1e-5 of the
/// drop's momentum.
TEST(Coupling, MomentumOfAClosedTwoSystemSceneIsKept) {
  const auto simulation = make_simulation(SheetAndDrop{}.build());
  StepStatistics row = simulation->step(1e9);
  const Point3 before = row.vector("momentum");
  long long merged_steps = 0;
  for (int k = 0; k < 1000; ++k) {
    row = simulation->step(1e9);
    merged_steps += row["groups"] > 0;
  }
  const Point3 drift{row.vector("momentum")[0] - before[0], row.vector("momentum")[1] - before[1],
                     row.vector("momentum")[2] - before[2]};
  EXPECT_GT(merged_steps, 20) << "the drop never met the sheet";
  EXPECT_LT(norm(drift) / norm(before), 1e-5);
}

TEST(Coupling, NothingCrossesAndEnergyNeverJumps) {
  const auto simulation = make_simulation(SheetAndDrop{.pinned = true, .gravity = 9.81}.build());
  double total = 0;
  StepStatistics row;
  for (int k = 0; k < 1500; ++k) {
    row = simulation->step(1e9);
    const double now = row["kinetic_energy"] + row["potential_energy"] + row["elastic_energy"];
    if (k > 0) {
      ASSERT_LT(now - total, 0.01 * row["kinetic_energy"]) << "step " << k;
    }
    total = now;
  }
  EXPECT_EQ(row["crossings"], 0);
}

/// The counter is independent: without contact treatment the same drop falls through and is counted.
TEST(Coupling, WithoutContactTheDropFallsThroughAndIsCounted) {
  InitialState state = SheetAndDrop{.pinned = true, .gravity = 9.81}.build();
  state.coupling.method = ContactMethod::none;
  const auto simulation = make_simulation(state);
  StepStatistics row;
  while (simulation->time() < 0.25) row = simulation->step(0.25);
  EXPECT_EQ(row["contacts"], 0);
  EXPECT_GT(row["crossings"], 300);
}

/// A fluid particle laid on immobile ones stays: [MS] with infinite masses is the correct limit.
TEST(Coupling, ADropOnAnImmobileSheetStaysOnIt) {
  InitialState state = SheetAndDrop{.sheet_side = 61, .drop_side = 3, .speed = 0, .gravity = 9.81}.build();
  std::fill(state.systems[0].immobile.begin(), state.systems[0].immobile.end(), 1);
  const auto simulation = make_simulation(state);
  StepStatistics row;
  while (simulation->time() < 0.5) row = simulation->step(0.5);
  EXPECT_EQ(row["crossings"], 0);
  const FrameData frame = simulation->frame();
  for (size_t i = 0; i < frame.position.size(); ++i)
    EXPECT_GT(frame.position[i][2], -0.001f)
        << "particle " << frame.id[i] << " at " << frame.position[i][0] << ", " << frame.position[i][1];
}

/// Two runs, and a run that is saved and loaded half way, give the same bits.
TEST(Coupling, RunsAndResumedRunsAreBitwiseEqual) {
  const InitialState state = SheetAndDrop{.pinned = true, .gravity = 9.81}.build();
  const auto first = make_simulation(state), second = make_simulation(state),
             resumed = make_simulation(state);
  for (int k = 0; k < 150; ++k) first->step(1e9), second->step(1e9);
  resumed->load(second->save());
  for (int k = 0; k < 150; ++k) first->step(1e9), resumed->step(1e9);
  const StateArchive a = first->save(), b = resumed->save();
  ASSERT_EQ(a.arrays().size(), b.arrays().size());
  for (size_t i = 0; i < a.arrays().size(); ++i) {
    EXPECT_EQ(a.arrays()[i].name, b.arrays()[i].name);
    EXPECT_EQ(a.arrays()[i].bytes, b.arrays()[i].bytes) << a.arrays()[i].name;
  }
}

}  // namespace coupling_test
MERGANSER_END
