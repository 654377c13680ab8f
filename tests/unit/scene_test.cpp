/// Scenes that are right: defaults, bases, overrides, the resolved form, and the initial state made of them.
#include <nlohmann/json.hpp>

#include "host/scene/scene_report.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/scene_files.h"
#include "tests/support/scene_states.h"
#include "tests/support/source_folder.h"

namespace merganser {
namespace scene_test {

using test::overrides;
using test::SceneFile;
using test::scenes_folder;

void expect_same_state(const InitialState& a, const InitialState& b) {
  ASSERT_EQ(a.systems.size(), b.systems.size());
  for (size_t s = 0; s < a.systems.size(); ++s) {
    const SystemState &p = a.systems[s], &q = b.systems[s];
    EXPECT_EQ(p.position, q.position);
    EXPECT_EQ(p.velocity, q.velocity);
    EXPECT_EQ(p.mass, q.mass);
    EXPECT_EQ(p.radius, q.radius);
    EXPECT_EQ(p.immobile, q.immobile);
    EXPECT_EQ(p.body, q.body);
    EXPECT_EQ(p.triangles, q.triangles);
    ASSERT_EQ(p.springs.size(), q.springs.size());
    for (size_t i = 0; i < p.springs.size(); ++i) {
      EXPECT_EQ(p.springs[i].rest_length, q.springs[i].rest_length);
      EXPECT_EQ(p.springs[i].stiffness, q.springs[i].stiffness);
    }
    EXPECT_EQ(p.fluid.particle_radius, q.fluid.particle_radius);
  }
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.measures.size(), b.measures.size());
}

TEST_F(SceneFile, DefaultsAreThoseOfTheParameterStructs) {
  const InitialState state = state_of(file());
  const SphParameters given = state.systems[1].parameters.of<SphParameters>(), wanted;
  EXPECT_EQ(state.systems[1].fluid.density0, FluidParameters{}.density0);
  EXPECT_EQ(given.smoothing_length_factor, wanted.smoothing_length_factor);
  EXPECT_EQ(given.kernel, wanted.kernel);
  EXPECT_EQ(given.density, wanted.density);
  EXPECT_EQ(given.equation_of_state, wanted.equation_of_state);
  EXPECT_EQ(given.sound_speed, wanted.sound_speed);
  EXPECT_EQ(given.gamma, wanted.gamma);
  EXPECT_EQ(given.viscosity_model, wanted.viscosity_model);
  EXPECT_EQ(given.viscosity, wanted.viscosity);
  EXPECT_EQ(given.xsph, wanted.xsph);
  EXPECT_EQ(given.density_diffusion, wanted.density_diffusion);
  EXPECT_EQ(given.allow_tension, wanted.allow_tension);
  EXPECT_EQ(given.cfl, wanted.cfl);
  EXPECT_EQ(state.systems[0].parameters.of<MassSpringParameters>().tolerance,
            MassSpringParameters{}.tolerance);
  EXPECT_EQ(state.systems[0].parameters.of<MassSpringParameters>().max_iterations,
            MassSpringParameters{}.max_iterations);
  EXPECT_EQ(state.max_time_step, InitialState{}.max_time_step);
  EXPECT_EQ(state.coupling.alpha, MergeSplitParameters{}.alpha);
  EXPECT_EQ(state.coupling.second_stage, MergeSplitParameters{}.second_stage);
  EXPECT_EQ(state.pairwise_contacts.stiffness, PairwiseContactParameters{}.stiffness);
  EXPECT_EQ(state.pairwise_contacts.damping, PairwiseContactParameters{}.damping);
  EXPECT_EQ(state.pairwise_contacts.iterations, PairwiseContactParameters{}.iterations);
  EXPECT_EQ(state.pairwise_contacts.restitution, PairwiseContactParameters{}.restitution);
}

TEST_F(SceneFile, BodiesBecomeParticles) {
  const InitialState state = state_of(file());
  ASSERT_EQ(state.systems.size(), 2u);
  const SystemState &cloth = state.systems[0], &water = state.systems[1];
  EXPECT_EQ(cloth.position.size(), 121u);  // 11 x 11
  EXPECT_EQ(cloth.triangles.size(), 200u);
  double mass = 0;
  int held = 0;
  for (size_t i = 0; i < cloth.mass.size(); ++i) {
    mass += cloth.mass[i];
    held += cloth.immobile[i];
  }
  EXPECT_NEAR(mass, 2, 1e-5);  // 2 kg/m^2, 1 m^2
  EXPECT_EQ(held, 40);
  EXPECT_FLOAT_EQ(cloth.radius[0], 0.05f);
  EXPECT_TRUE(cloth.self_contact);
  EXPECT_EQ(water.position.size(), 400u);  // 10 x 10 x 4
  EXPECT_FLOAT_EQ(water.mass[0], 1.0f);    // 1000 kg/m^3 * (0.1 m)^3
  EXPECT_FLOAT_EQ(water.radius[0], 0.05f);
  EXPECT_EQ(water.velocity[7], (Float3{0, 0, -1}));
  EXPECT_EQ(state.bodies[1].name, "beam");
  EXPECT_EQ(state.bodies[1].system, 1);
  EXPECT_EQ(state.measures[0].quantity, "crossings");
  EXPECT_EQ(state.measures[0].system, 1);
  EXPECT_EQ(state.measures[0].body, 0);
  EXPECT_EQ(state.walls[0].direction, (Point3{0, 0, 1}));
  EXPECT_EQ(state.coupling.group_min, 4);
  EXPECT_EQ(state.coupling.group_max, 8);
}

TEST_F(SceneFile, ContactMethodsAndTheirKeysAreRead) {
  const std::vector<std::pair<std::string, ContactMethod>> words{
      {"mergingAndSplitting", ContactMethod::merging_and_splitting},
      {"penalty", ContactMethod::penalty},
      {"sphForce", ContactMethod::sph_force},
      {"impulses", ContactMethod::impulses},
      {"none", ContactMethod::none}};
  for (const auto& [word, method] : words) {
    const InitialState state = state_of(
        file(), overrides([&, word = &word](SceneOverrides& o) { o.set = {"coupling.method=" + *word}; }));
    EXPECT_EQ(state.coupling.method, method) << word;
  }
  const InitialState state =
      state_of(file(), overrides([](SceneOverrides& o) {
                 o.set = {"coupling.stiffness=5", "coupling.damping=6", "coupling.impulseIterations=7",
                          "coupling.impulseRestitution=0.5"};
               }));
  EXPECT_EQ(state.pairwise_contacts.stiffness, 5);
  EXPECT_EQ(state.pairwise_contacts.damping, 6);
  EXPECT_EQ(state.pairwise_contacts.iterations, 7);
  EXPECT_EQ(state.pairwise_contacts.restitution, 0.5);
}

TEST_F(SceneFile, ResolutionScalesSpacingsGivenAndDerived) {
  const InitialState coarse = state_of(file(), overrides([](SceneOverrides& o) { o.resolution = 0.5; }));
  EXPECT_EQ(coarse.systems[0].position.size(), 36u);
  EXPECT_EQ(coarse.systems[1].position.size(), 50u);
  EXPECT_DOUBLE_EQ(coarse.systems[1].fluid.particle_radius, 0.1);
  const InitialState given = state_of(file_with(R"("arealDensity")", R"("spacing": 0.1, "arealDensity")"),
                                      overrides([](SceneOverrides& o) { o.resolution = 0.5; }));
  expect_same_state(coarse, given);
}

TEST_F(SceneFile, TheResolvedSceneGivesTheSameStateAndItself) {
  std::filesystem::create_directory(folder_ / "meshes");
  file("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "meshes/corner.obj");
  const std::string box =
      R"("shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5], "velocity": [0, 0, -1]})";
  const std::string mesh =
      R"("shape": "mesh", "geometryFile": "meshes/corner.obj", "scale": 2, "jitter": 0.1, "packing": "hexagonal"})";
  const Scene scene =
      load_scene(file_with(box, mesh),
                 overrides([](SceneOverrides& o) { o.resolution = 0.7, o.seed = 11, o.frames = 7; }));
  const test::TemporaryFolder elsewhere;
  test::write_text(elsewhere / "resolved.json", scene.resolved_json);
  const Scene again = load_scene(elsewhere / "resolved.json");
  EXPECT_EQ(again.resolved_json, scene.resolved_json);
  EXPECT_EQ(again.end_time, 0.7);
  EXPECT_EQ(again.resolution, 0.7);
  expect_same_state(build_initial_state(scene), build_initial_state(again));
  const auto json = nlohmann::json::parse(scene.resolved_json);
  EXPECT_EQ(json["simulation"]["particleRadius"], 0.05);
  EXPECT_EQ(json["systems"][1]["bodies"][0]["geometryFile"], (folder_ / "meshes/corner.obj").string());
}

