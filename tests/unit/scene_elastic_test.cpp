/// Elastic SPH bodies of a scene: materials, parameters, held and moved parts, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "tests/support/scene_files.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace scene_elastic_test {

constexpr const char* two_bodies = R"({
  "simulation": {"particleRadius": 0.05, "timeStepSize": 0.004},
  "systems": [{
    "name": "soft", "type": "elasticSph", "solve": "split", "zeroEnergy": "explicit", "tolerance": 1e-5, "maxIterations": 40,
    "closestNeighbors": 10, "smoothingLengthFactor": 1.1, "factorMemory": 1e9, "selfContact": false,
    "bodies": [
      {"name": "beam", "shape": "box", "start": [0, 0, 0], "end": [1, 0.2, 0.3], "density0": 800, "youngsModulus": 1e7,
       "poissonRatio": 0.4, "alpha": 0.1, "pinned": [{"box": [[0, 0, 0], [0.1, 0.2, 0.3]]}],
       "prescribed": [{"box": [[0.9, 0, 0], [1, 0.2, 0.3]], "velocity": [1, 0, 0], "endTime": 2}]},
      {"name": "ball", "shape": "sphere", "centre": [3, 0, 0], "radius": 0.2, "density0": 1000, "youngsModulus": 1e6,
       "velocity": [0, 1, 0], "jitter": 0.2}
    ]}]
})";

class ElasticScene : public testing::Test {
 protected:
  InitialState build(std::vector<std::string> set = {}) {
    test::write_text(folder_ / "scene.json", two_bodies);
    SceneOverrides overrides;
    overrides.set = std::move(set);
    return build_initial_state(load_scene(folder_ / "scene.json", overrides));
  }
  test::TemporaryFolder folder_;
};

TEST_F(ElasticScene, HasMaterialsParametersAndHeldParts) {
  const InitialState state = build();
  ASSERT_EQ(state.systems.size(), 1u);
  const SystemState& soft = state.systems[0];
  EXPECT_EQ(soft.method->word, "elasticSph");
  EXPECT_FALSE(soft.self_contact);
  const ElasticSphParameters& p = soft.parameters.of<ElasticSphParameters>();
  EXPECT_EQ(p.solve, ElasticSolve::split);
  EXPECT_EQ(p.zero_energy, ZeroEnergyControl::explicit_force);
  EXPECT_EQ(p.tolerance, 1e-5);
  EXPECT_EQ(p.max_iterations, 40);
  EXPECT_EQ(p.closest_neighbors, 10);
  EXPECT_EQ(p.smoothing_length_factor, 1.1);
  EXPECT_EQ(p.factor_memory, 1e9);
  EXPECT_EQ(p.elastic_time_step, 0.004) << "the scene's fixed step";
  ASSERT_EQ(p.materials.size(), 2u);
  EXPECT_EQ(p.materials[0].body, 0);
  EXPECT_NEAR(p.materials[0].spacing, 0.1, 1e-12);
  EXPECT_EQ(p.materials[0].youngs_modulus, 1e7);
  EXPECT_EQ(p.materials[0].poisson_ratio, 0.4);
  EXPECT_EQ(p.materials[0].alpha, 0.1);
  EXPECT_EQ(p.materials[1].poisson_ratio, 0.33);
  EXPECT_EQ(p.materials[1].alpha, 10);
  EXPECT_EQ(p.volumes, ElasticVolumes::mass);
  // 10 x 2 x 3 particles of 800 * 0.1^3 kg: a layer is held, a layer is moved.
  EXPECT_NEAR(soft.mass[0], 0.8, 1e-6);
  EXPECT_EQ(std::accumulate(soft.immobile.begin(), soft.immobile.end(), 0), 12);
  ASSERT_EQ(soft.prescribed.size(), 1u);
  EXPECT_EQ(soft.prescribed[0].particles.size(), 6u);
  EXPECT_EQ(soft.velocity.back()[1], 1);
}

TEST_F(ElasticScene, TakesItsStepFromTheScene) {
  EXPECT_EQ(build({"systems.soft.elasticTimeStep=0.001"})
                .systems[0]
                .parameters.of<ElasticSphParameters>()
                .elastic_time_step,
            0.001);
  EXPECT_EQ(build({"simulation.timeStepSize=0", "simulation.maxTimeStepSize=0.003"})
                .systems[0]
                .parameters.of<ElasticSphParameters>()
                .elastic_time_step,
            0.003);
}

