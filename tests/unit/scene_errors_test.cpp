/// Every wrong scene is an InputError that names the key path, the value and the remedy.
#include <random>

#include "tests/support/scene_files.h"

namespace merganser {
namespace scene_errors_test {

using test::expect_says;
using test::overrides;
class SceneErrors : public test::SceneTest {};

TEST_F(SceneErrors, TheSmallSceneItselfIsFine) { EXPECT_EQ(message_of(file()), ""); }

struct WrongSetting {
  const char* setting;
  std::vector<std::string> said;
};

TEST_F(SceneErrors, NamePathValueAndWhatIsAllowed) {
  const std::vector<WrongSetting> cases = {
      {"simulation.particleRadius=-1", {"simulation.particleRadius", "is -1", "from 1e-09", "[m]"}},
      {"simulation.endTime=0", {"simulation.endTime", "is 0", "greater than 0", "[s]"}},
      {"simulation.particleRadius=thick", {"simulation.particleRadius", "\"thick\"", "a number"}},
      {"simulation.particelRadius=1",
       {"simulation.particelRadius", "unknown key", "did you mean 'particleRadius'?"}},
      {"simulation.gravitation=[0,0]", {"simulation.gravitation", "[0,0]", "three numbers"}},
      {"simulation.gravitation=[0,0,1e7]", {"simulation.gravitation", "1e6"}},
      {"simulation.seed=1.5", {"simulation.seed", "1.5", "a whole number"}},
      {"simulation.seed=4294967296", {"simulation.seed", "4294967295"}},
      {"simulation.periodic.length=[-1,0,0]", {"simulation.periodic.length", "from 0"}},
      {"simulation=3", {"simulation", "is 3", "an object"}},
      {"systems={}", {"systems", "a list"}},
      {"systems=[]", {"systems", "at least one system"}},
      {"systems.0=7", {"systems.0", "is 7", "an object"}},
      {"title=5", {"title", "is 5", "a string"}},
      {"colour=red", {"colour", "unknown key", "allowed: title"}},
      {"coupling.alpha=1.5", {"coupling.alpha", "1.5", "from 0 to 1"}},
      {"coupling.method=merge", {"coupling.method", "\"merge\"", "\"mergingAndSplitting\", \"penalty\""}},
      {"coupling.groupLimit=[8,4]", {"coupling.groupLimit", "[8,4]", "2 <= least <= greatest"}},
      {"coupling.groupLimit=[1,4]", {"coupling.groupLimit", "\"unlimited\""}},
      {"coupling.groupLimit=all", {"coupling.groupLimit", "\"all\"", "\"unlimited\""}},
      {"coupling.stiffness=-1", {"coupling.stiffness", "-1", "Pa"}},
      {"coupling.impulseRestitution=2", {"coupling.impulseRestitution", "2", "from 0 to 1"}},
      {"coupling.secondStage=1", {"coupling.secondStage", "true or false"}},
      {"systems.water.neighborhood=near", {"systems.water.neighborhood", "\"near\"", "topological"}},
      {"systems.water.topologyDistance=2", {"systems.water.topologyDistance", "2", "at most 1"}},
      {R"(checks=[{"type": "sameMotion", "body": "beam", "copy": "sheet"}])",
       {"checks.0.copy", "\"sheet\"", "another body of the SPH system"}},
      {R"(checks=[{"type": "noLinks", "body": "beam", "other": "beam"}])",
       {"checks.0.other", "another body"}},
      {"systems.water.type=spj", {"systems.water.type", "\"spj\"", "did you mean 'sph'?"}},
      {"systems.water.name=a b", {"systems", "name", "\"a b\"", "letters"}},
      {"systems.water.name=cloth", {"systems.cloth.name", "is taken", "unique"}},
      {"systems.water.bodies.beam.name=sheet", {"systems.water.bodies.sheet.name", "is taken"}},
      {"systems.water.bodies.beam.shape=cone",
       {"systems.water.bodies.beam.shape", "\"cone\"", "\"cylinder\""}},
      {"systems.water.bodies.beam.radius=1", {"systems.water.bodies.beam.radius", "unknown key"}},
      {"systems.water.bodies.beam.jitter=0.7", {"systems.water.bodies.beam.jitter", "0.5"}},
      {"systems.water.bodies.beam.end=[1,0,1]",
       {"systems.water.bodies.beam.end", "greater than start", "not in y"}},
      {"systems.water.bodies=[]", {"systems.water.bodies", "at least one body or emitter"}},
      {"systems.cloth.bodies.sheet.edgeU=[0,0,0]", {"systems.cloth.bodies.sheet.edgeU", "not all zero"}},
      {"systems.cloth.bodies.sheet.pinned=corner",
       {"systems.cloth.bodies.sheet.pinned", "did you mean 'corners'?"}},
      {"systems.cloth.bodies.sheet.pinned=[{\"box\":[[1,0,0],[0,1,1]]}]",
       {"sheet.pinned.0.box", "low at most high"}},
      {"systems.cloth.bodies.sheet.pinned=[{\"box\":[[5,5,5],[6,6,6]]}]",
       {"sheet.pinned.0.box", "no particle"}},
      {"systems.cloth.bodies.sheet.pinned=[{\"bax\":1}]", {"sheet.pinned.0.bax", "did you mean 'box'?"}},
      {"walls.0.normal=[0,0,0]", {"walls.0.normal", "not all zero"}},
      {"walls.0.normal=[0,0,1e31]", {"walls.0.normal", "from -1e30 to 1e30"}},
      {"systems.cloth.bodies.sheet.edgeU=[2e6,0,0]",
       {"systems.cloth.bodies.sheet.edgeU", "from -1e6 to 1e6"}},
      {"walls.0.name=a floor", {"walls.0.name", "\"a floor\"", "letters"}},
      {R"(walls=[{"shape": "sphere", "name": "a", "centre": [0, 0, 9], "radius": 1, "inside": false},
                 {"shape": "sphere", "name": "a", "centre": [0, 0, 9], "radius": 1, "inside": false}])",
       {"walls.a.name", "is taken", "the walls"}},
      {"walls.0.motion.amplitude=[0,0,1]",
       {"walls.0.motion.frequency", "is 0", "greater than 0 where amplitude"}},
      {R"(walls.0.motion.keyFrames=[{"time": 1}, {"time": 1}])",
       {"walls.0.motion.keyFrames", "ascending order"}},
      {"walls.0.motion.keyFrames=[{}]", {"walls.0.motion.keyFrames.0.time", "is missing"}},
      {"walls.0.motion.speed=1", {"walls.0.motion.speed", "unknown key", "velocity"}},
      {"checks.0.system=wter", {"checks.0.system", "'wter'", "did you mean 'water'?"}},
      {"checks.0.sheet=beam", {"checks.0.sheet", "no sheet", "allowed: sheet"}},
      {"checks.0.limit=1", {"checks.0.limit", "unknown key"}},
      {"render=3", {"render", "an object"}},
      {R"(render={"camera": 5})", {"render.camera", "is 5", "an object"}},
      {R"(render={"camera": {"position": [1,2], "focus": [0,0,0]}})",
       {"render.camera.position", "[1,2]", "three numbers"}},
      {R"(render={"camera": {"position": [1,2,3]}})", {"render.camera.focus", "is missing"}},
      {R"(render={"section": 1})", {"render.section", "is 1", "a string"}},
      {R"(render={"colour": "speed"})", {"render.colour", "unknown key", "color"}},
      {"simulation.frameRate=5e-324", {"simulation.frameRate", "from 1e-09", "[1/s]"}},
      {R"(probes=[{"type": "pressure", "point": [0, 0, 0]}])", {"probes.0.name", "is missing"}},
      {R"(probes=[{"name": "a", "type": "presure", "point": [0, 0, 0]}])",
       {"probes.a.type", "did you mean 'pressure'?"}},
      {R"(probes=[{"name": "a", "type": "velocity"}])", {"probes.a.point", "is missing", "[m]"}},
      {R"(probes=[{"name": "a", "type": "velocity", "point": [0, 0, 0], "rate": -1}])",
       {"probes.a.rate", "-1", "from 0", "[1/s]"}},
      {R"(probes=[{"name": "a", "type": "velocity", "point": [0, 0, 0], "system": "cloth"}])",
       {"probes.a.system", "no fluid is called 'cloth'", "allowed: water"}},
      {R"(probes=[{"name": "a", "type": "velocity", "point": [0, 0, 0], "body": "beam"}])",
       {"probes.a.body", "unknown key"}},
      {R"(probes=[{"name": "a", "type": "position", "point": [0, 0, 0], "body": "bean"}])",
       {"probes.a.body", "'bean'", "did you mean 'beam'?"}},
      {R"(probes=[{"name": "a", "type": "waterLevel", "start": [0, 0, 1], "end": [0, 0, 1]}])",
       {"probes.a.end", "the same as start"}},
      {R"(probes=[{"name": "a", "type": "flow", "corner": [0, 0, 0], "edgeU": [1, 0, 0], "edgeV": [2, 0, 0]}])",
       {"probes.a.edgeV", "parallel to edgeU"}},
      {R"(probes=[{"name": "a", "type": "density", "point": [0, 0, 0]}, {"name": "a", "type": "density", "point": [0, 0, 1]}])",
       {"probes.a.name", "\"a\" is taken", "unique among the probes"}},
      {R"(probes=[{"name": "a", "type": "force"}])", {"probes.a.body", "\"body\" or \"wall\""}},
      {R"(probes=[{"name": "a", "type": "force", "wall": "floor"}])",
       {"probes.a.wall", "no wall", "there is none"}},
      {R"(checks=[{"type": "probeStays", "column": "a_level", "limit": 1}])",
       {"checks.0.column", "'a_level'", "there is none"}},
      {R"(probes=[{"name": "a", "type": "velocity", "point": [0, 0, -3]}])",
       {"probes.a.point", "behind walls.0", "2 m"}},
  };
  for (const WrongSetting& wrong : cases) {
    SCOPED_TRACE(wrong.setting);
    expect_says(message_of_set(file(), wrong.setting), wrong.said);
    expect_says(message_of_set(file(), wrong.setting), {"scene.json"});
  }
}