TEST_F(SceneFile, AFileIsMergedOverItsBase) {
  file(test::small_scene, "base.json");
  std::filesystem::create_directory(folder_ / "deeper");
  const auto derived =
      file(R"({"base": "../base.json", "coupling": {"alpha": 0.5}, "walls": null, "checks": []})",
           "deeper/derived.json");
  const auto json = resolved(derived);
  EXPECT_FALSE(json.contains("base"));
  EXPECT_EQ(json["title"], "small");
  EXPECT_EQ(json["coupling"]["alpha"], 0.5);
  EXPECT_EQ(json["coupling"]["groupLimit"], nlohmann::json({4, 8}));
  EXPECT_TRUE(json["walls"].empty());
  EXPECT_TRUE(json["checks"].empty());
}

TEST_F(SceneFile, AnObjectOverAListChangesTheElementsItNames) {
  file(test::small_scene, "base.json");
  const auto json = resolved(
      file(R"({"base": "base.json", "systems": {"water": {"bodies": {"beam": {"velocity": [1, 2, 3]}}}}})",
           "derived.json"));
  EXPECT_EQ(json["systems"].size(), 2u);
  EXPECT_EQ(json["systems"][1]["bodies"][0]["velocity"], nlohmann::json({1, 2, 3}));
  EXPECT_THROW(resolved(file(R"({"base": "base.json", "systems": {"wter": {"density0": 1}}})", "wrong.json")),
               InputError);
}

