/// A drop on a pinned sheet under each contact method, as [MS] sec. 6.1 compares them.
#include <gtest/gtest.h>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "tests/support/sheet_and_drop.h"

MERGANSER_BEGIN
namespace pairwise_contacts_test {

using test::SheetAndDrop;

InitialState drop_with(ContactMethod method, double stiffness, SheetAndDrop scene) {
  InitialState state = scene.build();
  state.coupling.method = method;
  state.pairwise_contacts.stiffness = stiffness;
  return state;
}

struct Outcome {
  long long crossings = 0;
  double deepest_overlap = 0;
};

Outcome run(const InitialState& state, double end_time) {
  const auto simulation = make_simulation(state);
  Outcome outcome;
  while (simulation->time() < end_time) {
    const StepStatistics row = simulation->step(end_time);
    EXPECT_EQ(row["groups"], 0);
    outcome.crossings = row["crossings"];
    outcome.deepest_overlap = std::max(outcome.deepest_overlap, row["deepest_overlap"]);
  }
  return outcome;
}

/// One particle of 8 g at 2 m/s has to be stopped within s = 2 cm: K s s^2/2 > m v^2/2 asks for K > 4 kPa.
/// The sheet is immobile, so this is the whole balance.
TEST(PairwiseContacts, AHeavyParticlePassesAWeakPenaltyAndNotAStrongOne) {
  for (bool strong : {false, true}) {
    InitialState state =
        drop_with(ContactMethod::penalty, strong ? 4e5 : 40, {.drop_side = 1, .speed = 2, .gravity = 0});
    std::fill(state.systems[0].immobile.begin(), state.systems[0].immobile.end(), 1);
    const Outcome outcome = run(state, 0.1);
    if (strong) {
      EXPECT_EQ(outcome.crossings, 0);
      EXPECT_LT(outcome.deepest_overlap, 0.25);
    } else {
      EXPECT_EQ(outcome.crossings, 1);
      EXPECT_GT(outcome.deepest_overlap, 0.25);
    }
  }
}

/// Immobile below, so the sheet takes the momentum: the drop of 343 particles leaks through weak forces
/// alone.
TEST(PairwiseContacts, StiffnessDecidesWhetherADropStaysOnTheSheet) {
  const SheetAndDrop scene{.pinned = true, .gravity = 9.81};
  EXPECT_GT(run(drop_with(ContactMethod::penalty, 1e3, scene), 0.15).crossings, 100);
  EXPECT_EQ(run(drop_with(ContactMethod::penalty, 2e5, scene), 0.15).crossings, 0);
  EXPECT_GT(run(drop_with(ContactMethod::sph_force, 1e3, scene), 0.15).crossings, 100);
}

/// A closed scene without gravity, see Coupling.MomentumOfAClosedTwoSystemSceneIsKept.
TEST(PairwiseContacts, MomentumOfAClosedTwoSystemSceneIsKept) {
  for (ContactMethod method : {ContactMethod::penalty, ContactMethod::sph_force, ContactMethod::impulses}) {
    const auto simulation = make_simulation(drop_with(method, 2e5, {}));
    StepStatistics row = simulation->step(1e9);
    const Point3 before = row.vector("momentum");
    long long contacts = 0;
    for (int k = 0; k < 600; ++k) {
      row = simulation->step(1e9);
      contacts += row["contacts"];
    }
    EXPECT_GT(contacts, 20);
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(row.vector("momentum")[axis], before[axis], 1e-5 * std::abs(before[2])) << int(method);
  }
}

}  // namespace pairwise_contacts_test
MERGANSER_END
