/// Every scene file that ships runs at low resolution and ends in its stated checks.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "host/checks/run_checks.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/shipped_scenes.h"

MERGANSER_BEGIN
namespace {

/// Runs a scene until `end_time` [s] or for `steps` steps and returns the results of its checks.
std::vector<CheckResult> run_checks(const std::string& file, double resolution, double end_time,
                                    long long steps, StepStatistics& last,
                                    const std::vector<std::string>& changes = {}) {
  SceneOverrides overrides;
  overrides.set = changes;
  overrides.resolution = resolution;
  const Scene scene = load_scene(source_folder() / "scenes" / file, overrides);
  const InitialState initial = build_initial_state(scene);
  double mass = 0;
  for (const SystemState& system : initial.systems)
    for (float m : system.mass) mass += m;
  Checks checks(scene.checks, mass);
  const auto simulation = make_simulation(initial);
  end_time = std::min(end_time, scene.end_time);
  while (simulation->time() < end_time && simulation->step_count() < steps) {
    last = simulation->step(end_time);
    checks.observe(last);
  }
  return checks.results();
}

class EveryScene : public testing::TestWithParam<std::string> {};

/// The first 60 steps at about a thousand particles: no NaN, solver tolerances met, checks hold.
TEST_P(EveryScene, Starts) {
  StepStatistics last;
  const auto results = run_checks(GetParam(), test::low_resolution(GetParam()), 1e9, 60, last);
  EXPECT_EQ(last.step, 60);
  EXPECT_TRUE(last.tolerance_met);
  EXPECT_FALSE(results.empty()) << "a scene ends in a stated check";
  for (const CheckResult& result : results) {
    const std::string& type = result.parameters.type;
    if (type == "breaks" || type == "travels" || type == "returnsToShape") continue;  // reached later
    EXPECT_TRUE(result.passed) << Checks::describe(result);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, testing::ValuesIn(test::scene_files()), test::scene_name);

/// A scene that runs to its end, or to a time when its checks must hold.
struct WholeRun {
  const char* file;
  double resolution, end_time;  ///< end_time [s], 0 = the scene's
};
void PrintTo(const WholeRun& run, std::ostream* stream) { *stream << run.file << " at " << run.resolution; }

void expect_checks(const WholeRun& run) {
  StepStatistics last;
  const std::string file = std::string("merging_and_splitting/") + run.file + ".json";
  for (const CheckResult& result :
       run_checks(file, run.resolution, run.end_time > 0 ? run.end_time : 1e9, 1 << 30, last))
    EXPECT_TRUE(result.passed) << Checks::describe(result);
  EXPECT_TRUE(last.tolerance_met);
}

class SceneRun : public testing::TestWithParam<WholeRun> {};
TEST_P(SceneRun, EndsInItsChecks) { expect_checks(GetParam()); }
INSTANTIATE_TEST_SUITE_P(MergingAndSplitting, SceneRun,
                         testing::Values(WholeRun{"fig05_ball_hits_brittle_wall", 0.2, 0.05},
                                         WholeRun{"fig07_mass_ratio_1", 0.16, 0.25},
                                         WholeRun{"fig07_mass_ratio_10", 0.16, 0.25},
                                         WholeRun{"fig07_mass_ratio_100", 0.16, 0},
                                         WholeRun{"fig08_dam_break_wall", 0.16, 0.6},
                                         WholeRun{"fig04_fluid_beam_on_cloth_flip", 0.16, 0.4},
                                         WholeRun{"fig09_flip_cloth", 0.12, 0.25}),
                         [](const auto& info) { return std::string(info.param.file); });

class SceneRunSlow : public testing::TestWithParam<WholeRun> {};
TEST_P(SceneRunSlow, EndsInItsChecks) { expect_checks(GetParam()); }
INSTANTIATE_TEST_SUITE_P(MergingAndSplitting, SceneRunSlow,
                         testing::Values(WholeRun{"fig03_ball_on_cloth_high", 0.4, 0},
                                         WholeRun{"fig05_ball_hits_brittle_wall", 0.4, 0},
                                         WholeRun{"fig08_cloth_and_tori", 0.25, 0},
                                         WholeRun{"fig08_dam_break_wall", 0.3, 0},
                                         WholeRun{"fig09_flip_cloth", 0.2, 0},
                                         WholeRun{"fig09_flip_brittle", 0.2, 0},
                                         WholeRun{"fig08_bowl_breaks_on_water", 0.3, 0.1}),
                         [](const auto& info) { return std::string(info.param.file); });

/// [MS] Fig. 3 over the whole run: nothing crosses and the energy ledger closes to 1 %.
TEST(Fig03, EnergyLedgerCloses) {
  for (const char* fall : {"low", "high"}) {
    StepStatistics last;
    const std::string file = std::string("merging_and_splitting/fig03_ball_on_cloth_") + fall + ".json";
    bool closed = false;
    for (const CheckResult& result : run_checks(file, 0.14, 1e9, 1 << 30, last)) {
      EXPECT_TRUE(result.passed) << fall << ": " << Checks::describe(result);
      closed = closed || result.parameters.type == "energyLedger";
    }
    EXPECT_TRUE(closed);
    EXPECT_NEAR(last.time, 0.6, 1e-9);
    EXPECT_GT(last["dissipated_integration"] + last["dissipated_damping"], 0.05 * last["elastic_energy"]);
    // All that the held frame does not give is rounding and the solver's tolerance.
    for (double residual : last.vector("momentum_residual"))
      EXPECT_LT(std::abs(residual), 1e-5 * last.vector("external_impulse")[2]);
  }
}

/// [MS] Fig. 3: one set of parameters serves both heights with merging-and-splitting (Fig03 above); every
/// baseline, at every stiffness, lets the ball through or shakes at one height at least.
struct Baseline {
  const char* method;
  const char* stiffness;  ///< [Pa]
};
void PrintTo(const Baseline& baseline, std::ostream* stream) {
  *stream << baseline.method << ' ' << baseline.stiffness;
}
class Fig03RivalsSlow : public testing::TestWithParam<Baseline> {};
TEST_P(Fig03RivalsSlow, FailAtOneHeight) {
  const Baseline baseline = GetParam();
  int failed = 0;
  for (const char* fall : {"low", "high"}) {
    StepStatistics last;
    const std::string file = std::string("merging_and_splitting/fig03_ball_on_cloth_") + fall + ".json";
    for (const CheckResult& result : run_checks(file, 0.2, 1e9, 1 << 30, last,
                                                {std::string("coupling.method=") + baseline.method,
                                                 std::string("coupling.stiffness=") + baseline.stiffness}))
      failed += !result.passed &&
                (result.parameters.type == "noCrossing" || result.parameters.type == "energyRise");
  }
  EXPECT_GT(failed, 0);
}
INSTANTIATE_TEST_SUITE_P(Methods, Fig03RivalsSlow,
                         testing::Values(Baseline{"penalty", "2e4"}, Baseline{"penalty", "2e5"},
                                         Baseline{"penalty", "2e6"}, Baseline{"sphForce", "2e4"},
                                         Baseline{"sphForce", "2e5"}, Baseline{"sphForce", "2e6"},
                                         Baseline{"impulses", "2e5"}));

/// [MS] Fig. 4: not one fluid particle crosses the cloth, and energy never jumps, in the whole run.
TEST(Fig04, NothingCrossesInTheWholeRun) {
  StepStatistics last;
  for (const CheckResult& result :
       run_checks("merging_and_splitting/fig04_fluid_beam_on_cloth.json", 0.16, 1e9, 1 << 30, last))
    EXPECT_TRUE(result.passed) << Checks::describe(result);
  EXPECT_NEAR(last.time, 0.6, 1e-9);
}

/// [MS] Fig. 4, left: weak penalty and SPH forces let the beam through; so the counter would have seen it
/// above.
TEST(Fig04, WeakForcesLeak) {
  for (const char* method : {"penalty", "sphForce"}) {
    StepStatistics last;
    const auto results =
        run_checks("merging_and_splitting/fig04_fluid_beam_on_cloth.json", 0.16, 0.2, 1 << 30, last,
                   {std::string("coupling.method=") + method, "coupling.stiffness=2e4"});
    EXPECT_EQ(results.at(0).parameters.type, "noCrossing");
    EXPECT_GT(results.at(0).value, 100) << method;
    EXPECT_FALSE(results.at(0).passed) << method;
  }
}

/// The same at the demo's resolution and at twice it (eight times the particles).
class Fig04Slow : public testing::TestWithParam<double> {};
TEST_P(Fig04Slow, NothingCrossesInTheWholeRun) {
  StepStatistics last;
  const std::string file = "merging_and_splitting/fig04_fluid_beam_on_cloth.json";
  for (const CheckResult& result : run_checks(file, GetParam(), 1e9, 1 << 30, last))
    EXPECT_TRUE(result.passed) << Checks::describe(result);
}
INSTANTIATE_TEST_SUITE_P(Resolutions, Fig04Slow, testing::Values(0.4, 0.8));

/// [MS] Fig. 10: the more energy is kept, the higher the fluid rebounds.
TEST(Fig10, ReboundGrowsFromAToC) {
  double rebound[3];
  for (int file = 0; file < 3; ++file) {
    StepStatistics last;
    const std::string name =
        std::string("merging_and_splitting/fig10_energy_parameters_") + char('a' + file) + ".json";
    for (const CheckResult& result : run_checks(name, 0.2, 1e9, 1 << 30, last)) {
      EXPECT_TRUE(result.passed) << name << ": " << Checks::describe(result);
      if (result.parameters.type == "reportRebound") rebound[file] = result.value;
    }
  }
  EXPECT_LT(rebound[0], rebound[1]);
  EXPECT_LT(rebound[1], rebound[2]);
}

/// Scenes of [ES] over their whole time.
void expect_elastic_checks(const WholeRun& run, const std::vector<std::string>& changes = {}) {
  StepStatistics last;
  const std::string file = std::string("elastic_sph/") + run.file + ".json";
  for (const CheckResult& result : run_checks(file, run.resolution, 1e9, 1 << 30, last, changes))
    EXPECT_TRUE(result.passed) << Checks::describe(result);
  EXPECT_TRUE(last.tolerance_met);
}

class ElasticScene : public testing::TestWithParam<WholeRun> {};
TEST_P(ElasticScene, EndsInItsChecks) { expect_elastic_checks(GetParam()); }
INSTANTIATE_TEST_SUITE_P(ElasticSph, ElasticScene,
                         testing::Values(WholeRun{"fig02_moving_bunny", 0.2, 0},
                                         WholeRun{"fig03_randomized_body", 0.25, 0},
                                         WholeRun{"cantilever_alpha", 0.25, 0},
                                         WholeRun{"soft_bodies_pile", 0.2, 0},
                                         WholeRun{"soft_body_in_water", 0.2, 0}),
                         [](const auto& info) { return std::string(info.param.file); });

class ElasticSceneSlow : public testing::TestWithParam<WholeRun> {};
TEST_P(ElasticSceneSlow, EndsInItsChecks) { expect_elastic_checks(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    ElasticSph, ElasticSceneSlow,
    testing::Values(WholeRun{"fig02_moving_bunny", 0.5, 0}, WholeRun{"fig03_randomized_body", 0.4, 0},
                    WholeRun{"cantilever_alpha", 0.5, 0}, WholeRun{"fig04_twisted_beam", 0.4, 0},
                    WholeRun{"soft_bodies_pile", 0.4, 0}, WholeRun{"soft_body_in_water", 0.4, 0}),
    [](const auto& info) { return std::string(info.param.file); });

/// [ES] Fig. 3: without the zero-energy control the heap of particles stays one.
TEST(ElasticFig03, NoReturnWithoutControl) {
  StepStatistics last;
  const auto results = run_checks("elastic_sph/fig03_randomized_body.json", 0.25, 1e9, 1 << 30, last,
                                  {"systems.solid.bodies.body.alpha=0"});
  EXPECT_GT(results.at(0).value, 0.02) << Checks::describe(results[0]);
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
      EXPECT_EQ(same.value, 0) << Checks::describe(same);
      EXPECT_TRUE(same.passed);
    } else {
      EXPECT_GT(same.value, 0.05) << Checks::describe(same);
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
    EXPECT_TRUE(result.passed) << Checks::describe(result);
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

}  // namespace
MERGANSER_END
