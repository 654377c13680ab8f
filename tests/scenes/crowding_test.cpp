/// Bodies that have less room than they need are named, with both volumes and where; others are not.
#include <gtest/gtest.h>

#include "tests/support/played_scene.h"
#include "tests/support/scene_files.h"
#include "tests/support/shipped_scenes.h"

MERGANSER_BEGIN
namespace crowding_test {

const std::string coarse = R"("particleRadius": 0.02, "endTime": 2, "frameRate": 20)";
const std::string tank = R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.4, 0.2, 0.2]})";

std::string box(const std::string& name, const std::string& start, const std::string& end,
                const std::string& keys = "") {
  return R"({"name": ")" + name + R"(", "shape": "box", "start": )" + start + R"(, "end": )" + end + keys +
         "}";
}
std::string water(const std::string& type, const std::string& bodies, const std::string& keys = "") {
  return R"({"name": "water", "type": ")" + type + R"(", "bodies": [)" + bodies + "]" + keys + "}";
}
/// Whatever has been seen so far.
std::string known(const Simulation& simulation) {
  std::string all;
  for (const std::string& warning : simulation.warnings_so_far())
    if (warning.find("needs a volume") != warning.npos) all += warning + "\n";
  return all;
}
/// After a look.
std::string seen(Simulation& simulation, bool diverged = false) {
  simulation.look(diverged);
  return known(simulation);
}
/// [m^3] behind a word in a warning.
double number_behind(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  return at == text.npos ? -1 : std::stod(text.substr(at + words.size()));
}

/// What is said first in steps of 0.01 s or where the run diverges, and when.
struct Said {
  std::string text;
  double time = 0;
};
Said first_said(Played& run, double end) {
  Said said;
  while (said.text.empty() && said.time < end) {
    said.time += 0.01;
    bool diverged = false;
    try {
      run.until(said.time);
    } catch (const DivergenceError&) {
      diverged = true;
    }
    said.text = seen(*run.simulation, diverged);
    if (diverged) break;
  }
  return said;
}

/// The one step stays, the other goes on; a checkpoint has both.
void expect_first_and_worst(Played& run, const std::string& first) {
  const double step = number_behind(first, "first in step "), room = number_behind(first, "and has ");
  EXPECT_EQ(number_behind(first, "most in step "), step);
  EXPECT_GT(number_behind(first, "most in step " + std::to_string(int(step)) + ", "), 0) << "particles";
  run.until(run.simulation->time() + 0.02);
  const std::string later = seen(*run.simulation);
  EXPECT_EQ(number_behind(later, "first in step "), step);
  EXPECT_GT(number_behind(later, "most in step "), step);
  EXPECT_LT(number_behind(later, "and has "), room);
  const auto resumed = make_simulation(build_initial_state(run.scene));
  resumed->load(run.simulation->save());
  EXPECT_EQ(known(*resumed), later);
}

/// A plane closes on 0.0128 m^3 of water: from 0.2 s on there is less room than that.
TEST(Crowding, APistonBeyondTheWatersVolumeIsNamed) {
  for (const char* type : {"sph", "dfsph", "flip"}) {
    SCOPED_TRACE(type);
    Played run(
        played_scene(coarse, water(type, box("pool", "[0, 0, 0]", "[0.4, 0.2, 0.16]")),
                     tank + R"(, {"shape": "plane", "name": "piston", "point": [0, 0, 0], "normal": [1, 0, 0],
                                        "motion": {"velocity": [0.4, 0, 0]}})"));
    EXPECT_EQ(seen(*run.simulation), "");
    const Said said = first_said(run, 0.5);
    EXPECT_GT(said.time, 0.15);
    test::expect_says(said.text,
                      {"systems.water.bodies.pool needs a volume of 0.0128 m^3 and has 0.0", "around ("});
    EXPECT_NEAR(number_behind(said.text, "and has "), (0.4 - 0.4 * said.time) * 0.2 * 0.2, 0.0025)
        << said.time;
    if (type != std::string("dfsph")) expect_first_and_worst(run, said.text);  // that one explodes soon
  }
}

/// An emitter goes on when the tank of 0.016 m^3 is full; with the water in it there are several bodies in
/// one fluid.
TEST(Crowding, ATankThatIsFilledBeyondItsVolumeIsNamed) {
  Played run(played_scene(
      coarse,
      water("sph", box("pool", "[0, 0, 0]", "[0.4, 0.2, 0.12]"),
            R"(, "emitters": [{"name": "jet", "position": [0.2, 0.1, 0.18], "direction": [0, 0, -1],
                        "radius": 0.07, "velocity": 1}])"),
      tank));
  const Said said = first_said(run, 1.5);
  test::expect_says(said.text, {"systems.water needs a volume of 0.01"});
  EXPECT_GT(number_behind(said.text, "a volume of "), 0.015);
  EXPECT_NEAR(number_behind(said.text, "and has "), 0.015, 0.002);
}
/// All that there is comes from an emitter.
TEST(Crowding, AnEmitterThatOverfillsATankIsNamed) {
  Played run(played_scene(coarse,
                          R"({"name": "water", "type": "sph", "emitters": [{"name": "jet", "radius": 0.07,
                              "position": [0.2, 0.1, 0.18], "direction": [0, 0, -1], "velocity": 1}]})",
                          tank));
  test::expect_says(first_said(run, 1.5).text, {"systems.water.emitters.jet needs a volume of 0.01"});
}

