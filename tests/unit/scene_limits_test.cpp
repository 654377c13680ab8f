/// Deep, long and odd input: bounded depth, short messages that show what was written, and refusals that
/// `check` shares with `run`.
#include <cmath>
#include <limits>
#include <map>

#include "host/scene/json_reader.h"
#include "host/scene/scene_keys.h"
#include "host/scene/scene_report.h"
#include "solvers/core/start_checks.h"
#include "tests/support/scene_files.h"

namespace merganser {
namespace scene_limits_test {

using test::expect_says;
using test::overrides;

class SceneLimits : public test::SceneTest {
 protected:
  /// The message is short and has all the pieces.
  static void expect_short(const std::string& message, const std::vector<std::string>& pieces) {
    expect_says(message, pieces);
    EXPECT_LT(message.size(), 1500u) << message.substr(0, 300);
  }
  std::string said(const std::vector<std::string>& settings) {
    return message_of(file(), overrides([&](SceneOverrides& o) { o.set = settings; }));
  }
};

TEST_F(SceneLimits, DeepSettingsAreRefused) {
  const std::string deep(60000, '[');
  expect_short(message_of_set(file(), "title=" + deep), {"--set title=[[[", "nested deeper than 64"});
  expect_short(message_of_set(file(), "title=" + deep + std::string(60000, ']')), {"nested deeper than 64"});
  std::string path = "a";
  for (int i = 0; i < 10000; ++i) path += ".a";
  expect_short(message_of_set(file(), path + "=1"), {"--set a.a.a", "10001 words", "64"});
  expect_short(message_of_set(file(), "a" + std::string(1000000, 'b') + "=1"), {"abbbb", "unknown key"});
}

/// They would be infinite in 32 bits, and runs would end well with energies that are not numbers.
TEST_F(SceneLimits, NumbersBeyondTheLargestAreRefused) {
  for (const char* number : {"1e31", "-1e300", "1.7e308"})
    expect_short(said({std::string("simulation.maxTimeStepSize=") + number}),
                 {"simulation.maxTimeStepSize", "must be a number greater than 0"});
  expect_short(said({"simulation.maxTimeStepSize=1e31"}), {"no number may be beyond 1e+30"});
  expect_short(said({"simulation.endTime=1e308"}), {"simulation.endTime", "beyond 1e+30"});
  EXPECT_EQ(said({"simulation.maxTimeStepSize=1e30"}), "");
}

TEST_F(SceneLimits, ChainsOfBasesAreBounded) {
  file(test::small_scene, "0.json");
  for (int i = 1; i <= 10000; ++i)
    file(R"({"base": ")" + std::to_string(i - 1) + R"(.json"})", std::to_string(i) + ".json");
  EXPECT_EQ(message_of(folder_ / "50.json"), "");
  expect_short(message_of(folder_ / "10000.json"), {"base", "more than 64"});
}

TEST_F(SceneLimits, MessagesShowWhatWasWrittenAndStayShort) {
  const std::string giant(100000, 'x');
  expect_short(message_of(file("{\"" + giant + "\": 1}")), {"xxx...", "unknown key"});
  expect_short(message_of(file("{\"a\": \"" + giant)), {"not valid JSON", "xxx..."});
  expect_short(message_of(file("{\"" + giant + "\": 1, \"" + giant + "\": 2}")), {"xxx...", "stands twice"});
  expect_short(message_of_set(file(), "simulation.endTime=" + giant), {"simulation.endTime", "xxx..."});
  expect_short(message_of_set(file(), "systems.water.name=" + giant), {"xxx...", "at most 100 long"});
  expect_short(message_of_set(file(), "systems." + giant + ".name=a"), {"xxx...", "water"});
  expect_short(message_of_set(file(), "coupling.method=\x1b[2J\x07\xff"), {"\\x1b[2J\\x07\\xff"});
  // NOLINTNEXTLINE(misc-misleading-bidirectional): what the test is about
  expect_short(message_of_set(file(), "coupling.method=\xc2\x9b\xe2\x80\xae"), {"\\xc2\\x9b\\xe2\\x80\\xae"});
  expect_short(message_of_set(file(), "coupling.method=h\xc3\xb6her"), {"h\xc3\xb6her"});
  expect_short(message_of(file("{\"a\x7f\": 1}")), {"a\\x7f", "unknown key"});
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("name" + std::to_string(i));
  EXPECT_LT(suggest("mane", names).size(), 1000u);
}

TEST_F(SceneLimits, NumbersThatAreNone) {
  for (const char* word : {"nan", "NaN", "inf", "Infinity", "-Infinity"}) {
    SCOPED_TRACE(word);
    const std::string plain = word[0] == '-' ? word + 1 : word;
    expect_says(message_of(file_with("\"endTime\": 2", "\"endTime\": " + std::string(word))),
                {"scene.json", "\"endTime\"", "is " + plain, "finite number", "line 4"});
    expect_says(message_of_set(file(), "simulation.endTime=" + std::string(word)),
                {"simulation.endTime", std::string("is \"") + word + "\"", "a number"});
  }
  expect_says(message_of(file_with("\"endTime\": 2", "\"endTime\": 1e400")),
              {"\"endTime\"", "1e400", "1.8e308"});
  expect_says(message_of_set(file(), "simulation.endTime=1e400"), {"simulation.endTime", "1e400", "1.8e308"});
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const std::string message =
        message_of(file(), overrides([&](SceneOverrides& o) { o.resolution = value; }));
    expect_says(message, {"simulation.resolution", std::isnan(value) ? "is nan" : "is inf"});
  }
}

TEST_F(SceneLimits, AnObjectOfVeryManyKeysIsRefused) {
  std::string keys;
  for (int i = 0; i < 20000; ++i) keys += (i ? ", \"k" : "\"k") + std::to_string(i) + "\": 1";
  expect_short(message_of(file(R"({"render": {)" + keys + "}}")), {"more than 10000 keys"});
}

/// What the constructors of a simulation refuse is refused here, with the scene's file and key.
TEST_F(SceneLimits, CheckRefusesWhatRunRefuses) {
  const std::string flip = R"(systems.water={"name": "water", "type": "flip", "bodies": [)"
                           R"({"name": "beam", "shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5]}]})";
  EXPECT_EQ(said({flip}), "");
  expect_says(said(test::water_alone_and({flip, "simulation.periodic.length=[4,0,0]"})),
              {"scene.json", "simulation.periodic.length", "systems.water", "flip"});
  expect_says(said({"systems.water.cfl=1.5"}), {"scene.json", "systems.water.cfl", "1.5"});
  expect_says(said({flip, "systems.water.tolerance=1"}), {"scene.json", "systems.water.tolerance"});
  const std::string emitter =
      R"(systems.water.emitters=[{"name": "jet", "position": [0, 0, 2], "radius": 0.2, "velocity": 1}])";
  EXPECT_EQ(said({emitter}), "");
  expect_says(said({emitter, "simulation.resolution=0.2"}),
              {"scene.json", "systems.water.emitters.jet.radius", "is 0.2", "0.25 m"});
  const std::string copies =
      R"(systems.water.bodies=[{"name": "beam", "shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5]},)"
      R"( {"name": "copy", "shape": "box", "start": [0, 0, 1], "end": [1, 1, 1.5]}])";
  expect_says(said({copies, R"(checks=[{"type": "sameMotion", "body": "beam", "copy": "copy"}])"}),
              {"scene.json", "checks.0.copy", "500 particles", "400", "same shape"});
  expect_says(said({"systems.cloth.bodies.sheet.edgeV=[2,0,0]"}),
              {"scene.json", "systems.cloth.bodies.sheet", "parallel"});
  const std::string glass =
      R"(systems.water={"name": "glass", "type": "peridynamics", "bodies": [{"name": "pane", "shape": "box",)"
      R"("start": [0, 0, 0.1], "end": [1, 1, 0.5], "density0": 1000, "youngsModulus": 1e5, "preCracks":)"
      R"([{"corner": [0, 0, 0], "edgeU": [1, 0, 0], "edgeV": [-2, 0, 0]}]}]})";
  expect_says(said({glass, "checks=[]"}),
              {"scene.json", "systems.glass.bodies.pane.preCracks.0.edgeV", "parallel"});
  expect_says(said({glass, "checks=[]", "systems.glass.tolerance=1"}), {"scene.json", "tolerance"});
  file("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 2\n", "cloth.obj");
  const std::string cloth =
      R"(systems.cloth.bodies=[{"name": "sheet", "shape": "clothMesh", "geometryFile": ")" +
      (folder_ / "cloth.obj").string() + R"(", "arealDensity": 1, "stretchStiffness": 100}])";
  expect_says(said({cloth}),
              {"scene.json", "systems.cloth.bodies.sheet.geometryFile", "names vertex 2 twice"});
}

