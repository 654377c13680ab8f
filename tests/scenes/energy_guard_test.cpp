/// Energy that appears is named, and ends a run where it explodes.
#include <gtest/gtest.h>

#include <cmath>

#include "device/errors.h"
#include "solvers/observables/ledger/energy_guard.h"
#include "solvers/observables/ledger/ledger.h"
#include "tests/support/played_scene.h"
#include "tests/support/shipped_scenes.h"

MERGANSER_BEGIN
namespace energy_guard_test {

/// Two systems at rest without gravity: nothing but the kinetic energy of r/(100 dt) is allowed, with M = 2
/// kg, r = 0.1 m and dt = 0.1 s 1e-4 J.
InitialState two_systems() {
  InitialState initial;
  initial.gravity = {0, 0, 0};
  initial.particle_radius = 0.1;
  for (const char* name : {"cloth", "water"}) {
    SystemState system;
    system.name = name;
    system.position = {{0, 0, 0}};
    system.radius = {0.1f};
    initial.systems.push_back(system);
  }
  return initial;
}

struct Guarded {
  EnergyGuard guard{two_systems()};
  GuardedStep step{.dt = 0.1, .elapsed = 0.1, .mass = 2};
  /// A row of kinetic energy alone [J].
  bool row(double kinetic, double work = 0) {
    ++step.step;
    step.time += step.dt;
    step.energy = step.held = kinetic;
    step.work = work;
    const bool appeared = guard.observe(step);
    if (appeared) guard.blame({0.1 * kinetic, 0.9 * kinetic});
    return appeared;
  }
};
bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(EnergyGuard, AllowsWhatIsHeldAndGiven) {
  Guarded scene;
  scene.guard.start(5);
  EXPECT_FALSE(scene.row(5));
  EXPECT_FALSE(scene.row(1)) << "lost";
  EXPECT_FALSE(scene.row(5.9)) << "less than it has ever held comes back";
  EXPECT_FALSE(scene.row(105.9, 100)) << "work";
  EXPECT_EQ(scene.guard.warning(), "");
}

/// 1 J stays of 5 J: 5 J more are allowed.
TEST(EnergyGuard, NamesStepTimeSystemAndCount) {
  Guarded scene;
  scene.guard.start(5);
  scene.row(5);
  scene.row(1);
  EXPECT_FALSE(scene.row(5.99));
  EXPECT_TRUE(scene.row(6.01)) << "what was lost counts for nothing";
  EXPECT_TRUE(scene.row(7));
  EXPECT_FALSE(scene.row(2));
  const std::string said = scene.guard.warning();
  EXPECT_TRUE(holds(said, "systems.water") && holds(said, "step 4 (t = 0.4 s)") && holds(said, "in 2 rows") &&
              holds(said, "6 J"))
      << said;
  EXPECT_EQ(scene.guard.explosion_text(), "");
}

/// A kill box takes all of 100 J before the first step; what is left is rounding of sums.
TEST(EnergyGuard, RoundingIsNoEnergy) {
  Guarded scene;
  scene.step.mass = 0;
  scene.guard.start(100);
  scene.guard.receive(-100, 0);
  EXPECT_FALSE(scene.row(2e-14));
  EXPECT_TRUE(scene.row(1e-9));
}

TEST(EnergyGuard, EndsWhatExplodes) {
  Guarded scene;
  scene.guard.start(1);
  scene.row(1);
  EXPECT_TRUE(scene.row(10));
  EXPECT_EQ(scene.guard.explosion_text(), "") << "9 J of 1 J";
  EXPECT_TRUE(scene.row(12));
  EXPECT_TRUE(holds(scene.guard.explosion_text(), "systems.water explodes: 11 J"))
      << scene.guard.explosion_text();
}

TEST(EnergyGuard, GoesOnFromACheckpoint) {
  Guarded whole, part, rest;
  for (Guarded* scene : {&whole, &part}) {
    scene->guard.start(5);
    scene->row(1);
    scene->row(9);
  }
  rest.guard.load(part.guard.save());
  rest.step = part.step;
  whole.row(11);
  rest.row(11);
  EXPECT_EQ(whole.guard.warning(), rest.guard.warning());
  EXPECT_THROW(rest.guard.load({1, 2}), FileError);
}

TEST(Ledger, KnowsWhetherItsSumsAreNumbers) {
  Ledger ledger;
  ledger.start(1, {0, 0, 0});
  LedgerStep step;
  step.energy = 2;
  ledger.close(step);
  EXPECT_TRUE(ledger.is_finite());
  step.exchange.damping = std::nan("");
  ledger.close(step);
  EXPECT_FALSE(ledger.is_finite());
}

/// What a run says until `end`: its warnings or what it diverged with.
std::string said_by(Played& run, double end) {
  try {
    run.until(end);
  } catch (const DivergenceError& error) {
    return error.what();
  }
  std::string all;
  for (const std::string& warning : run.simulation->warnings_so_far()) all += warning;
  return all;
}

/// Float positions of springs of 1e15 N/m hold energies of rounding beyond all others.
TEST(EnergyGuardOfScenes, NamesAClothThatFloatCannotHold) {
  Played run(
      played_scene(R"("particleRadius": 0.05, "endTime": 0.02)",
                   R"({"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet",
     "origin": [0, 0, 1], "edgeU": [1, 0, 0], "edgeV": [0, 1, 0], "arealDensity": 1, "stretchStiffness": 1e15,
     "pinned": [{"box": [[-0.1, -0.1, 0.9], [0.01, 1.1, 1.1]]}]}]})",
                   ""));
  const std::string said = said_by(run, 0.02);
  EXPECT_TRUE(holds(said, "diverged") && holds(said, "systems.cloth") && holds(said, "softer springs"))
      << said;
}

