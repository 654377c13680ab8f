/// Steps that `check` predicts beside those that runs take.
#include <gtest/gtest.h>

#include <algorithm>

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
                    Fluid{"forces of water", "dfsph", R"("viscosity": 0.01, "surfaceTension": 20)"}));

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
