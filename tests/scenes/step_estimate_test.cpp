/// Steps that `check` predicts beside those that runs take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/core/step_estimate.h"
#include "tests/support/played_scene.h"
#include "tests/support/shipped_scenes.h"

MERGANSER_BEGIN
namespace step_estimate_test {

/// Predicted over taken steps, up to the end or `work` particles times steps.
double predicted_over_taken(const InitialState& initial, double work = 1e300) {
  const StepEstimate estimate = estimate_step(initial);
  const auto simulation = make_simulation(initial);
  int frame = 1;
  double done = 0;
  while (simulation->time() < initial.end_time * (1 - 1e-12) && done < work) {
    const double stop = std::min(frame / initial.frame_rate, initial.end_time);
    const StepStatistics row = simulation->advance(stop, false);
    done += std::max(1, simulation->particle_count());
    frame += row.time >= stop;
  }
  return estimate.steps * simulation->time() / initial.end_time / double(simulation->step_count());
}

struct Fluid {
  const char *limited_by, *type, *keys;
};
class StepsOfFluids : public testing::TestWithParam<Fluid> {};

/// A column 0.4 m deep at a wall, in steps that each of the bounds of SPH and DFSPH limits.
TEST_P(StepsOfFluids, AreThoseThatCheckPredicts) {
  const Played run(played_scene(R"("particleRadius": 0.02, "endTime": 0.1, "maxTimeStepSize": 0.1)",
                                std::string(R"({"name": "water", "type": ")") + GetParam().type + "\", " +
                                    GetParam().keys +
                                    R"(, "bodies": [{"name": "column", "shape": "box", "start": [0, 0, 0],
                                     "end": [0.12, 0.12, 0.4]}]})",
                                R"({"shape": "box", "low": [0, 0, 0], "high": [0.4, 0.12, 1]})"));
  const InitialState initial = build_initial_state(run.scene);
  EXPECT_EQ(estimate_step(initial).limited_by, GetParam().limited_by);
  const double ratio = predicted_over_taken(initial);
  EXPECT_GT(ratio, 1 / 1.5);
  EXPECT_LT(ratio, 1.5);
}

INSTANTIATE_TEST_SUITE_P(
    Bounds, StepsOfFluids,
    testing::Values(Fluid{"sound speed of water", "sph", R"("viscosity": 0.01)"},
                    Fluid{"viscosity of water", "sph", R"("viscosityModel": "laminar", "viscosity": 1)"},
                    Fluid{"viscosity of water", "sph", R"("viscosity": 4)"},
                    Fluid{"forces of water", "sph", R"("viscosity": 0.01, "surfaceTension": 5000)"},
                    Fluid{"viscosity of water", "dfsph", R"("viscosity": 0.2)"},
                    Fluid{"forces of water", "dfsph", R"("viscosity": 0.01, "surfaceTension": 70)"}));

/// One layer of water at rest, which gravity alone can move.
TEST(StepEstimate, KnowsWhatGravityGivesOnTheWayThroughACell) {
  const Played run(played_scene(R"("particleRadius": 0.02, "endTime": 0.1, "maxTimeStepSize": 0.1)",
                                R"({"name": "water", "type": "flip", "cellSize": 4, "cfl": 0.2, "bodies": [
      {"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.32, 0.32, 0.04]}]})",
                                R"({"shape": "box", "low": [0, 0, 0], "high": [0.32, 0.32, 1]})"));
  const double ratio = predicted_over_taken(build_initial_state(run.scene));
  EXPECT_GT(ratio, 1 / 1.5);
  EXPECT_LT(ratio, 1.5);
}

/// A heavy ball that hits a light one at rest: the light one leaves at nearly twice the speed.
TEST(StepEstimate, KnowsImpacts) {
  const auto ball = [](const char* name, const char* centre, const char* density, const char* velocity) {
    return std::string(R"({"name": ")") + name + R"(", "shape": "sphere", "radius": 0.1, "centre": )" +
           centre + R"(, "density0": )" + density + R"(, "velocity": )" + velocity + "}";
  };
  const Played run(played_scene(R"("particleRadius": 0.02, "gravitation": [0, 0, 0])",
                                R"({"name": "balls", "type": "rigid", "bodies": [)" +
                                    ball("heavy", "[0, 0, 0]", "9000", "[3, 0, 0]") + ", " +
                                    ball("light", "[0.5, 0, 0]", "1000", "[0, 0, 0]") + "]}",
                                ""));
  EXPECT_NEAR(estimate_step(build_initial_state(run.scene)).speed, 2 * 0.9 * 3, 1e-5);
}

void expect_near(const std::string& scene) {
  const double ratio = predicted_over_taken(build_initial_state(Played(scene).scene));
  EXPECT_GT(ratio, 1 / 1.5);
  EXPECT_LT(ratio, 1.5);
}

constexpr const char* short_run = R"("particleRadius": 0.02, "endTime": 0.2, "frameRate": 20)";

/// That of the outermost particles, also of motions that begin within the run.
TEST(StepEstimate, KnowsMotionsOfRigidBodies) {
  const auto speed = [&](const std::string& motion) {
    const Played run(played_scene(short_run,
                                  R"({"name": "r", "type": "rigid", "bodies": [{"name": "x", "shape": "box",
      "start": [0, 0, 0], "end": [0.6, 0.2, 0.2], "density0": 3000, "kinematic": true, "motions": [{)" +
                                      motion + "}]}]}",
                                  ""));
    return estimate_step(build_initial_state(run.scene)).speed;
  };
  EXPECT_NEAR(speed(R"("angularVelocity": [0, 0, 100])"), 100 * std::hypot(0.58, 0.18), 0.1)
      << "about the origin";
  EXPECT_NEAR(speed(R"("velocity": [80, 0, 0], "startTime": 0.05)"), 80, 1e-4);
  EXPECT_LT(speed(R"("velocity": [80, 0, 0], "startTime": 0.3)"), 10) << "after the end";
}

TEST(StepEstimate, KnowsPrescribedMotions) {
  expect_near(played_scene(short_run, R"({"name": "c", "type": "massSpring", "bodies": [{"name": "s",
    "shape": "sheet", "origin": [0, 0, 0], "edgeU": [0.4, 0, 0], "edgeV": [0, 0.4, 0], "arealDensity": 1,
    "stretchStiffness": 1000, "prescribed": [{"box": [[-0.1, -0.1, -0.1], [0.01, 0.5, 0.1]],
    "velocity": [0, 0, 30], "startTime": 0.1}]}]})",
                           ""));
}