/// A scene may have no fluid; any kind of it has what probes of points measure.
TEST_F(SceneErrors, ProbesOfWhatIsNotThere) {
  const std::string flip = R"("name": "water", "type": "flip")", sph = R"("name": "water", "type": "sph")";
  const auto probe = [](const std::string& keys) {
    return R"("probes": [{"name": "P1", "point": [0, 0, 0], )" + keys + "}], \"checks\"";
  };
  const auto said = [&](const std::string& type, const std::string& keys) {
    std::string text = test::small_scene;
    text.replace(text.find(sph), sph.size(), type);
    text.replace(text.find("\"checks\""), 8, probe(keys));
    return message_of(file(text));
  };
  for (const std::string& of : {flip, sph})
    for (const char* type : {"pressure", "density", "velocity"})
      EXPECT_EQ(said(of, std::string(R"("rate": 10, "system": "water", "type": ")") + type + "\""), "");
  std::string dry = test::small_scene;
  const size_t from = dry.find(",\n    {\"name\": \"water\""), to = dry.find("}]}\n  ],");
  dry.erase(from, to + 3 - from);
  dry.replace(dry.find("\"checks\""), dry.rfind(']') + 1 - dry.find("\"checks\""),
              probe(R"("type": "velocity")") + ": []");
  expect_says(message_of(file(dry)), {"probes.P1.type", "no fluid"});
}

