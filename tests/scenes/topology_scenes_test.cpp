/// The scenes of [TN] run to their end.
#include <gtest/gtest.h>

#include "tests/support/whole_runs.h"

MERGANSER_BEGIN
namespace topology_scenes_test {

using namespace scene_test;

/// [TN] Fig. 8: with topological neighborhoods a piece that another one passes moves as its isolated copy, to
/// the last bit; with Euclidean ones it is pushed aside.
TEST(TopologyFig08, PieceEqualsItsCopy) {
  for (const char* neighborhood : {"topological", "euclidean"}) {
    StepStatistics last;
    const auto results = run_checks("topology/fig08_table.json", 1, 1e9, 1 << 30, last,
                                    {std::string("systems.water.neighborhood=") + neighborhood});
    const CheckResult& same = results.at(0);
    ASSERT_EQ(same.parameters.type, "sameMotion");
    EXPECT_NEAR(last.time, 0.07, 1e-9);
    if (neighborhood == std::string("topological")) {
      EXPECT_EQ(same.value, 0) << RunChecks::describe(same);
      EXPECT_TRUE(same.passed);
    } else {
      EXPECT_GT(same.value, 0.05) << RunChecks::describe(same);
      EXPECT_FALSE(same.passed);
    }
  }
}

/// [TN] Fig. 10: no link between drop and pool before they touch, many afterwards.
TEST(TopologyFig10, DropJoinsThePool) {
  SceneOverrides overrides;
  overrides.resolution = 0.5;
  InitialState initial =
      build_initial_state(load_scene(source_folder() / "scenes" / "topology/fig10_splash.json", overrides));
  initial.measures.push_back({"links", "links(pool,drop)", initial.bodies[0].system, 0, 1});
  const auto simulation = make_simulation(initial);
  const auto run_to = [&](double time) {
    StepStatistics last;
    while (simulation->time() < time) last = simulation->step(time);
    return last["links(pool,drop)"];
  };
  EXPECT_EQ(run_to(0.02), 0);  // it has fallen 4 of 7 cm
  EXPECT_GT(run_to(0.08), 50);
  const FrameData frame = simulation->frame();
  ASSERT_EQ(frame.links.size(), 1u);
  EXPECT_EQ(frame.links[0].first.size(), frame.position.size() + 1);
}

/// The whole runs at the scenes' resolution, but for the pool.
class TopologySceneSlow : public testing::TestWithParam<WholeRun> {};
TEST_P(TopologySceneSlow, EndsInItsChecks) {
  StepStatistics last;
  for (const CheckResult& result : run_checks(std::string("topology/") + GetParam().file + ".json",
                                              GetParam().resolution, 1e9, 1 << 30, last))
    EXPECT_TRUE(result.passed) << RunChecks::describe(result);
}

INSTANTIATE_TEST_SUITE_P(Topology, TopologySceneSlow,
                         testing::Values(WholeRun{"fig08_table_fine", 1.83, 0},
                                         WholeRun{"fig10_splash", 0.5, 0}, WholeRun{"thin_wall", 0.5, 0}),
                         [](const auto& info) { return std::string(info.param.file); });

/// A thin wall: nothing crosses it and no link does, although the fluids come nearer than 2h to each other.
TEST(TopologyThinWall, FluidsDoNotFeelEachOther) {
  SceneOverrides overrides;
  overrides.resolution = 0.5;
  const InitialState initial =
      build_initial_state(load_scene(source_folder() / "scenes" / "topology/thin_wall.json", overrides));
  const SphParameters& water = initial.systems[1].parameters.of<SphParameters>();
  const float support = float(4 * initial.systems[1].fluid.particle_radius * water.smoothing_length_factor);
  const auto simulation = make_simulation(initial);
  long long near_pairs = 0;
  double contacts = 0;
  for (int frame = 1; frame <= 8; ++frame) {
    while (simulation->time() < 0.025 * frame) {
      const StepStatistics row = simulation->step(0.025 * frame);
      ASSERT_EQ(row["links(standing,falling)"], 0);
      ASSERT_EQ(row["crossings"], 0);
      contacts += row["contacts"];
    }
    const FrameData now = simulation->frame();
    for (size_t i = 0; i < now.body.size(); ++i)
      for (size_t j = 0; now.body[i] == 1 && std::abs(now.position[i][0]) < support && j < now.body.size();
           ++j)
        near_pairs += now.body[j] == 2 && std::hypot(now.position[i][0] - now.position[j][0],
                                                     now.position[i][1] - now.position[j][1],
                                                     now.position[i][2] - now.position[j][2]) < support;
  }
  EXPECT_GT(near_pairs, 100);
  EXPECT_GT(contacts, 0);
}

/// Topological neighborhoods, a cloth, an emitter: a run that is saved and continued ends in the same bits.
TEST(TopologyCoupled, ResumesBitForBit) {
  const InitialState initial = [] {
    SceneOverrides overrides;
    overrides.resolution = 0.14;
    overrides.set = {"systems.water.neighborhood=topological", "systems.water.topologyFusionTime=0.01",
                     R"(systems.water.emitters=[{"name": "jet", "position": [0, 0, 0.15], "radius": 0.06,)"
                     R"( "velocity": 3, "maxParticles": 60}])"};
    return build_initial_state(load_scene(
        source_folder() / "scenes" / "merging_and_splitting/fig04_fluid_beam_on_cloth.json", overrides));
  }();
  const auto whole = make_simulation(initial), resumed = make_simulation(initial);
  const auto run = [](Simulation& simulation, long long steps) {
    while (simulation.step_count() < steps)
      simulation.step(0.01 * (std::floor(simulation.time() / 0.01 + 1e-6) + 1));
  };
  run(*whole, 70);
  resumed->load(whole->save());
  run(*whole, 140);
  run(*resumed, 140);
  EXPECT_GT(whole->particle_count(), make_simulation(initial)->particle_count()) << "the emitter has emitted";
  const StateArchive a = whole->save(), b = resumed->save();
  ASSERT_EQ(a.arrays().size(), b.arrays().size());
  for (size_t k = 0; k < a.arrays().size(); ++k)
    EXPECT_TRUE(a.arrays()[k].bytes == b.arrays()[k].bytes) << a.arrays()[k].name;
}

}  // namespace topology_scenes_test
MERGANSER_END