TEST_F(SceneFile, NullOnTheCommandLineTakesAKeyAway) {
  const auto set = [&](std::vector<std::string> settings) {
    return resolved(file(), overrides([&](SceneOverrides& o) { o.set = std::move(settings); }));
  };
  EXPECT_EQ(set({"systems.water.density0=900"})["systems"][1]["density0"], 900);
  EXPECT_EQ(set({"systems.water.density0=900", "systems.water.density0=null"})["systems"][1]["density0"],
            1000);
  EXPECT_THROW(set({"systems.water.soundSpeed=20", "systems.water.type=flip"}), InputError);
  EXPECT_EQ(set({"systems.water.soundSpeed=20", "systems.water.type=flip",
                 "systems.water.soundSpeed=null"})["systems"][1]["type"],
            "flip");
}

TEST_F(SceneFile, OneSettingForManyElements) {
  const auto set = [&](std::vector<std::string> settings) {
    return resolved(file(), overrides([&](SceneOverrides& o) { o.set = std::move(settings); }))["systems"];
  };
  const auto named = set({"systems.w*.density0=900"});
  EXPECT_EQ(named[1]["density0"], 900);
  EXPECT_EQ(named[0], set({"title=x"})[0]) << "no other is changed";
  const auto all = set({"systems.*.bodies.*.velocity=[0,0,-2]"});
  EXPECT_EQ(all[0]["bodies"][0]["velocity"][2], -2);
  EXPECT_EQ(all[1]["bodies"][0]["velocity"][2], -2);
  EXPECT_EQ(set({"systems.*.bodies.*.velocity=null"})[1]["bodies"][0]["velocity"][2], 0) << "the default";
}

TEST_F(SceneFile, TheCommandLineWins) {
  const auto json =
      resolved(file(), overrides([](SceneOverrides& o) {
                 o.set = {"coupling.alpha=0.25",           "systems.water.bodies.beam.velocity=[0,0,-2]",
                          "systems.1.density0=900",        "title=other words",
                          "coupling.groupLimit=unlimited", "simulation.periodic.origin=[1,0,0]"};
                 o.seed = 9;
                 o.end_time = 0.5;
               }));
  EXPECT_EQ(json["coupling"]["alpha"], 0.25);
  EXPECT_EQ(json["coupling"]["groupLimit"], "unlimited");
  EXPECT_EQ(json["systems"][1]["bodies"][0]["velocity"][2], -2);
  EXPECT_EQ(json["systems"][1]["density0"], 900);
  EXPECT_EQ(json["title"], "other words");
  EXPECT_EQ(json["simulation"]["periodic"]["origin"][0], 1);
  EXPECT_EQ(json["simulation"]["seed"], 9);
  EXPECT_EQ(json["simulation"]["endTime"], 0.5);
  EXPECT_DOUBLE_EQ(load_scene(file(), overrides([](SceneOverrides& o) { o.frames = 4; })).end_time, 0.4);
}

