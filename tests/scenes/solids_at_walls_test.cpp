/// Cloth and brittle solids that feel walls in their solve (solvers/coupling/implicit/implicit_walls.h), in
/// whole simulations of scene files.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "host/checks/run_checks.h"
#include "tests/support/note.h"
#include "tests/support/played_scene.h"
#include "tests/support/scene_files.h"

MERGANSER_BEGIN
namespace solids_at_walls_test {

const char* const header = R"("particleRadius": 0.01, "endTime": 2, "maxTimeStepSize": 0.002)";
const char* const ball_and_floor =
    R"({"shape": "sphere", "name": "ball", "centre": [0, 0, 0.1], "radius": 0.1, "inside": false,
        "friction": 0.5}, {"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1],
        "friction": 0.5})";
/// 1 cm above the top of the ball.
const std::string cloth =
    R"({"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet",
        "origin": [-0.15, -0.15, 0.22], "edgeU": [0.3, 0, 0], "edgeV": [0, 0.3, 0], "arealDensity": 0.3,
        "stretchStiffness": 2000, "shearStiffness": 500, "bendingStiffness": 0.001, "velocity": [0, 0, -1]}]})";
/// 0.03 m^3 of glass-like stuff beside the ball, which falls at `speed` [m/s].
std::string brick(const std::string& speed) {
  return R"({"name": "glass", "type": "peridynamics", "bodies": [{"name": "brick", "shape": "box",
             "start": [0.3, -0.05, 0.01], "end": [0.4, 0.05, 0.11], "velocity": [0, 0, )" +
         speed + R"(], "density0": 2500, "youngsModulus": 1e8, "criticalStretch": 0.004}]})";
}

struct StoppedCase {
  const char* name;
  std::string systems;
};
void PrintTo(const StoppedCase& stopped, std::ostream* stream) { *stream << stopped.name; }
class SolidsAtWalls : public testing::TestWithParam<StoppedCase> {};

/// Stopped while walls are far, while something comes near, and while it touches.
TEST_P(SolidsAtWalls, ResumeBitExact) {
  const std::string text = played_scene(header, GetParam().systems, ball_and_floor);
  const auto state_after = [&](int stop) {
    auto run = std::make_unique<Played>(text);
    for (int k = 0; k < 40; ++k) {
      if (k == stop) {
        const StateArchive archive = run->simulation->save();
        run = std::make_unique<Played>(text);
        run->simulation->load(archive);
      }
      run->last = run->simulation->advance(1, k % 7 == 6);
    }
    return std::pair{run->simulation->frame(), run->simulation->step(1)};
  };
  const auto whole = state_after(-1);
  EXPECT_NE(whole.second["dissipated_walls"], 0) << "no wall was touched";
  for (const int stop : {1, 4, 6, 20}) {
    const auto resumed = state_after(stop);
    EXPECT_EQ(whole.first.position, resumed.first.position) << "stopped at step " << stop;
    EXPECT_EQ(whole.first.velocity, resumed.first.velocity) << "stopped at step " << stop;
  }
}
INSTANTIATE_TEST_SUITE_P(Systems, SolidsAtWalls,
                         testing::Values(StoppedCase{"cloth", cloth}, StoppedCase{"brick", brick("-1")},
                                         StoppedCase{"both", cloth + "," + brick("-1")}),
                         [](const auto& info) { return std::string(info.param.name); });

/// A solid of 20 x 10 x 10 cm, or a cloth, on a slope of friction 0.5, gravity tilted by an angle. Of
/// atan(0.5) = 26.6 degrees, 25 hold it (friction that divides what presses by the speed of a row without
/// friction lets blocks creep at 5 to 30 mm/s, whatever the step), and on 35 it slides by (g sin a - mu g cos
/// a) t^2/2.
class OnASlope : public testing::TestWithParam<StoppedCase> {};
TEST_P(OnASlope, SticksOrSlidesAsCoulombSays) {
  const double g = 9.81, mu = 0.5, time = 0.5;
  for (const double degrees : {25.0, 35.0}) {
    const double angle = degrees * 3.14159265358979 / 180;
    const std::string gravity =
        std::to_string(g * std::sin(angle)) + ", 0, " + std::to_string(-g * std::cos(angle));
    Played run(played_scene(
        R"("particleRadius": 0.01, "endTime": 1, "timeStepSize": 0.001, "gravitation": [)" + gravity + "]",
        GetParam().systems,
        R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.5})"));
    const auto place = [&] {
      double sum = 0;
      const auto frame = run.simulation->frame();
      for (const Float3& x : frame.position) sum += double(x[0]) / double(frame.position.size());
      return sum;
    };
    const double start = place();
    run.until(time);
    const double way = place() - start, free = std::max(0.0, std::sin(angle) - mu * std::cos(angle)) * g;
    note("%s, %g degrees: %g m of %g m\n", GetParam().name, degrees, way, 0.5 * free * time * time);
    if (free == 0)
      EXPECT_LT(std::abs(way), 2e-4) << degrees << " degrees";
    else
      EXPECT_NEAR(way, 0.5 * free * time * time, 0.02 * 0.5 * free * time * time) << degrees << " degrees";
  }
}
const std::string block = R"("bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0],
    "end": [0.2, 0.1, 0.1], "density0": 1000, "youngsModulus": 1e6}]})";
