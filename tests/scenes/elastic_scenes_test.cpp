/// The scenes of [ES] run to their end.
#include <gtest/gtest.h>

#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/whole_runs.h"

MERGANSER_BEGIN
namespace elastic_scenes_test {

using namespace scene_test;

/// Scenes of [ES] over their whole time.
void expect_elastic_checks(const WholeRun& run, const std::vector<std::string>& changes = {}) {
  StepStatistics last;
  const std::string file = std::string("elastic_sph/") + run.file + ".json";
  for (const CheckResult& result : run_checks(file, run.resolution, 1e9, 1 << 30, last, changes))
    EXPECT_TRUE(result.passed) << RunChecks::describe(result);
  EXPECT_TRUE(last.tolerance_met);
}

class ElasticScene : public testing::TestWithParam<WholeRun> {};
TEST_P(ElasticScene, EndsInItsChecks) { expect_elastic_checks(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    ElasticSph, ElasticScene,
    testing::Values(WholeRun{"fig02_moving_bunny", 0.2, 0}, WholeRun{"fig03_randomized_body", 0.25, 0},
                    WholeRun{"cantilever_alpha", 0.25, 0}, WholeRun{"soft_bodies_pile", 0.2, 0},
                    WholeRun{"soft_body_in_water", 0.2, 0}, WholeRun{"coupled_bunnies_in_water", 0.25, 0}),
    [](const auto& info) { return std::string(info.param.file); });

class ElasticSceneSlow : public testing::TestWithParam<WholeRun> {};
TEST_P(ElasticSceneSlow, EndsInItsChecks) { expect_elastic_checks(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    ElasticSph, ElasticSceneSlow,
    testing::Values(WholeRun{"fig02_moving_bunny", 0.5, 0}, WholeRun{"fig03_randomized_body", 0.4, 0},
                    WholeRun{"cantilever_alpha", 0.5, 0}, WholeRun{"fig04_twisted_beam", 0.4, 0},
                    WholeRun{"soft_bodies_pile", 0.4, 0}, WholeRun{"soft_body_in_water", 0.4, 0}),
    [](const auto& info) { return std::string(info.param.file); });

/// Rings that lie in other directions are one ring, turned: one matrix for eight bodies.
TEST(ElasticPile, TurnedRingsShareOneFactor) {
  InitialState state = test::small_initial_state("elastic_sph/soft_bodies_pile.json");
  for (SystemState& system : state.systems)
    system.parameters.of<ElasticSphParameters>().solve = ElasticSolve::preconditioned;
  const auto simulation = make_simulation(state);
  const auto metrics = simulation->setup_metrics();
  ASSERT_FALSE(metrics.empty());
  EXPECT_EQ(metrics[0], (std::pair<std::string, double>{"factors", 1}));
}

/// [ES] Fig. 3: without the zero-energy control the heap of particles stays one.
TEST(ElasticFig03, NoReturnWithoutControl) {
  StepStatistics last;
  const auto results = run_checks("elastic_sph/fig03_randomized_body.json", 0.25, 1e9, 1 << 30, last,
                                  {"systems.solid.bodies.body.alpha=0"});
  EXPECT_GT(results.at(0).value, 0.02) << RunChecks::describe(results[0]);
  EXPECT_FALSE(results[0].passed);
}

/// [ES] Fig. 4: the explicit control makes the twisted beam's particles jump about, the implicit one does
/// not.
TEST(ElasticFig04Slow, ExplicitControlIsUnstable) {
  StepStatistics last;
  const auto results = run_checks("elastic_sph/fig04_twisted_beam.json", 0.4, 1e9, 1 << 30, last,
                                  {"systems.solid.zeroEnergy=explicit"});
  bool all = true;
  for (const CheckResult& result : results) all = all && result.passed;
  EXPECT_FALSE(all);
}

}  // namespace elastic_scenes_test
MERGANSER_END
