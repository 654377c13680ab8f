/// Messages of the executable on scenes, bases and meshes that have changed, are no regular files or
/// are deep or long.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/run/checkpoint.h"
#include "tests/support/child_process.h"

namespace merganser {
namespace scene_input_test {

namespace fs = std::filesystem;

const char* const cloth_scene = R"({"simulation": {"particleRadius": 0.05, "timeStepSize": 1e-3},
  "systems": [{"name": "cloth", "type": "massSpring", "bodies": [
    {"name": "sheet", "shape": "clothMesh", "geometryFile": "meshes/part.obj", "arealDensity": 2,
     "stretchStiffness": 100}]}]})";
const char* const brittle_scene = R"({"simulation": {"particleRadius": 0.05, "timeStepSize": 1e-4},
  "systems": [{"name": "glass", "type": "peridynamics", "bodies": [
    {"name": "box", "shape": "mesh", "geometryFile": "meshes/part.obj", "density0": 1000, "youngsModulus": 1e5,
     "criticalStretch": 0.1}]}]})";

/// A box with its lower corner at (from_x, 0, 0), as OBJ.
std::string box_mesh(double x, double y, double z, double from_x = 0) {
  std::ostringstream text;
  text << std::setprecision(9);
  for (int i = 0; i < 8; ++i)
    text << "v " << from_x + (i & 1 ? x : 0) << " " << (i & 2 ? y : 0) << " " << (i & 4 ? z : 0) << "\n";
  return text.str() +
         "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 "
         "6\nf 4 8 6\n";
}

class SceneInput : public testing::Test {
 protected:
  SceneInput() { fs::create_directories(folder_ / "meshes"); }
  void write(const std::string& name, const std::string& text) { test::write_text(folder_ / name, text); }
  test::Finished merganser(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     fs::read_symlink("/proc/self/exe").replace_filename("merganser").string());
    return test::ChildProcess(folder_.path(), std::move(arguments)).wait();
  }
  test::Finished run(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--device", "cpu", "--threads", "1", "-o", "a"});
    return merganser(more);
  }
  static void expect_refused(const test::Finished& finished, const std::vector<std::string>& said) {
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    for (const std::string& piece : said)
      EXPECT_NE(finished.err.find(piece), std::string::npos) << "no '" << piece << "' in: " << finished.err;
    EXPECT_LT(finished.err.size(), 2000u);
  }

  /// Of the run in a/: its own copy of the mesh.
  std::string copy_of_part() const {
    return "a/meshes/" + fs::directory_iterator(folder_ / "a/meshes")->path().filename().string();
  }

  test::TemporaryFolder folder_;
};

