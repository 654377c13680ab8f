/// The executable on inputs of others: every scene of tests/inputs, and what it says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/child_process.h"
#include "tests/support/inputs.h"

namespace merganser {
namespace cli_inputs_test {

namespace fs = std::filesystem;
using test::contains;

class Inputs : public testing::Test {
 protected:
  test::Finished merganser(std::vector<std::string> arguments, const fs::path& from = "") {
    arguments.insert(arguments.begin(),
                     fs::read_symlink("/proc/self/exe").replace_filename("merganser").string());
    return test::ChildProcess(from.empty() ? folder_.path() : from, std::move(arguments)).wait();
  }
  static std::string scene(const std::string& name) {
    return (source_folder() / "tests/inputs/scenes" / name).string();
  }
  test::Finished run(const fs::path& file, const std::string& output, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", file.string(), "-o", output, "--device", "cpu", "--threads", "1"});
    return merganser(more);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Inputs, CheckAndRunTakeThem) {
  for (const auto& file : test::inputs("scenes/taken")) {
    SCOPED_TRACE(file);
    const auto checked = merganser({"check", file.string()}),
               ran = run(file, file.stem().string(), {"--steps", "0"});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  }
}

TEST_F(Inputs, CheckAndRunRefuseThemAndNameThem) {
  for (const auto& file : test::inputs("scenes/refused")) {
    SCOPED_TRACE(file);
    for (const auto& said : {merganser({"check", file.string()}), run(file, "a", {"--steps", "0"})}) {
      EXPECT_TRUE(said.exit_code == 2 || said.exit_code == 3) << said.exit_code;
      EXPECT_TRUE(contains(said.err, file.filename().string())) << said.err;
      EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    }
    EXPECT_FALSE(fs::exists(folder_ / "a"));
  }
}

TEST_F(Inputs, WeldsAndLoosePiecesAreTold) {
  const auto seam = merganser({"check", scene("taken/seam.json")}),
             pieces = run(scene("taken/pieces.json"), "a", {"--steps", "1"});
  EXPECT_TRUE(
      contains(seam.out, "systems.cloth.bodies.tube: 4 vertices of its mesh lie at the places of others"))
      << seam.out;
  EXPECT_TRUE(contains(seam.out, "32 particles")) << seam.out;
  EXPECT_FALSE(contains(seam.out, "pieces")) << seam.out;
  EXPECT_TRUE(
      contains(pieces.err,
               "systems.cloth.bodies.tube has 2 pieces that no edge joins: 4 particles from (0.0, 0.0, 0.0) "
               "m on, 3 particles from (5.0, 0.0, 0.0) m on"))
      << pieces.err;
}

/// A cloth through which water would pass, and a plate of one layer, of which the solver speaks.
TEST_F(Inputs, WarningsOfTheStartAreInTheSummary) {
  std::ofstream(folder_ / "coarse.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
  std::ofstream(folder_ / "coarse.json")
      << R"({"simulation": {"particleRadius": 0.05, "endTime": 0.1}, "systems": [
    {"name": "cloth", "type": "massSpring", "bodies": [{"name": "flag", "shape": "clothMesh",
     "geometryFile": "coarse.obj", "arealDensity": 1, "stretchStiffness": 100}]},
    {"name": "soft", "type": "elasticSph", "bodies": [{"name": "plate", "shape": "box", "start": [2, 0, 0],
     "end": [2.5, 0.5, 0.1], "density0": 1000, "youngsModulus": 1e5}]},
    {"name": "water", "type": "sph", "bodies": [{"name": "drop", "shape": "box", "start": [0, 0, 1],
     "end": [0.2, 0.2, 1.2]}]}]})";
  const auto checked = merganser({"check", "coarse.json"}), ran = run("coarse.json", "a", {"--steps", "0"});
  const nlohmann::json summary = nlohmann::json::parse(std::ifstream(folder_ / "a/summary.json"));
  for (const char* text : {"systems.cloth.bodies.flag has edges of up to 1.41 m",
                           "system 'soft': 25 particles have neighbors on one plane"})
    for (const std::string& said : {checked.out, ran.err, summary["warnings"].dump()})
      EXPECT_TRUE(contains(said, text)) << said;
}

TEST_F(Inputs, SizeAndUnitOfLargeMeshesAreTold) {
  const auto said = merganser({"check", scene("refused/millimetres.json")});
  EXPECT_TRUE(contains(said.err + said.out,
                       "the mesh is 200 x 100 x 50 m; where its file is in millimetres, set scale to 0.001"))
      << said.err << said.out;
}

TEST_F(Inputs, FarMeshesAreToldHowToComeNear) {
  const auto said = merganser({"check", scene("refused/survey.json")});
  EXPECT_TRUE(contains(said.err, "survey_cube.obj): reaches 541100")) << said.err;
  EXPECT_TRUE(
      contains(said.err, "bring the mesh (by translation, or by fitSize, which centres it) to the origin"))
      << said.err;
}

/// No byte but ends of lines that a terminal could take for a command: below 0x20, 0x7f, C1 as UTF-8.
void expect_plain(const std::string& text) {
  for (size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    EXPECT_TRUE(byte == '\n' || (byte >= 0x20 && byte != 0x7f)) << "byte " << int(byte) << " at " << k;
    const bool begins_c1 =
        byte == 0xc2 && k + 1 < text.size() && static_cast<unsigned char>(text[k + 1]) < 0xa0;
    EXPECT_FALSE(begins_c1) << "at " << k;
  }
}

TEST_F(Inputs, EscapeSequencesAreNotSentToTerminals) {
  const std::string name =
      "a \x1b[31m\x07 \xc2\x9b"
      "2J \xff.json";
  const std::string mesh =
      "no \xc2\x9b"
      "31m.obj";
  fs::copy_file(scene("taken/escapes.json"), folder_ / name);
  const auto checked = merganser({"check", name}), ran = run(name, "out \x1b[2J", {"--steps", "1"}),
             again = run(name, "out \x1b[2J", {"--steps", "2"}),
             resumed = run(name, "out \x1b[2J", {"--resume", "--steps", "2"}),
             missing = merganser({"check", "no \x1b[31m.json"}),
             sampled = merganser({"sample", mesh, "--spacing", "1", "-o", "a.csv"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(contains(checked.out, "red \\x1b[31m")) << checked.out;
  EXPECT_TRUE(contains(ran.err, "red \\x1b[31m")) << ran.err;
  for (const auto& said : {checked, ran, again, resumed, missing, sampled}) {
    expect_plain(said.out);
    expect_plain(said.err);
  }
}

/// The folder holds copies of the meshes: it is continued where nothing else of the scene is there.
TEST_F(Inputs, AMovedRunGoesOn) {
  fs::create_directories(folder_ / "here/meshes");
  for (const char* file : {"cloth/seam_tube.obj", "closed/cube.stl"})
    fs::copy(source_folder() / "tests/inputs/meshes" / file, folder_ / "here/meshes");
  test::write_text(folder_ / "here/scene.json",
                   R"({"simulation": {"particleRadius": 0.1, "timeStepSize": 1e-3},
    "systems": [{"name": "cloth", "type": "massSpring", "bodies": [
      {"name": "tube", "shape": "clothMesh", "geometryFile": "meshes/seam_tube.obj", "arealDensity": 1,
       "stretchStiffness": 100, "translation": [0, 0, 3]}]}],
    "walls": [{"shape": "mesh", "geometryFile": "meshes/cube.stl", "inside": false}]})");
  ASSERT_EQ(run("here/scene.json", "whole", {"--steps", "6"}).exit_code, 0);
  const auto begun = run("here/scene.json", "a", {"--steps", "3"});
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  const auto text = nlohmann::json::parse(test::text_of(folder_ / "a/scene.json"));
  for (const auto& named :
       {text["walls"][0]["geometryFile"], text["systems"][0]["bodies"][0]["geometryFile"]}) {
    const fs::path file = named.get<std::string>();
    EXPECT_TRUE(file.is_relative()) << file;
    EXPECT_TRUE(fs::exists(folder_ / "a" / file)) << file;
  }
  fs::create_directories(folder_ / "there");
  fs::rename(folder_ / "a", folder_ / "there/b");
  fs::remove_all(folder_ / "here");
  const auto resumed = merganser(
      {"run", "b", "--resume", "--steps", "6", "--device", "cpu", "--threads", "1"}, folder_ / "there");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_FALSE(contains(resumed.err, "differs")) << resumed.err;
  // Rows without the times that steps took.
  const auto rows = [&](const fs::path& run) {
    std::istringstream lines(test::text_of(folder_ / run / "statistics.csv"));
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      size_t end = 0;
      for (int column = 0; column < 20 && end != line.npos; ++column) end = line.find(',', end + 1);
      all += line.substr(0, end) + "\n";
    }
    return all;
  };
  EXPECT_EQ(rows("whole"), rows("there/b"));
  EXPECT_EQ(test::text_of(folder_ / "whole/scene.json"), test::text_of(folder_ / "there/b/scene.json"));
  // A new run of the folder's own scene, over itself.
  const auto over =
      merganser({"run", "b/scene.json", "-o", "b", "--overwrite", "--steps", "1", "--device", "cpu"},
                folder_ / "there");
  EXPECT_EQ(over.exit_code, 0) << over.err;
  EXPECT_EQ(test::text_of(folder_ / "whole/scene.json"), test::text_of(folder_ / "there/b/scene.json"));
}

/// What is left of a run that was killed before it had written scene.json.
TEST_F(Inputs, CopiesAloneAreInNobodysWay) {
  fs::create_directories(folder_ / "a/meshes");
  test::write_text(folder_ / "a/meshes/0123abcd_part.obj", "v 0 0 0\n");
  test::write_text(folder_ / "a/meshes/89abcdef_part.obj.tmp", "v 0 0");
  const auto begun = run(scene("taken/seam.json"), "a", {"--steps", "0"}),
             resumed = run(scene("taken/seam.json"), "a", {"--steps", "1", "--resume"});
  EXPECT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

/// Two files of one name are two copies; --overwrite takes those of the earlier run away, and no other file.
TEST_F(Inputs, CopiesAreToldApartAndReplaced) {
  for (const char* folder : {"one", "two"}) fs::create_directories(folder_ / folder);
  fs::copy(source_folder() / "tests/inputs/meshes/closed/cube.obj", folder_ / "one/a b.obj");
  fs::copy(source_folder() / "tests/inputs/meshes/closed/cube.obj", folder_ / "two/a b.obj");
  std::ofstream(folder_ / "two/a b.obj", std::ios::app) << "# another\n";
  const auto write = [&](const std::string& second) {
    test::write_text(folder_ / "scene.json", R"({"simulation": {"particleRadius": 0.1},
      "systems": [{"name": "water", "type": "sph", "bodies": [
        {"name": "drop", "shape": "mesh", "geometryFile": "one/a b.obj"},
        {"name": "other", "shape": "mesh", "translation": [2, 0, 0], "geometryFile": ")" +
                                                 second + R"("}]}]})");
  };
  const auto copies = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "a/meshes"))
      names.push_back(entry.path().filename());
    return names;
  };
  write("two/a b.obj");
  ASSERT_EQ(run("scene.json", "a", {"--steps", "0"}).exit_code, 0);
  EXPECT_EQ(copies().size(), 2u);
  test::write_text(folder_ / "a/meshes/mine.obj", "v 0 0 0\n");
  write("one/a b.obj");
  ASSERT_EQ(run("scene.json", "a", {"--steps", "0", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(copies().size(), 2u);
  EXPECT_TRUE(fs::exists(folder_ / "a/meshes/mine.obj"));
}

}  // namespace cli_inputs_test
}  // namespace merganser