/// Those that push the whole body, and a pair that pulls at its ends.
TEST(StepEstimate, KnowsLoads) {
  const auto loaded = [&](const std::string& loads) {
    expect_near(played_scene(short_run, R"({"name": "p", "type": "peridynamics", "bodies": [{"name": "x",
      "shape": "box", "start": [0, 0, 0], "end": [0.4, 0.2, 0.2], "density0": 1000, "youngsModulus": 1e6,
      "loads": [)" + loads + "]}]}",
                             ""));
  };
  loaded(R"({"acceleration": [500, 0, 0], "box": [[0, 0, 0], [0.4, 0.2, 0.2]]})");
  loaded(R"({"acceleration": [500, 0, 0], "box": [[0.3, 0, 0], [0.4, 0.2, 0.2]]},
            {"acceleration": [-500, 0, 0], "box": [[0, 0, 0], [0.1, 0.2, 0.2]]})");
}

/// A block without a floor and one that meets it, and what hangs or stands on something.
TEST(StepEstimate, KnowsFreeFalls) {
  const auto block = [](const std::string& type, double low, const std::string& keys = "") {
    return R"({"name": "of_)" + type + R"(", "type": ")" + type +
           R"(", "bodies": [{"name": "block", "shape": "box", "start": [0, 0, )" + std::to_string(low) +
           R"(], "end": [0.2, 0.2, )" + std::to_string(low + 0.2) + "]" + keys + "}]}";
  };
  const std::string solid = R"(, "density0": 1000)",
                    floor = R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]})";
  const auto run = [](double end) {
    return R"("particleRadius": 0.02, "frameRate": 20, "endTime": )" + std::to_string(end);
  };
  expect_near(played_scene(run(4), block("sph", 0), ""));
  expect_near(played_scene(run(6), block("rigid", 0, solid), ""));
  expect_near(played_scene(run(3), block("rigid", 20, solid), floor));
  const auto speed = [&](const std::string& system, const std::string& walls) {
    return estimate_step(build_initial_state(Played(played_scene(run(4), system, walls)).scene)).speed;
  };
  const double own = std::sqrt(2 * 9.81 * 0.16);
  EXPECT_NEAR(speed(block("rigid", 0, solid), floor), own, 1e-3) << "it stands";
  EXPECT_NEAR(speed(block("rigid", 1, solid + R"(, "kinematic": true)"), floor), own, 1e-3) << "it is held";
  EXPECT_NEAR(speed(block("rigid", 1, solid), floor), std::sqrt(2 * 9.81 * 1.0), 0.1);
}

class StepsOfShippedScenesSlow : public testing::TestWithParam<std::string> {};

TEST_P(StepsOfShippedScenesSlow, AreThoseThatCheckPredicts) {
  const double ratio = predicted_over_taken(test::small_initial_state(GetParam()), 2e6);
  EXPECT_GT(ratio, 1 / 1.5);
  EXPECT_LT(ratio, 1.5);
}

INSTANTIATE_TEST_SUITE_P(Scenes, StepsOfShippedScenesSlow, testing::ValuesIn(test::scene_files()),
                         test::scene_name);

}  // namespace step_estimate_test
MERGANSER_END
