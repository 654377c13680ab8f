/// Bodies with "sampling": "relaxed": what scenes make of them, what check says, errors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "host/scene/scene_report.h"
#include "tests/support/made_meshes.h"
#include "tests/support/scene_files.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace scene_relaxed_test {

constexpr const char* scene_text = R"({
  "simulation": {"particleRadius": 0.05},
  "systems": [
    {"name": "water", "type": "sph", "density0": 1000, "bodies": [
      {"name": "ball", "shape": "sphere", "centre": [0, 0, 0], "radius": 0.3, "sampling": "relaxed"}]},
    {"name": "soft", "type": "elasticSph", "bodies": [
      {"name": "ring", "shape": "torus", "centre": [2, 0, 0], "axis": [1, 0, 1], "majorRadius": 0.4, "minorRadius": 0.14,
       "density0": 800, "youngsModulus": 1e6, "sampling": "relaxed"},
      {"name": "block", "shape": "box", "start": [4, 0, 0], "end": [4.4, 0.2, 0.3], "density0": 800, "youngsModulus": 1e6}]},
    {"name": "hard", "type": "peridynamics", "bodies": [
      {"name": "pot", "shape": "bowl", "centre": [0, 2, 0], "outerRadius": 0.4, "thickness": 0.17, "rimHeight": 0.5,
       "density0": 1000, "youngsModulus": 1e6, "sampling": "relaxed"}]}]
})";

/// Particles of the body of that name.
double particles_of(const InitialState& state, const std::string& name) {
  for (size_t b = 0; b < state.bodies.size(); ++b)
    if (state.bodies[b].name == name)
      return double(std::ranges::count(state.systems[size_t(state.bodies[b].system)].body, int(b)));
  return -1;
}

class RelaxedScene : public testing::Test {
 protected:
  Scene scene(std::vector<std::string> set = {}) {
    test::write_text(folder_ / "scene.json", scene_text);
    SceneOverrides overrides;
    overrides.set = std::move(set);
    return load_scene(folder_ / "scene.json", overrides);
  }
  std::string message(std::vector<std::string> set) {
    try {
      build_initial_state(scene(std::move(set)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  test::TemporaryFolder folder_;
};

TEST_F(RelaxedScene, EveryKindOfBodyHasTheMassOfItsShape) {
  const InitialState state = build_initial_state(scene());
  constexpr double pi = 3.14159265358979, per_particle = 1e-3;
  const auto cap = [&](double r, double h) { return pi * h * h * (3 * r - h) / 3; };
  const auto expect = [&](const std::string& name, double volume) {
    // Half a particle, and the chords of a round surface.
    EXPECT_NEAR(particles_of(state, name) * per_particle, volume, 0.5 * per_particle + 4e-3 * volume) << name;
  };
  expect("ball", 4 * pi / 3 * 0.027);
  expect("ring", 2 * pi * pi * 0.4 * 0.14 * 0.14);
  expect("block", 0.024);  // of a lattice
  expect("pot", cap(0.4, 0.5) - cap(0.23, 0.33));
}

/// Two cubes of 1 m^3 that share an eighth: the union has 1.875 m^3, in whatever way it is filled.
TEST_F(RelaxedScene, PartsOfAMeshThatOverlapAreFilledOnce) {
  const TriangleMesh two =
      test::both(test::box_mesh({0, 0, 0}, {1, 1, 1}), test::box_mesh({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}));
  std::string text;
  for (const Float3& v : two.vertices) text += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  for (const Triangle& t : two.triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  test::write_text(folder_ / "two.obj", text);
  const auto state = [&](const std::string& type, const std::string& keys, const std::string& sampling) {
    test::write_text(folder_ / "mesh.json",
                     R"({"simulation": {"particleRadius": 0.1}, "systems": [{"name": "s", "type": ")" + type +
                         R"(", "bodies": [{"name": "two", "shape": "mesh",
      "geometryFile": "two.obj", "density0": 1000, )" +
                         keys + R"("sampling": ")" + sampling + R"("}]}]})");
    return build_initial_state(load_scene(folder_ / "mesh.json", {})).systems[0];
  };
  const SystemState soft = state("elasticSph", R"("youngsModulus": 1e6, )", "relaxed");
  EXPECT_NEAR(double(soft.position.size()), 1.875 / 0.008, 3);
  double nearest = 1;
  for (const Float3& a : soft.position)
    for (const Float3& b : soft.position)
      if (&a != &b)
        nearest =
            std::min(nearest, std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]));
  EXPECT_GT(nearest, 0.7 * 0.2);
  for (const char* sampling : {"lattice", "relaxed"}) {
    const SystemState rigid = state("rigid", "", sampling);
    double mass = 0, moment = 0;
    for (size_t i = 0; i < rigid.mass.size(); ++i) {
      mass += rigid.mass[i];
      moment += double(rigid.mass[i]) * rigid.position[i][0];
    }
    EXPECT_NEAR(mass, 1875, 0.02 * 1875) << sampling;
    EXPECT_NEAR(moment / mass, 0.75, 0.01) << sampling;
  }
}

TEST_F(RelaxedScene, CheckTellsTheSameCountWithoutRelaxing) {
  const Scene relaxed = scene();
  const InitialState made = build_initial_state(relaxed),
                     quick = build_initial_state(relaxed, {.most_relaxed = 0});
  for (size_t s = 0; s < made.systems.size(); ++s)
    EXPECT_EQ(made.systems[s].position.size(), quick.systems[s].position.size());
  EXPECT_NE(made.systems[0].position, quick.systems[0].position);
  const auto report = nlohmann::json::parse(check_scene(relaxed, true).text);
  EXPECT_EQ(report["not_relaxed"], nlohmann::json::array());
  for (const auto& system : report["systems"])
    for (const auto& body : system["bodies"]) EXPECT_EQ(body["particles"], particles_of(made, body["name"]));
}

/// A body of more particles than check relaxes, and those after it: the report names them.
TEST_F(RelaxedScene, CheckSaysWhatItDoesNotRelax) {
  const std::string text = check_scene(scene({"systems.soft.bodies.block.sampling=relaxed",
                                              "systems.soft.bodies.block.end=[6.8, 2.8, 2.8]"}),
                                       false)
                               .text;
  EXPECT_NE(text.find("not relaxed   block, pot, ball: check relaxes up to 20000 particles"), text.npos)
      << text;
}

TEST_F(RelaxedScene, ErrorsNameKeyValueAndRemedy) {
  const std::string jitter = message({"systems.water.bodies.ball.jitter=0.2"});
  EXPECT_NE(jitter.find("systems.water.bodies.ball.jitter: is 0.2"), std::string::npos) << jitter;
  EXPECT_NE(jitter.find("set sampling to lattice"), std::string::npos);
  const std::string thin = message({"systems.hard.bodies.pot.thickness=0.04"});
  EXPECT_NE(thin.find("systems.hard.bodies.pot: the mesh is nowhere thicker than"), std::string::npos)
      << thin;
  EXPECT_NE(thin.find("make the spacing smaller (particleRadius, --resolution"), std::string::npos);
  const std::string small = message({"systems.water.bodies.ball.radius=0.03"});
  EXPECT_NE(small.find("less than half a particle"), std::string::npos) << small;
  const std::string word = message({"systems.water.bodies.ball.sampling=dense"});
  EXPECT_NE(word.find("systems.water.bodies.ball.sampling"), std::string::npos) << word;
  EXPECT_NE(word.find("relaxed"), std::string::npos);
}

}  // namespace scene_relaxed_test
}  // namespace merganser