TEST_F(SceneErrors, MissingKeysAreNamed) {
  expect_says(message_of(file_with(R"("particleRadius": 0.05, )", "")),
              {"simulation.particleRadius", "is missing", "[m]"});
  expect_says(message_of(file_with(R"("name": "beam", )", "")),
              {"systems.water.bodies.0.name", "is missing"});
  expect_says(message_of(file_with(R"("shape": "box", )", "")),
              {"systems.water.bodies.beam.shape", "is missing", "\"sphere\""});
  expect_says(message_of(file_with(R"("arealDensity": 2, )", "")),
              {"systems.cloth.bodies.sheet.arealDensity", "kg/m^2"});
}

TEST_F(SceneErrors, FilesThatAreNotThere) {
  expect_says(message_of(folder_ / "none.json"), {"no such file", "none.json"});
  expect_says(message_of(folder_.path()), {"is a folder"});
  const std::string mesh = R"("shape": "mesh", "geometryFile": "gone.obj"})";
  expect_says(
      message_of(file_with(
          R"("shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5], "velocity": [0, 0, -1]})", mesh)),
      {"systems.water.bodies.beam.geometryFile", (folder_ / "gone.obj").string(),
       "relative to the scene file"});
  expect_says(message_of(file(R"({"base": "gone.json"})")), {"base", "no such file", "gone.json"});
}