INSTANTIATE_TEST_SUITE_P(
    Solids, OnASlope,
    testing::Values(StoppedCase{"elastic", R"({"name": "a", "type": "elasticSph", )" + block},
                    StoppedCase{"neoHookean",
                                R"({"name": "a", "type": "elasticSph", "material": "neoHookean", )" + block},
                    StoppedCase{"brittle", R"({"name": "a", "type": "peridynamics", )" + block},
                    StoppedCase{"cloth", R"({"name": "a", "type": "massSpring", "bodies": [{"name": "sheet",
                        "shape": "sheet", "origin": [0, 0, 0.01], "edgeU": [0.2, 0, 0], "edgeV": [0, 0.2, 0],
                        "arealDensity": 1, "stretchStiffness": 1000}]})"}),
    [](const auto& info) { return std::string(info.param.name); });

/// It lands at 0.3 m/s, far too slow to break it, and lies there: a wall that acts after the step alone feeds
/// some joules in every step, and breaks it to dust.
TEST(SolidsAtWalls, ABrickThatLandsStaysWhole) {
  Played run(played_scene(header, brick("-0.3"), ball_and_floor));
  run.until(0.5);
  const double mass = 2500 * 0.1 * 0.1 * 0.1, fall = mass * (0.5 * 0.09 + 9.81 * 0.01);
  note("%g bonds broken, walls took %g of %g J, fastest %g m/s\n", run.last["broken_bonds"],
       run.last["dissipated_walls"], fall, run.last["max_speed"]);
  EXPECT_EQ(run.last["broken_bonds"], 0);
  EXPECT_GT(run.last["dissipated_walls"], 0);
  EXPECT_LT(run.last["dissipated_walls"], 1.01 * fall);
  EXPECT_LT(run.last["kinetic_energy"], 1e-4 * fall);
  EXPECT_NEAR(run.last["wall_floor_force_z"], -mass * 9.81, 0.05 * mass * 9.81);
}

/// A cloth that lies over a ball: it presses on it and on the floor by its weight, and comes to rest.
TEST(SolidsAtWalls, AClothOverABallComesToRest) {
  Played run(played_scene(header, cloth, ball_and_floor));
  run.until(1.2);
  double force = 0, time = 0;
  run.until(1.6, [&](const StepStatistics& row) {
    force -= row.dt * (row["wall_ball_force_z"] + row["wall_floor_force_z"]);
    time += row.dt;
  });
  const double weight = 0.3 * 0.3 * 0.3 * 9.81;
  note("presses with %.3f of its weight, fastest %.3f m/s\n", force / time / weight, run.last["max_speed"]);
  EXPECT_NEAR(force / time, weight, 0.1 * weight);
  EXPECT_LT(run.last["kinetic_energy"], 0.02 * 0.5 * 0.027);
}

/// A cloth that begins a little too near to a ball is pushed out in the first step: the check compares
/// with the energy before it. From behind a floor it is flung out with so much that the run ends.
TEST(SolidsAtWalls, TheFirstStepsGainIsSeen) {
  std::string below = cloth;
  below.replace(below.find("-0.15, 0.22]"), 12, "-0.15, -0.1]");
  try {
    Played(played_scene(header, below, ball_and_floor)).simulation->step(1);
    FAIL() << "the gain is not seen";
  } catch (const DivergenceError& error) {
    test::expect_says(error.what(), {"systems.cloth explodes", "appeared"});
  }
  below.replace(below.find("-0.15, -0.1]"), 12, "-0.15, 0.206]");
  Played run(played_scene(header, below, ball_and_floor));
  RunChecks checks({{"energyRise", "", "", 0.01}}, 1);
  const StepStatistics row = run.simulation->step(1);
  checks.observe(row);
  const double mass = 0.3 * 0.3 * 0.3;
  note("%g J from %g J\n", row["kinetic_energy"], row["initial_kinetic_energy"]);
  EXPECT_NEAR(row["initial_kinetic_energy"], 0.5 * mass, 1e-6);
  EXPECT_NEAR(row["initial_energy"], 0.5 * mass + mass * 9.81 * 0.206, 1e-6);
  EXPECT_FALSE(checks.results().at(0).passed);
  EXPECT_EQ(checks.results().at(0).step, 1);
}

}  // namespace solids_at_walls_test
MERGANSER_END
