/// Peridynamic bodies of a scene: materials, cracks, loads, held and moved parts.
#include <gtest/gtest.h>

#include <cmath>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/scene_files.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace scene_brittle_test {

constexpr const char* two_plates = R"({
  "simulation": {"particleRadius": 0.05},
  "systems": [{
    "name": "glass", "type": "peridynamics", "horizonFactor": 2.015, "integration": "explicit", "tolerance": 1e-6,
    "bodies": [
      {"name": "plate", "shape": "box", "start": [0, 0, 0], "end": [1, 0.2, 0.5], "translation": [0, 0, 1],
       "density0": 2400, "youngsModulus": 3e9, "fractureEnergy": 20, "criticalStretchScatter": 0.1,
       "pinned": [{"box": [[0, 0, 1], [0.02, 0.2, 1.5]]}],
       "prescribed": [{"box": [[0.9, 0, 1], [1, 0.2, 1.5]], "velocity": [1, 0, 0], "endTime": 2}],
       "preCracks": [{"corner": [0.5, 0, 0], "edgeU": [0, 0.2, 0], "edgeV": [0, 0, 0.25]}],
       "loads": [{"box": [[0.4, 0, 1.4], [0.6, 0.2, 1.5]], "acceleration": [0, 0, -5], "startTime": 1}]},
      {"name": "bead", "shape": "sphere", "centre": [3, 0, 0], "radius": 0.2, "density0": 1000,
       "youngsModulus": 1e6, "velocity": [0, 1, 0]}
    ]}]
})";

class BrittleScene : public testing::Test {
 protected:
  Scene load(std::vector<std::string> set = {}) {
    test::write_text(folder_ / "scene.json", two_plates);
    SceneOverrides overrides;
    overrides.set = std::move(set);
    return load_scene(folder_ / "scene.json", overrides);
  }
  test::TemporaryFolder folder_;
};

TEST_F(BrittleScene, HasMaterialsCracksLoadsAndHeldParts) {
  const InitialState state = build_initial_state(load());
  ASSERT_EQ(state.systems.size(), 1u);
  const SystemState& glass = state.systems[0];
  EXPECT_EQ(glass.method->word, "peridynamics");
  EXPECT_TRUE(glass.self_contact);
  const PeridynamicsParameters& p = glass.parameters.of<PeridynamicsParameters>();
  EXPECT_EQ(p.integration, PeridynamicIntegration::explicit_verlet);
  EXPECT_EQ(p.horizon_factor, 2.015);
  EXPECT_EQ(p.tolerance, 1e-6);
  ASSERT_EQ(p.materials.size(), 2u);
  EXPECT_EQ(p.materials[0].body, 0);
  EXPECT_EQ(p.materials[0].density, 2400);
  EXPECT_NEAR(p.materials[0].spacing, 0.1, 1e-12);
  EXPECT_NEAR(p.materials[0].bulk_modulus, 2e9, 1);  // E = 1.5 K at a Poisson's ratio of 1/4
  EXPECT_EQ(p.materials[0].fracture_energy, 20);
  EXPECT_EQ(p.materials[0].critical_stretch, 0);
  EXPECT_EQ(p.materials[0].stretch_scatter, 0.1);
  EXPECT_TRUE(std::isinf(p.materials[1].critical_stretch)) << "unbreakable unless said";
  ASSERT_EQ(p.pre_cracks.size(), 1u);
  EXPECT_EQ(p.pre_cracks[0].corner, (Point3{0.5, 0, 1})) << "cracks move with their body";
  ASSERT_EQ(p.loads.size(), 1u);
  EXPECT_EQ(p.loads[0].particles.size(), 2u * 2u);  // x = 0.45, 0.55; z = 1.45; both layers
  EXPECT_EQ(p.loads[0].start_time, 1);
  const size_t in_plate = 10 * 2 * 5;
  ASSERT_GT(glass.position.size(), in_plate);
  EXPECT_FLOAT_EQ(glass.mass[0], 2.4f);
  EXPECT_FLOAT_EQ(glass.velocity[in_plate][1], 1);
  int held = 0;
  for (char is_held : glass.immobile) held += is_held;
  EXPECT_EQ(held, 2 * 5 * 2) << "the layer that the thin box reaches into, and the layer that is moved";
  ASSERT_EQ(glass.prescribed.size(), 1u);
  EXPECT_EQ(glass.prescribed[0].particles.size(), 10u);
}

TEST_F(BrittleScene, TakesTheCriticalStretchAsGiven) {
  const InitialState state = build_initial_state(load(
      {"systems.glass.bodies.plate.fractureEnergy=0", "systems.glass.bodies.plate.criticalStretch=0.02"}));
  EXPECT_EQ(state.systems[0].parameters.of<PeridynamicsParameters>().materials[0].critical_stretch, 0.02);
}

TEST_F(BrittleScene, ErrorsNameTheKey) {
  auto says = [&](const char* set, const char* piece) {
    try {
      build_initial_state(load({set}));
      ADD_FAILURE() << set << " was taken";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(piece), std::string::npos) << e.what();
    }
  };
  says("systems.glass.bodies.plate.criticalStretch=0.01", "bodies.plate.criticalStretch");
  says("systems.glass.bodies.plate.youngsModulus=-1", "bodies.plate.youngsModulus");
  says("systems.glass.bodies.plate.loads.0.endTime=0.5", "bodies.plate.loads.0.endTime");
  says("systems.glass.bodies.plate.loads.0.box=[[7,7,7],[8,8,8]]", "bodies.plate.loads.0.box");
  says("systems.glass.bodies.plate.preCracks.0.edgeU=[0,0,0]", "preCracks.0.edgeU");
}

}  // namespace scene_brittle_test
}  // namespace merganser