TEST_F(SceneErrors, OpenMeshesNameTheBody) {
  file("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "open.obj");
  const std::string mesh = R"("shape": "mesh", "geometryFile": "open.obj"})";
  expect_says(
      message_of(file_with(
          R"("shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5], "velocity": [0, 0, -1]})", mesh)),
      {"systems.water.bodies.beam.geometryFile", "open.obj"});
}

/// What the tables say of keys together; values as the scene has them.
TEST_F(SceneErrors, RulesBetweenKeys) {
  const auto said = [&](const std::string& shape) {
    return message_of_set(file(), "systems.water.bodies.beam={\"name\":\"beam\"," + shape + "}");
  };
  const std::string body = "systems.water.bodies.beam.";
  expect_says(said(R"("shape":"torus","centre":[0,0,0],"majorRadius":1,"minorRadius":2.5)"),
              {body + "minorRadius: is 2.5, must be at most majorRadius, 1"});
  expect_says(said(R"("shape":"bowl","centre":[0,0,0],"outerRadius":1,"thickness":2)"),
              {body + "thickness: is 2, must be at most outerRadius, 1"});
  expect_says(said(R"("shape":"cylinder","start":[0,0,1],"end":[0,0,1],"radius":1)"),
              {body + "end: is [0,0,1], the same as start; must be another point"});
  expect_says(
      message_of_set(
          file(),
          R"(systems.water.emitters=[{"name":"tap","position":[0,0,1],"radius":1,"velocity":1,"startTime":2,"endTime":2}])"),
      {"systems.water.emitters.tap.endTime: is 2, must be greater than startTime, 2"});
  expect_says(message_of_set(file(), R"(walls.0={"shape":"box","low":[0,0,0],"high":[1,1,0]})"),
              {"walls.0.high: is [1,1,0], must be greater than low, [0,0,0]", "not in z"});
}