/// Plates close on a block that cannot give way: walls push its particles through, kinematic bodies come into
/// it.
TEST(Crowding, ABlockBetweenClosingPlatesIsNamed) {
  const std::string block = box("block", "[0, 0, 0.2]", "[0.2, 0.2, 0.4]", R"(, "density0": 1000)");
  const std::string still = R"("gravitation": [0, 0, 0], "timeStepSize": 2e-3, )" + coarse;
  Played walls(played_scene(
      still, R"({"name": "solids", "type": "rigid", "bodies": [)" + block + "]}",
      R"({"shape": "plane", "point": [0, 0, 0.15], "normal": [0, 0, 1], "motion": {"velocity": [0, 0, 0.2]}},
          {"shape": "plane", "point": [0, 0, 0.45], "normal": [0, 0, -1], "motion": {"velocity": [0, 0, -0.2]}})"));
  walls.until(0.2);
  EXPECT_EQ(seen(*walls.simulation), "");
  walls.until(0.6);
  test::expect_says(seen(*walls.simulation),
                    {"systems.solids.bodies.block needs a volume of 0.008 m^3 and has 0.00"});
  const auto plate = [](const std::string& name, const std::string& low, const std::string& high,
                        const std::string& velocity) {
    return box(
        name, "[-0.1, -0.1, " + low + "]", "[0.3, 0.3, " + high + "]",
        R"(, "density0": 1000, "kinematic": true, "motions": [{"velocity": [0, 0, )" + velocity + "]}]");
  };
  Played plates(played_scene(still,
                             R"({"name": "solids", "type": "rigid", "bodies": [)" + block + "," +
                                 plate("lower", "0.04", "0.12", "0.2") + "," +
                                 plate("upper", "0.48", "0.56", "-0.2") + "]}",
                             ""));
  plates.until(0.3);
  EXPECT_EQ(seen(*plates.simulation), "");
  plates.until(0.8);
  test::expect_says(seen(*plates.simulation),
                    {"systems.solids.bodies.block needs a volume of 0.008 m^3 and has 0.00"});
}

/// Water half a spacing into other water, in a tank that holds both.
TEST(Crowding, WaterInWaterIsNamedAtTheStart) {
  Played run(played_scene(coarse,
                          water("dfsph", box("a", "[0, 0, 0]", "[0.2, 0.2, 0.2]") + "," +
                                             box("b", "[0.02, 0.02, 0]", "[0.18, 0.18, 0.2]")),
                          tank));
  test::expect_says(known(*run.simulation), {"systems.water needs a volume of", "first in step 0 (t = 0 s)"});
}

/// A piston that leaves a tenth of the water its room, 0.02 s after step 0.
Played pressed_at_once(double time_step) {
  return Played(
      played_scene(coarse + R"(, "timeStepSize": )" + std::to_string(time_step),
                   water("sph", box("pool", "[0, 0, 0]", "[0.4, 0.2, 0.16]"), R"(, "soundSpeed": 20)"),
                   tank + R"(, {"shape": "plane", "name": "piston", "point": [0, 0, 0], "normal": [1, 0, 0],
                   "motion": {"velocity": [1, 0, 0]}})"));
}

/// Nobody asks for a look, but rows do, 400 steps apart.
TEST(Crowding, RowsLookByThemselves) {
  Played run = pressed_at_once(5e-4);
  run.until(399 * 5e-4);
  EXPECT_EQ(known(*run.simulation), "");
  run.until(402 * 5e-4);
  test::expect_says(known(*run.simulation), {"first in step 400 (t = 0.2 s)"});
}

/// Particles that are no numbers any more are left out. What is seen then may be an outcome.
TEST(Crowding, IsSeenInWhatHasDiverged) {
  Played run = pressed_at_once(2e-3);
  EXPECT_THROW(run.until(2), DivergenceError);
  EXPECT_EQ(known(*run.simulation), "");
  test::expect_says(seen(*run.simulation, true), {"systems.water.bodies.pool needs a volume of 0.0",
                                                  "where that is why this step diverged"});
}

/// No scene that ships starts so.
TEST(Crowding, ScenesHaveRoom) {
  for (const std::string& file : test::scene_files()) {
    SCOPED_TRACE(file);
    EXPECT_EQ(known(*make_simulation(test::small_initial_state(file))), "");
  }
}

}  // namespace crowding_test
MERGANSER_END
