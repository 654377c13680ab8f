/// Bodies with "sampling": "relaxed": what scenes make of them, what check says, errors; surfaces of shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "host/scene/scene_report.h"
#include "solvers/geometry/sampling/shape_mesh.h"
#include "solvers/geometry/signed_distance/mesh_soundness.h"
#include "tests/support/scene_files.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace {

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

TEST_F(RelaxedScene, CheckTellsTheSameCountWithoutRelaxing) {
  const Scene relaxed = scene();
  const InitialState made = build_initial_state(relaxed),
                     quick = build_initial_state(relaxed, {.most_relaxed = 0});
  for (size_t s = 0; s < made.systems.size(); ++s)
    EXPECT_EQ(made.systems[s].position.size(), quick.systems[s].position.size());
  EXPECT_NE(made.systems[0].position, quick.systems[0].position);
  const auto report = nlohmann::json::parse(check_scene(relaxed, true).text);
  for (const auto& system : report["systems"])
    for (const auto& body : system["bodies"]) EXPECT_EQ(body["particles"], particles_of(made, body["name"]));
}

TEST_F(RelaxedScene, ErrorsNameKeyValueAndRemedy) {
  const std::string jitter = message({"systems.water.bodies.ball.jitter=0.2"});
  EXPECT_NE(jitter.find("systems.water.bodies.ball.jitter: is 0.2"), std::string::npos) << jitter;
  EXPECT_NE(jitter.find("set sampling to lattice"), std::string::npos);
  const std::string thin = message({"systems.hard.bodies.pot.thickness=0.04"});
  EXPECT_NE(thin.find("systems.hard.bodies.pot: the mesh is nowhere thicker than"), std::string::npos)
      << thin;
  EXPECT_NE(thin.find("lower particleRadius"), std::string::npos);
  const std::string small = message({"systems.water.bodies.ball.radius=0.03"});
  EXPECT_NE(small.find("less than half a particle"), std::string::npos) << small;
  const std::string word = message({"systems.water.bodies.ball.sampling=dense"});
  EXPECT_NE(word.find("systems.water.bodies.ball.sampling"), std::string::npos) << word;
  EXPECT_NE(word.find("relaxed"), std::string::npos);
}

ShapeParameters shape(const std::string& word) {
  ShapeParameters s;
  s.word = word;
  s.start = {0, 0, 0}, s.end = {0.3, 0.4, 1.2};
  s.centre = {1, 2, 3};
  s.axis = {1, 2, -1};
  s.radius = 0.5, s.major_radius = 0.6, s.minor_radius = 0.2;
  s.outer_radius = 0.7, s.thickness = 0.1, s.rim_height = 0.5;
  s.translation = {0, 0, 0.25};
  return s;
}

TEST(ShapeMesh, IsSoundAndHoldsTheVolumeOfTheShape) {
  std::vector<ShapeParameters> shapes;
  for (const char* word : {"box", "sphere", "cylinder", "torus", "bowl"}) shapes.push_back(shape(word));
  for (const double rim : {0.05, 1.0, 1.35, 1.4}) {  // no hollow, deep, hollow below the rim, closed ball
    shapes.push_back(shape("bowl"));
    shapes.back().rim_height = rim;
  }
  shapes.push_back(shape("bowl"));
  shapes.back().thickness = 0.7;  // solid
  for (const ShapeParameters& s : shapes) {
    TriangleMesh mesh = surface_of(s, {.deviation = 1e-4});
    EXPECT_NO_THROW(make_sound(mesh, s.word)) << s.word << " " << s.rim_height;
    const MeshSize size = size_of(mesh);
    // Two thirds of the deviation, for each of two curvatures.
    EXPECT_NEAR(mesh_volume(surface_of(s, {.deviation = 1e-4})), s.shape().volume, 1.4e-4 * size.area)
        << s.word << " " << s.rim_height;
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_GE(size.low[k], s.shape().low[k] - 1e-6);
      EXPECT_LE(size.high[k], s.shape().high[k] + 1e-6);
    }
  }
}

}  // namespace
}  // namespace merganser