/// Implicit systems stand first, whatever the order in the file; the split solve is not one of them.
TEST_F(ElasticScene, ComesBeforeFluidsWhereItIsImplicit) {
  const std::string water =
      R"(systems=[{"name": "water", "type": "sph", "bodies": [{"name": "drop", "shape": "sphere", "centre": [9, 0, 0], "radius": 0.3}]},
      {"name": "soft", "type": "elasticSph", "solve": "SOLVE", "bodies": [{"name": "ball", "shape": "sphere", "centre": [0, 0, 0],
      "radius": 0.3, "density0": 1000, "youngsModulus": 1e6}]}])";
  auto first_of = [&](const std::string& solve) {
    std::string systems = water;
    systems.replace(systems.find("SOLVE"), 5, solve);
    return build({systems}).systems[0].name;
  };
  EXPECT_EQ(first_of("preconditioned"), "soft");
  EXPECT_EQ(first_of("conjugateGradient"), "soft");
  EXPECT_EQ(first_of("split"), "water");
}

TEST_F(ElasticScene, ErrorsNameTheKey) {
  auto refuses = [&](const char* change, const char* word) {
    try {
      build({change});
      ADD_FAILURE() << change;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refuses("systems.soft.solve=direct", "solve");
  refuses("systems.soft.bodies.beam.poissonRatio=0.5", "poissonRatio");
  refuses("systems.soft.bodies.beam.youngsModulus=0", "youngsModulus");
  refuses("systems.soft.bodies.beam.alpha=-1", "alpha");
  refuses("systems.soft.bodies.beam.fractureEnergy=1", "fractureEnergy");
  refuses("systems.soft.closestNeighbors=-1", "closestNeighbors");
  refuses("systems.soft.material=neoHookean", "material: is \"neoHookean\", cannot be solved");
}

constexpr const char* copies = R"({
  "simulation": {"particleRadius": 0.05, "timeStepSize": 0.004},
  "systems": [{
    "name": "soft", "type": "elasticSph",
    "bodies": [
      {"name": "a", "shape": "torus", "centre": [0, 0, 0], "majorRadius": 0.5, "minorRadius": 0.2, "jitter": 0.3,
       "density0": 1000, "youngsModulus": 1e6},
      {"name": "other", "shape": "sphere", "centre": [0, 4, 0], "radius": 0.3, "density0": 1000, "youngsModulus": 1e6},
      {"name": "b", "shape": "torus", "centre": [3, 0, 0], "axis": [1, 2, -0.5], "majorRadius": 0.5,
       "minorRadius": 0.2, "jitter": 0.3, "density0": 1000, "youngsModulus": 1e6},
      {"name": "softer", "shape": "torus", "centre": [6, 0, 0], "majorRadius": 0.5, "minorRadius": 0.2,
       "jitter": 0.3, "density0": 1000, "youngsModulus": 9e5},
      {"name": "c", "shape": "torus", "centre": [9, 0, 0], "axis": [0, 1, 0], "majorRadius": 0.5,
       "minorRadius": 0.2, "jitter": 0.3, "density0": 1000, "youngsModulus": 1e6, "translation": [0, 0, 1]}
    ]}]
})";

/// Copies are sampled once: particle by particle at the same place in the body's frame, and along its axis.
TEST(ElasticCopies, AreTheFirstOfThemTurnedAndShifted) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "scene.json", copies);
  const InitialState state = build_initial_state(load_scene(folder / "scene.json", {}));
  const SystemState& soft = state.systems[0];
  const auto& materials = soft.parameters.of<ElasticSphParameters>().materials;
  const std::vector<int> wanted{-1, -1, 0, -1, 0};
  const std::vector<Point3> centre{{}, {}, {3, 0, 0}, {}, {9, 0, 1}},
      axis{{}, {}, {1, 2, -0.5}, {}, {0, 1, 0}};
  std::vector<std::vector<size_t>> members(wanted.size());
  for (size_t i = 0; i < soft.body.size(); ++i) members[size_t(soft.body[i])].push_back(i);
  for (size_t b = 0; b < wanted.size(); ++b) {
    ASSERT_EQ(materials[b].rest_shape_of, wanted[b]) << b;
    if (wanted[b] < 0) continue;
    ASSERT_EQ(members[b].size(), members[0].size());
    for (size_t k = 0; k < members[b].size(); ++k) {
      const Float3 &from = soft.rest_position[members[0][k]], &to = soft.rest_position[members[b][k]];
      const Point3 x =
          RigidPlacement{smallest_rotation({0, 0, 1}, axis[b]), centre[b]}({from[0], from[1], from[2]});
      for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(to[c], x[c], 1e-6);
    }
  }
}

}  // namespace scene_elastic_test
}  // namespace merganser