/// A fixed step many times as long as an SPH fluid bears.
TEST(EnergyGuardOfScenes, EndsAFluidThatExplodes) {
  Played run(played_scene(R"("particleRadius": 0.05, "endTime": 1, "timeStepSize": 0.02)",
                          R"({"name": "water", "type": "sph", "bodies": [{"name": "block", "shape": "box",
     "start": [0, 0, 0], "end": [0.5, 0.5, 0.5]}]})",
                          R"({"shape": "box", "low": [0, 0, 0], "high": [1, 1, 1]})"));
  const std::string said = said_by(run, 1);
  EXPECT_TRUE(holds(said, "diverged") && holds(said, "systems.water explodes")) << said;
}

/// An emitter that presses fluid into a floor: it may find its way, or it is named.
TEST(EnergyGuardOfScenes, NamesAJetThatExplodes) {
  Played run(
      played_scene(R"("particleRadius": 0.02, "endTime": 0.3)",
                   R"({"name": "water", "type": "dfsph", "viscosity": 0.001, "emitters": [{"name": "jet",
     "position": [0, 0, 0.06], "direction": [0, 0, -1], "radius": 0.1, "velocity": 2}]})",
                   R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]})"));
  double fastest = 0;
  std::string said;
  try {
    run.until(0.3, [&](const StepStatistics& row) { fastest = std::max(fastest, row["max_speed"]); });
  } catch (const DivergenceError& error) {
    said = error.what();
  }
  EXPECT_TRUE(fastest < 20 || holds(said, "systems.water")) << fastest << " m/s, " << said;
}

/// The guard sees the same energies with rows every third step, and a resumed run says what a whole one says.
TEST(EnergyGuardOfScenes, SaysNothingOfADamBreak) {
  for (const long long interval : {1, 3}) {
    Played run(played_scene(R"("particleRadius": 0.04, "endTime": 0.5)",
                            R"({"name": "water", "type": "sph", "bodies": [{"name": "block", "shape": "box",
     "start": [0, 0, 0], "end": [0.32, 0.4, 0.4]}]})",
                            R"({"shape": "box", "low": [0, 0, 0], "high": [0.8, 0.4, 1]})"));
    while (run.simulation->time() < 0.5)
      run.simulation->advance(0.5, (run.simulation->step_count() + 1) % interval == 0);
    for (const std::string& warning : run.simulation->warnings_so_far()) EXPECT_EQ(warning, "");
  }
}

}  // namespace energy_guard_test
MERGANSER_END