/// The kernel's support is 4 * 0.05 * 1.2 = 0.24 m; three of them must fit.
TEST_F(SceneLimits, PeriodsHoldThreeSupports) {
  expect_says(said(test::water_alone_and({"simulation.periodic.length=[0,0.71,0]"})),
              {"scene.json", "simulation.periodic.length", "0.71", "at least 0.72", "water"});
  EXPECT_EQ(said(test::water_alone_and({"simulation.periodic.length=[0,0.73,0]"})), "");
}

/// Contacts look a diameter of 0.1 m around. Scenes have fluids alone in periodic domains, whose supports are
/// longer; states that a program makes may have solids.
TEST_F(SceneLimits, PeriodsHoldThreeDiameters) {
  InitialState state = build_initial_state(load_scene(file()));
  std::erase_if(state.systems, [](const SystemState& system) { return system.name == "water"; });
  state.periodic_length = {0.31, 0, 0};
  EXPECT_NO_THROW(expect_sound_start(state));
  state.periodic_length = {0.29, 0, 0};
  try {
    expect_sound_start(state);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    expect_says(error.what(), {"simulation.periodic.length", "0.29", "diameter"});
  }
}

/// Positions are wrapped particle by particle, so what holds a solid together would tear at the border.
TEST_F(SceneLimits, SolidsInPeriodicDomainsAreRefused) {
  const auto box = [](const std::string& type, const std::string& keys) {
    return R"(systems=[{"name": "solid", "type": ")" + type +
           R"(", "bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0], "end": [0.4, 0.4, 0.4], )" +
           keys + "}]}]";
  };
  for (const std::string& solid :
       {box("elasticSph", R"("density0": 1000, "youngsModulus": 1e6, "poissonRatio": 0.3)"),
        box("peridynamics", R"("density0": 1000, "youngsModulus": 1e6, "criticalStretch": 0.1)"),
        box("rigid", R"("density0": 1000)")}) {
    EXPECT_EQ(said({solid, "checks=[]"}), "");
    expect_says(said({solid, "checks=[]", "simulation.periodic.length=[0,4,0]"}),
                {"scene.json", "simulation.periodic.length: is [0,4,0]", "systems.solid", "solids know no",
                 "[0, 0, 0]"});
  }
  expect_says(said({"simulation.periodic.length=[4,0,0]"}),
              {"scene.json", "simulation.periodic.length: is [4,0,0]", "systems.cloth", "\"massSpring\""});
}