/// A shelf of 0.02 m among particles 0.1 m apart: both commands say it; of one of 1 m neither does.
TEST_F(SceneInput, CheckAndRunSayThatAMeshIsThinnerThanTheSpacing) {
  write("scene.json", R"({"simulation": {"particleRadius": 0.05, "endTime": 0.001},
    "systems": [{"name": "water", "type": "sph", "bodies": [
      {"name": "drop", "shape": "box", "start": [0, 0, 1.1], "end": [0.5, 0.5, 1.6]}]}],
    "walls": [{"shape": "mesh", "geometryFile": "meshes/shelf.obj", "inside": false}]})");
  const std::string note = "thinner than the particle spacing, 0.1 m, down to 0.02";
  for (const double thickness : {0.02, 1.0}) {
    write("meshes/shelf.obj", box_mesh(1, 1, thickness));
    const bool thin = thickness < 0.1;
    const test::Finished checked = merganser({"check", "scene.json"}),
                         ran = run({"scene.json", "--overwrite"});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(checked.out.find("warning: ") != std::string::npos, thin) << checked.out;
    EXPECT_EQ(checked.out.find(note) != std::string::npos, thin) << checked.out;
    EXPECT_EQ(ran.err.find(note) != std::string::npos, thin) << ran.err;
    const test::Finished resumed = merganser({"run", "a", "--resume", "--end-time", "0.002"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(resumed.err.find("warning: "), std::string::npos) << resumed.err;
    EXPECT_EQ(nlohmann::json::parse(test::text_of(folder_ / "a/summary.json"))["warnings"].size(),
              thin ? 1 : 0);
  }
}

TEST_F(SceneInput, ARunIsNotResumedWithAnotherMesh) {
  for (const char* scene : {cloth_scene, brittle_scene}) {
    SCOPED_TRACE(scene);
    fs::remove_all(folder_ / "a");
    write("scene.json", scene);
    write("meshes/part.obj", box_mesh(0.6, 0.3, 0.2));
    ASSERT_EQ(run({"scene.json", "--steps", "3"}).exit_code, 0);
    // The run has a copy: what happens to the file since is told, and the run goes on.
    write("meshes/part.obj", box_mesh(0.6 * 1.3, 0.3, 0.2));
    const test::Finished went_on = run({"scene.json", "--resume", "--steps", "4"});
    EXPECT_EQ(went_on.exit_code, 0) << went_on.err;
    for (const std::string piece : {"warning: ", "differs from 'scene.json'", "geometryFile"})
      EXPECT_NE(went_on.err.find(piece), std::string::npos) << went_on.err;
    fs::remove(folder_ / "scene.json");
    // The copy: stretched; replaced by one of the same size in bytes; gone.
    write(copy_of_part(), box_mesh(0.6 * 1.3, 0.3, 0.2));
    const std::vector<std::string> said{"part.obj", "has changed", "restore", "--overwrite"};
    expect_refused(run({"scene.json", "--resume", "--steps", "6"}), said);
    expect_refused(merganser({"run", "a", "--resume", "--steps", "6"}), said);
    const std::string copy = copy_of_part();
    fs::remove(folder_ / copy);
    expect_refused(merganser({"run", "a", "--resume", "--steps", "6"}),
                   {"part.obj", "is missing", "restore"});
    // As it was, from another folder: the run goes on.
    write(copy, box_mesh(0.6, 0.3, 0.2));
    fs::rename(folder_ / "a", folder_ / "b");
    const test::Finished resumed = merganser({"run", "b", "--resume", "--steps", "6"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    fs::remove_all(folder_ / "b");
  }
}

TEST_F(SceneInput, ARunWithoutACheckpointIsNotResumedWithAnotherMesh) {
  write("scene.json", cloth_scene);
  write("meshes/part.obj", box_mesh(0.6, 0.3, 0.2));
  ASSERT_EQ(run({"scene.json", "--steps", "1"}).exit_code, 0);
  fs::remove_all(folder_ / "a/checkpoint");
  write(copy_of_part(), box_mesh(0.6, 0.4, 0.2));
  expect_refused(run({"scene.json", "--resume"}), {"part.obj", "has changed"});
}

/// The record of a scene that begins a new run is that of the files as they are.
TEST_F(SceneInput, ACopiedSceneTakesTheMeshAsItIs) {
  write("scene.json", cloth_scene);
  write("meshes/part.obj", box_mesh(0.6, 0.3, 0.2));
  ASSERT_EQ(run({"scene.json", "--steps", "1"}).exit_code, 0);
  write(copy_of_part(), box_mesh(0.6, 0.4, 0.25));
  const auto record = [&](const char* run) {
    return nlohmann::json::parse(test::text_of(folder_ / run / "scene.json"))["inputFiles"];
  };
  EXPECT_EQ(merganser({"run", "a/scene.json", "-o", "c", "--steps", "1"}).exit_code, 0);
  ASSERT_EQ(record("c").size(), 1u);
  EXPECT_TRUE(fs::exists(folder_ / "c" / record("c")[0]["file"].get<std::string>()));
  EXPECT_NE(record("c")[0]["crc32"], record("a")[0]["crc32"]);
  EXPECT_EQ(merganser({"run", "c", "--resume", "--steps", "2"}).exit_code, 0);
}

TEST_F(SceneInput, ARunOfAnOlderVersionGoesOnWithAWarning) {
  write("scene.json", cloth_scene);
  write("meshes/part.obj", box_mesh(0.6, 0.3, 0.2));
  ASSERT_EQ(run({"scene.json", "--steps", "1"}).exit_code, 0);
  fs::remove_all(folder_ / "a/checkpoint");
  fs::remove(folder_ / "a/summary.json");  // as a run that was killed before its first checkpoint
  auto scene = nlohmann::json::parse(test::text_of(folder_ / "a/scene.json"));
  scene.erase("inputFiles");
  write("a/scene.json", scene.dump());
  const test::Finished resumed = run({"scene.json", "--resume", "--steps", "2"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("warning: "), std::string::npos) << resumed.err;
  EXPECT_NE(resumed.err.find("no record of the files"), std::string::npos) << resumed.err;
}

TEST_F(SceneInput, OnlyRegularFilesAreRead) {
  write("meshes/part.obj", box_mesh(0.6, 0.3, 0.2));
  write("plain.json", cloth_scene);
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const std::string name : {"pipe", "/dev/zero", "meshes", "/dev/stdin", "none"}) {
    SCOPED_TRACE(name);
    const std::string file = fs::path(name).filename().string();
    expect_refused(merganser({"check", name}), {file});
    expect_refused(run({name}), {file});
    write("based.json", R"({"base": ")" + name + R"("})");
    expect_refused(merganser({"check", "based.json"}), {"base", file});
    expect_refused(
        merganser({"check", "plain.json", "--set", "systems.cloth.bodies.sheet.geometryFile=" + name}),
        {"systems.cloth.bodies.sheet.geometryFile", file});
    expect_refused(merganser({"sample", name, "--spacing", "0.1", "-o", "a.csv"}), {file});
  }
}

/// As scenes do: 8,192 spacings of 0.1 m are 819 m, a million radii 50 km.
TEST_F(SceneInput, SamplesFarFromTheOriginAreNamed) {
  for (const std::string method : {"lattice", "relaxed", "blueNoise"}) {
    const auto sample = [&](double from_x) {
      write("far.obj", box_mesh(0.6, 0.3, 0.2, from_x));
      fs::remove(folder_ / "a.csv");
      return merganser(
          {"sample", "far.obj", "--spacing", "0.1", "--method", method, "--device", "cpu", "-o", "a.csv"});
    };
    const auto near = sample(700), noted = sample(-1100);
    EXPECT_EQ(near.exit_code, 0) << near.err;
    EXPECT_EQ(near.err.find("m from the origin"), std::string::npos) << near.err;
    EXPECT_EQ(noted.exit_code, 0) << noted.err;
    for (const std::string piece :
         {"merganser: warning: mesh file 'far.obj' reaches 1.1e+03 m from the origin",
          "0.000122 m apart, 1/819 of its particle spacing", "bring the mesh to the origin, within 819 m"})
      EXPECT_NE(noted.err.find(piece), std::string::npos) << "no '" << piece << "' in: " << noted.err;
    EXPECT_TRUE(fs::exists(folder_ / "a.csv"));
    expect_refused(sample(60000), {"mesh file 'far.obj': reaches 60000", "m from the origin, at most",
                                   "bring the mesh to the origin, or raise --spacing"});
    EXPECT_FALSE(fs::exists(folder_ / "a.csv"));
  }
}

/// A body of the least particle radius of scenes: 6 x 3 x 3 particles.
TEST_F(SceneInput, SamplesAreAsSmallAsParticlesOfScenes) {
  write("tiny.obj", box_mesh(1.2e-8, 6e-9, 6e-9));
  for (const std::string method : {"lattice", "relaxed", "blueNoise"}) {
    const auto sample = [&](const std::string& spacing) {
      return merganser(
          {"sample", "tiny.obj", "--spacing", spacing, "--method", method, "--device", "cpu", "-o", "a.csv"});
    };
    const auto made = sample("2e-9");
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.out.find("54 particles"), std::string::npos) << method << ": " << made.out;
    EXPECT_EQ(test::text_of(folder_ / "a.csv").find("nan"), std::string::npos) << method;
    expect_refused(sample("1.9e-9"), {"--spacing", "'1.9e-9'", "a number from 2e-09 to 2000000"});
  }
}

/// Two bodies in one place: the second finds no room. The run ends well, and says it, also in its summary.
TEST_F(SceneInput, ARunNamesBodiesThatFoundNoRoom) {
  const std::string box = R"("shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.2], "density0": 1000)";
  write(
      "scene.json",
      R"({"simulation": {"particleRadius": 0.05, "timeStepSize": 0.01, "endTime": 0.1, "gravitation": [0, 0, 0]},
    "systems": [{"name": "solids", "type": "rigid", "bodies": [{"name": "first", )" +
          box + R"(}, {"name": "second", "startTime": 0.05, )" + box + "}]}]}");
  const std::string warning = "systems.solids.bodies.second has not appeared: since its startTime, 0.05 s";
  const auto ran = run({"scene.json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("warning: " + warning), std::string::npos) << ran.err;
  EXPECT_NE(test::text_of(folder_ / "a/summary.json").find(warning), std::string::npos);
}

/// A lattice holds one layer of 5 x 5 points in a plate that has 1.6 of them.
TEST_F(SceneInput, SamplesSayWhatTheyDoNotFill) {
  write("plate.obj", box_mesh(0.5, 0.5, 0.16));
  const auto off = merganser({"sample", "plate.obj", "--spacing", "0.1", "-o", "a.csv"}),
             fits = merganser({"sample", "plate.obj", "--spacing", "0.02", "-o", "b.csv"});
  EXPECT_EQ(off.exit_code, 0) << off.err;
  EXPECT_NE(off.err.find("warning: the particles fill"), std::string::npos) << off.err;
  EXPECT_NE(off.err.find("than the mesh, 0.04 m^3; give a smaller --spacing"), std::string::npos) << off.err;
  EXPECT_EQ(fits.exit_code, 0) << fits.err;
  EXPECT_EQ(fits.err.find("warning"), std::string::npos) << fits.err;
}

TEST_F(SceneInput, AFileThatCannotBeReadIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read every file";
  write("scene.json", cloth_scene);
  write("meshes/part.obj", box_mesh(0.6, 0.3, 0.2));
  ASSERT_EQ(chmod((folder_ / "meshes/part.obj").c_str(), 0), 0);
  expect_refused(merganser({"check", "scene.json"}), {"part.obj", "permission"});
}

/// Counts at which quadratic work takes minutes; the limit is a generous one.
TEST_F(SceneInput, CheckTakesNearLinearTime) {
#ifdef MERGANSER_CHECKED_VIEWS
  GTEST_SKIP() << "the sanitizers multiply the time";
#endif
  const auto seconds = [&](const std::string& systems, const std::string& more) {
    write("many.json",
          R"({"simulation": {"particleRadius": 0.05}, "systems": [)" + systems + "]" + more + "}");
    return test::ChildProcess(folder_.path(),
                              {"/usr/bin/timeout", "60",
                               fs::read_symlink("/proc/self/exe").replace_filename("merganser").string(),
                               "check", "many.json"})
        .wait();
  };
  const auto list = [](int count, const auto& element) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + element(i);
    return "[" + text + "]";
  };
  const auto fluid = [](const std::string& bodies) {
    return R"({"name": "water", "type": "sph", "bodies": )" + bodies + "}";
  };
  const auto box_at = [](int i, int x) {
    return R"({"name": "b)" + std::to_string(i) + R"(", "shape": "box", "start": [)" + std::to_string(x) +
           R"(, 0, 0], "end": [)" + std::to_string(x) + R"(.2, 0.2, 0.2]})";
  };
  const auto box = [&](int i) { return box_at(i, i); };
  const std::string one = fluid(list(1, box));
  const auto wall = [](int i) {
    return R"({"shape": "plane", "point": [0, 0, -)" + std::to_string(i + 1) + R"(], "normal": [0, 0, 1]})";
  };
  const auto check = [](int i) {
    return R"({"type": "energyRise", "limit": 0.)" + std::to_string(i + 1) + "}";
  };
  for (const auto& finished :
       {seconds(one, R"(, "walls": )" + list(100000, wall)),
        seconds(one, R"(, "checks": )" + list(400000, check)), seconds(fluid(list(5000, box)), "")})
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const auto in_one_place = seconds(fluid(list(5000, [&](int i) { return box_at(i, 0); })), "");
  EXPECT_EQ(in_one_place.exit_code, 2) << in_one_place.err;
  EXPECT_NE(in_one_place.err.find("overlap"), std::string::npos) << in_one_place.err;
}

/// Matrices whose entries outgrow the masses by more than 64-bit numbers hold. Rounding decides which of them
/// have a pivot below zero; the others diverge (4) or stand still.
TEST_F(SceneInput, AMatrixThatCannotBeFactoredNamesItsBodyAndKeys) {
  int refused = 0;
  for (int k = 0; k < 18; ++k) {
    const std::string modulus = std::to_string(1 + k % 3) + "e" + std::to_string(24 + k / 3);
    write("soft.json", R"({"simulation": {"particleRadius": 0.05}, "systems": [
      {"name": "solid", "type": "elasticSph", "solve": "preconditioned", "bodies": [
        {"name": "first", "shape": "box", "start": [0, 0, 0], "end": [0.4, 0.4, 0.4], "density0": 1000,
         "youngsModulus": 1e5},
        {"name": "stiff", "shape": "box", "start": [1, 0, 0], "end": [1.9, 0.4, 0.4], "density0": 1000,
         "youngsModulus": )" +
                           modulus + "}]}]}");
    const test::Finished finished = run({"soft.json", "--steps", "1", "--overwrite"});
    if (finished.exit_code == 0 || finished.exit_code == 4) continue;
    ++refused;
    expect_refused(finished, {"soft.json", "systems.solid.bodies.stiff", "not positive definite",
                              "youngsModulus", "elasticTimeStep", "conjugateGradient"});
  }
  EXPECT_GE(refused, 1);
}

/// Just above the least period that check allows, a run goes.
TEST_F(SceneInput, APeriodThatCheckAllowsRuns) {
  const auto scene = [&](double period) {
    write("periodic.json", R"({"simulation": {"particleRadius": 0.05, "periodic": {"length": [)" +
                               std::to_string(period) + R"(, 0, 0]}}, "systems": [
      {"name": "water", "type": "sph", "bodies": [
        {"name": "b", "shape": "box", "start": [0, 0, 0], "end": [0.7, 0.4, 0.4]}]}]})");
  };
  scene(0.7201);
  EXPECT_EQ(run({"periodic.json", "--steps", "1"}).exit_code, 0);
  scene(0.7199);
  expect_refused(merganser({"check", "periodic.json"}), {"periodic.json", "simulation.periodic.length"});
  expect_refused(run({"periodic.json", "--overwrite"}), {"periodic.json", "simulation.periodic.length"});
}

}  // namespace scene_input_test
}  // namespace merganser