TEST_F(SceneFile, HeldAndMovedRegions) {
  const InitialState state = state_of(file_with(
      R"("pinned": "edges")",
      R"("pinned": [{"box": [[0, 0, 0], [0, 1, 0]]}], "prescribed": [{"box": [[1, 0, 0], [1, 1, 0]], "velocity": [1, 0, 0], "endTime": 0.5}])"));
  int held = 0;
  for (char one : state.systems[0].immobile) held += one;
  EXPECT_EQ(held, 22);
  ASSERT_EQ(state.systems[0].prescribed.size(), 1u);
  EXPECT_EQ(state.systems[0].prescribed[0].particles.size(), 11u);
  EXPECT_EQ(state.systems[0].prescribed[0].particles[0], 10);
  EXPECT_EQ(state.systems[0].prescribed[0].end_time, 0.5);
}

TEST_F(SceneFile, DirectionsMayHaveAnyLength) {
  for (const std::string normal : {"[0,3e29,4e29]", "[0,3,4]", "[0,3e-300,4e-300]"}) {
    const InitialState state =
        state_of(file(), overrides([&](SceneOverrides& o) { o.set = {"walls.0.normal=" + normal}; }));
    EXPECT_NEAR(state.walls[0].direction[1], 0.6, 1e-12);
    EXPECT_NEAR(state.walls[0].direction[2], 0.8, 1e-12);
  }
}

TEST_F(SceneFile, ARopeSharesItsMass) {
  const InitialState state = state_of(file_with(
      R"("bodies": [
      {"name": "sheet")",
      R"("bodies": [{"name": "rope", "shape": "rope", "start": [0, 0, 2], "end": [1, 0, 2], "lineDensity": 3, "stretchStiffness": 10, "pinned": "start"},
      {"name": "sheet")"));
  const SystemState& cloth = state.systems[0];
  double mass = 0;
  for (size_t i = 0; i < 11; ++i) mass += cloth.mass[i];
  EXPECT_NEAR(mass, 3, 1e-5);
  EXPECT_EQ(cloth.immobile[0], 1);
  EXPECT_EQ(cloth.immobile[1], 0);
  EXPECT_EQ(cloth.triangles[0][0], 11) << "triangles of the second body follow the rope's particles";
}

TEST_F(SceneFile, TheSchemaNamesEveryKeyOfAResolvedScene) {
  const auto schema = nlohmann::json::parse(scene_schema());
  const auto scene = resolved(file());
  for (const auto& [key, value] : scene.items())
    EXPECT_TRUE(schema["$defs"]["scene"]["properties"].contains(key)) << key;
  for (const char* kind : {"simulation", "coupling", "system.sph", "solidBody.sheet", "fluidBody.mesh",
                           "wall.plane", "check.noCrossing", "region"})
    EXPECT_TRUE(schema["$defs"].contains(kind)) << kind;
  for (const auto& [key, value] : scene["systems"][1].items())
    EXPECT_TRUE(schema["$defs"]["system.sph"]["properties"].contains(key)) << key;
}

TEST_F(SceneFile, AMeshTakesTheSpheresPlace) {
  file("v 0 0 0\nv 8 0 0\nv 0 4 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "corner.obj");
  const InitialState state =
      state_of(scenes_folder / "demos/mesh_drop.json", overrides([&](SceneOverrides& o) {
                 o.set = {"systems.water.bodies.drop.geometryFile=" + (folder_ / "corner.obj").string(),
                          "systems.water.bodies.drop.rotationAngle=0"};
                 o.resolution = 0.3;
               }));
  float low = 1e9f, high = -1e9f;
  for (const Float3& x : state.systems[1].position) {
    low = std::min(low, x[0]);
    high = std::max(high, x[0]);
  }
  // The longest side, x, is the sphere's diameter of 0.4 m about its centre; the far tip is thinner than a
  // particle.
  EXPECT_NEAR(low, -0.2, 0.02);
  EXPECT_GT(high, 0.05);
  EXPECT_LT(high, 0.2);
}

}  // namespace scene_test
}  // namespace merganser