class RigidBodyErrors : public SceneErrors {
 protected:
  /// Of a scene with one rigid box.
  std::string said(const std::string& keys) {
    return message_of(
        file(R"({"simulation": {"particleRadius": 0.05}, "systems": [{"name": "solids", "type": "rigid",
      "bodies": [{"name": "box", "shape": "box", "start": [0, 0, 0], "end": [1, 1, 1], )" +
             keys + "}]}]}"));
  }
};

/// Keys of a rigid body that others rule out, or that would do nothing without others.
TEST_F(RigidBodyErrors, KeysThatExcludeOthers) {
  EXPECT_EQ(said(R"("density0": 500)"), "");
  EXPECT_EQ(said(R"("mass": 5, "joint": "hinge", "jointPoint": [1, 0, 0], "jointAxis": [0, 1, 0])"), "");
  expect_says(said(R"("density0": 500, "mass": 5)"), {"box.density0", "mass is 5"});
  expect_says(said(R"("mass": 5, "motions": [{"velocity": [1, 0, 0]}])"), {"box.motions", "kinematic"});
  expect_says(said(R"("mass": 5, "kinematic": true, "joint": "ball")"), {"box.joint", "must be free"});
  expect_says(said(R"("mass": 5, "kinematic": true, "velocity": [1, 0, 0])"),
              {"box.velocity", "[1,0,0]", "kinematic is true", "motions with a velocity"});
  expect_says(said(R"("mass": 5, "kinematic": true, "spin": [0, 0, 3])"),
              {"box.spin", "[0,0,3]", "kinematic is true", "angularVelocity"});
  expect_says(said(R"("mass": 5, "jointPoint": [1, 0, 0])"),
              {"box.jointPoint", "[1,0,0]", "without a joint"});
  expect_says(said(R"("mass": 5, "jointAxis": [0, 1, 0])"), {"box.jointAxis", "[0,1,0]", "without a joint"});
}

/// What a joint forbids would be lost in the first step; of a slider, spin became a velocity that depended on
/// the place of the world's origin.
TEST_F(RigidBodyErrors, StartsThatAJointForbids) {
  const std::string slider = R"("mass": 5, "joint": "slider", "jointAxis": [0, 0, 2], )",
                    hinge =
                        R"("mass": 5, "joint": "hinge", "jointPoint": [1, 0, 0], "jointAxis": [1, 2, 3], )",
                    ball = R"("mass": 5, "joint": "ball", "jointPoint": [1, 0, 0], )";
  EXPECT_EQ(said(slider + R"("velocity": [0, 0, -3])"), "");
  EXPECT_EQ(said(hinge + R"("spin": [-0.1, -0.2, -0.3])"), "");
  EXPECT_EQ(said(ball + R"("spin": [1, 2, 3])"), "");
  expect_says(said(slider + R"("spin": [0, 0, 1])"),
              {"box.spin: is [0,0,1]", "\"slider\"", "does not turn", "velocity"});
  expect_says(said(slider + R"("velocity": [0, 0.1, 1])"),
              {"box.velocity: is [0,0.1,1]", "along jointAxis, [0,0,2]"});
  expect_says(said(hinge + R"("spin": [1, 2, 3.1])"), {"box.spin: is [1,2,3.1]", "jointAxis, [1,2,3]"});
  expect_says(said(hinge + R"("velocity": [1, 0, 0])"),
              {"box.velocity: is [1,0,0]", "\"hinge\"", "give a spin"});
  expect_says(said(ball + R"("velocity": [1, 0, 0])"),
              {"box.velocity: is [1,0,0]", "\"ball\"", "give a spin"});
}

TEST_F(SceneErrors, EmptyAndGiantBodies) {
  const std::string tiny =
      "systems.water.bodies.beam={\"name\":\"beam\",\"shape\":\"torus\",\"centre\":[0,0,1],\"majorRadius\":0."
      "02,"
      "\"minorRadius\":0.001}";
  expect_says(message_of_set(file(), tiny),
              {"systems.water.bodies.beam", "no particle", "spacing of 0.1", "resolution"});
  expect_says(message_of_set(file(), "simulation.resolution=1000"),
              {"systems.water.bodies.beam", "2000000000", "Lower the resolution"});
  expect_says(message_of_set(file(), "simulation.particleRadius=1e-9"),
              {"systems.cloth.bodies.sheet", "at most 2000000000"});
  expect_says(message_of_set(file(), "systems.water.density0=1e-60"),
              {"systems.water.bodies.beam", "32-bit"});
  expect_says(message_of_set(file(), "systems.water.density0=1e60"),
              {"systems.water.density0", "beyond 1e+30"});
}

TEST_F(SceneErrors, Json) {
  expect_says(message_of(file("")), {"scene.json", "not valid JSON"});
  expect_says(message_of(file("{\n\"title\": \"a\",\n\"simulation\" {}}")), {"not valid JSON", "line 3"});
  expect_says(message_of(file("[1]")), {"must be an object"});
  expect_says(message_of(file(R"({"simulation": {"endTime": 1, "endTime": 2}})")),
              {"\"endTime\"", "stands twice"});
  expect_says(message_of(file(R"({"a": 1e999})")), {"not valid JSON"});
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  expect_says(message_of(file(deep)), {"nested deeper"});
}

TEST_F(SceneErrors, BasesInACircle) {
  file(R"({"base": "b.json"})", "a.json");
  file(R"({"base": "a.json"})", "b.json");
  expect_says(message_of(folder_ / "a.json"), {"circle", "a.json -> b.json -> a.json"});
  expect_says(message_of(file(R"({"base": 3})")), {"base", "is 3"});
}

TEST_F(SceneErrors, Settings) {
  expect_says(message_of_set(file(), "simulation"), {"--set simulation", "path.to.key=VALUE"});
  expect_says(message_of_set(file(), "simulation..seed=1"), {"between any two dots"});
  expect_says(message_of_set(file(), "systems.wter.density0=1"),
              {"systems", "'wter'", "did you mean 'water'?"});
  expect_says(message_of_set(file(), "systems.9.density0=1"), {"systems", "no element 9", "has 2"});
  expect_says(message_of_set(file(), "systems.wx*.density0=1"), {"systems", "no element is called 'wx*'"});
  expect_says(message_of_set(file(), "probes.*.rate=3"),
              {"probes is not there", "* names elements of a list"});
  expect_says(message_of_set(file(), "*.rate=3"), {"the scene is no list"});
  expect_says(message_of_set(file(), "systems.*.density0=-3"), {"systems.cloth.density0", "unknown key"});
  expect_says(message_of_set(file(), "title.size=1"), {"title is \"small\"", "'size'"});
  expect_says(message_of_set(file(), "walls.friction=1"), {"walls", "'friction'"});
  // Null takes keys away, not elements of lists.
  for (const char* element : {"systems.cloth", "systems.0", "systems.water.bodies.beam", "checks.0"})
    expect_says(message_of_set(file(), std::string(element) + "=null"),
                {"--set", std::string(element) + ": is an element of a list", "keys of objects", "[...]"});
  file();
  expect_says(message_of(file(R"({"base": "scene.json", "systems": {"cloth": null}})", "over.json")),
              {"over.json", "systems: cloth: is an element of a list", "[...]"});
  expect_says(message_of(file(), overrides([](SceneOverrides& o) { o.end_time = 1, o.frames = 5; })),
              {"not both"});
  expect_says(message_of(file(), overrides([](SceneOverrides& o) { o.frames = 0; })), {"at least 1"});
  expect_says(message_of(file(), overrides([](SceneOverrides& o) { o.resolution = -1; })),
              {"simulation.resolution", "is -1"});
}

/// Whatever a file holds, the reader answers with a scene or with an InputError.
TEST_F(SceneErrors, DamagedScenesOnlyEverThrowInputError) {
  std::mt19937 random(5);
  const std::string pieces[] = {"{",  "}",     "[",    "]",        ",",         ":",  "null", "true",
                                "-1", "1e308", "\"\"", "\"name\"", "\"shape\"", "/*", "\xff", "0"};
  int fine = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = test::small_scene;
    for (unsigned k = random() % 3; k < 3; ++k) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text.insert(at, pieces[random() % std::size(pieces)]);
          break;
        case 2:
          text[at] = static_cast<char>(random() % 256);
          break;
        default:
          text.replace(at, 1 + random() % 8, pieces[random() % std::size(pieces)]);
      }
    }
    try {
      load_scene(file(text));
      ++fine;
    } catch (const InputError&) {
    } catch (const std::exception& error) {
      FAIL() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(fine, 10);
  EXPECT_LT(fine, 1500);
}