/// Fluid that a wall would press into one layer.
TEST_F(SceneLimits, FluidFarBehindAWallIsRefused) {
  EXPECT_EQ(said({"walls.0.point=[0,0,0.9]"}), "");
  const std::string held = R"(systems.cloth.bodies.sheet.pinned=[{"box": [[-9, -9, -9], [9, 9, 9]]}])";
  expect_says(said({"walls.0.point=[0,0,5]", held}), {"scene.json", "systems.water.bodies.beam",
                                                      "behind walls.0", "10 particle spacings", "normal"});
  expect_says(said({R"(walls=[{"shape": "sphere", "centre": [9, 0, 0], "radius": 1}])"}), {"walls.0"});
  EXPECT_EQ(said({R"(walls=[{"shape": "sphere", "centre": [9, 0, 0], "radius": 1, "inside": false}])"}), "");
  // Where its motion puts it at time 0.
  EXPECT_EQ(said({R"(walls.0.motion.keyFrames=[{"time": 1, "position": [0, 0, 0]}])"}), "");
  expect_says(said({R"(walls.0.motion.keyFrames=[{"time": 1, "position": [0, 0, 6]}])"}), {"behind walls.0"});
}

/// Radii of three magnitudes and an overlap of each kind, against all pairs.
TEST_F(SceneLimits, OverlapsOfParticlesOfDifferentSizesAreAllFound) {
  InitialState state;
  SystemState system;
  for (int body = 0; body < 6; ++body) {
    state.bodies.push_back({"b" + std::to_string(body), 0});
    const float radius = 0.4f / static_cast<float>(1 << (2 * (body % 3)));
    for (int k = 0; k < 150; ++k) {
      const auto draw = [&](int axis) {
        return 4 * float((unsigned(body * 150 + k) * 2654435761u >> (3 * axis)) % 1000u) / 1000 - 2;
      };
      system.position.push_back({draw(0), draw(1), draw(2)});
      system.radius.push_back(radius);
      system.body.push_back(body);
    }
  }
  std::map<std::pair<int, int>, BodyOverlap> wanted;
  for (size_t i = 0; i < system.position.size(); ++i)
    for (size_t j = i + 1; j < system.position.size(); ++j) {
      const Float3 &a = system.position[i], &b = system.position[j];
      const double sum = double(system.radius[i]) + system.radius[j];
      const double depth = sum - std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]);
      if (system.body[i] == system.body[j] || depth <= 1e-3 * sum) continue;
      BodyOverlap& pair = wanted[std::minmax(system.body[i], system.body[j])];
      ++pair.pairs;
      pair.deepest = std::max(pair.deepest, depth);
    }
  state.systems.push_back(system);
  const std::vector<BodyOverlap> found = find_overlaps(state);
  EXPECT_GE(found.size(), 10u);
  ASSERT_EQ(found.size(), wanted.size());
  for (const BodyOverlap& overlap : found) {
    const BodyOverlap& expected = wanted[{overlap.body_a, overlap.body_b}];
    EXPECT_EQ(overlap.pairs, expected.pairs);
    EXPECT_NEAR(overlap.deepest, expected.deepest, 1e-6);
    EXPECT_FALSE(overlap.more);
  }
}

}  // namespace scene_limits_test
}  // namespace merganser