TEST_F(SceneErrors, TopologicalNeighborhoodsWantAnOpenDomainAndChecksOfLinksWantThem) {
  const auto said = [&](const std::vector<std::string>& settings) {
    return message_of(file(), overrides([&](SceneOverrides& o) { o.set = settings; }));
  };
  const std::string topological = "systems.water.neighborhood=topological";
  EXPECT_EQ(said({topological}), "");
  expect_says(said(test::water_alone_and({topological, "simulation.periodic.length=[4,0,0]"})),
              {"systems.water.neighborhood", "topological", "periodic", "euclidean"});
  const std::string two_bodies =
      R"(systems.water.bodies=[{"name": "a", "shape": "box", "start": [0, 0, 0.1], "end": [1, 1, 0.5]},)"
      R"( {"name": "b", "shape": "box", "start": [0, 0, 1], "end": [1, 1, 1.4]}])";
  const std::string check = R"(checks=[{"type": "noLinks", "body": "a", "other": "b"}])";
  EXPECT_EQ(said({topological, two_bodies, check}), "");
  expect_says(said({two_bodies, check}), {"checks.0", "noLinks", "euclidean", "water"});
  EXPECT_EQ(said({two_bodies, R"(checks=[{"type": "sameMotion", "body": "a", "copy": "b"}])"}), "");
}

/// Well-formed JSON with values of every type in every place.
TEST_F(SceneErrors, WrongTypesOnlyEverThrowInputError) {
  const std::string paths[] = {"simulation",
                               "simulation.particleRadius",
                               "simulation.periodic",
                               "coupling.groupLimit",
                               "systems",
                               "systems.0",
                               "systems.0.bodies",
                               "systems.0.bodies.0.pinned",
                               "systems.0.name",
                               "systems.1.bodies.0.start",
                               "systems.1.bodies.0",
                               "systems.1.emitters",
                               "walls",
                               "walls.0",
                               "checks.0.system",
                               "checks.0",
                               "systems.0.type",
                               "systems.1.kernel",
                               "render",
                               "title",
                               "systems.0.bodies.0.prescribed",
                               "systems.0.bodies.0.shape",
                               "simulation.seed",
                               "simulation.resolution"};
  const std::string values[] = {"null",         "true",          "-3",        "1e300",   "\"x\"",
                                "[]",           "[1]",           "[null]",    "{}",      "[[]]",
                                "{\"name\":3}", "[{\"box\":1}]", "[\"a\",2]", "[1,2,3]", "[[0,0,0],[1,1,1]]",
                                "\"none\"",     "-0.0",          "1e-320"};
  for (const std::string& path : paths)
    for (const std::string& value : values) {
      SCOPED_TRACE(path + "=" + value);
      message_of_set(file(), path + "=" + value);
    }
}

}  // namespace scene_errors_test
}  // namespace merganser
