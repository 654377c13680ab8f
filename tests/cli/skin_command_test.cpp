/// merganser skin from outside: sequences, files left alone, messages and exit codes. The skins move with one
/// particle (tests/support/fake_surfaces.h).
#include <sys/stat.h>

#include "host/output/frame_writer.h"
#include "host/output/skin_file.h"
#include "tests/support/mesh_commands.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace skin_command_test {

using test::contains;

class SkinCommand : public test::MeshCommands {
 protected:
  /// A run's folder with a fluid, two soft cubes and a brittle one, three particles each.
  void run_folder(const std::string& name, int frames) {
    std::filesystem::create_directories(folder_ / name);
    test::write_text(folder_ / (name + "/scene.json"), R"({
      "simulation": {"particleRadius": 0.05, "resolution": 0.5},
      "systems": [
        {"name": "sea", "type": "sph", "density0": 1000, "smoothingLengthFactor": 1.2,
         "bodies": [{"name": "pool"}], "emitters": []},
        {"name": "soft", "type": "elasticSph", "bodies": [{"name": "left"}, {"name": "right"}]},
        {"name": "stone", "type": "peridynamics", "bodies": [{"name": "plate"}]}]})");
    SkinRecord record{.spacing = 0.2, .bodies = {}};
    for (int b = 1; b < 4; ++b) {
      SkinBody body{b, b < 3 ? 1 : 2, {b < 3 ? SkinMotion::deforming : SkinMotion::breaking}, 3 * b, {}, {}};
      for (int i = 0; i < 3; ++i) body.rest.push_back({float(3 * b + i), 0, 0});
      body.surface = test::cube();
      record.bodies.push_back(body);
    }
    write_skin_file(folder_ / (name + "/skins.h5"), record);
    FrameWriter writer(folder_ / name, {});
    for (int k = 0; k < frames; ++k) writer.write(frame(k).time, [k] { return frame(k); });
  }
  static FrameData frame(int k) {
    FrameData frame;
    frame.time = 0.02 * k;
    frame.fields = {{"fragment", {}}};
    for (int i = 0; i < 12; ++i) {
      frame.position.push_back({float(i), 0.5f * float(k), 0});
      frame.velocity.push_back({0, 25, 0});
      frame.id.push_back(i);
      frame.system.push_back(i < 3 ? 0 : i < 9 ? 1 : 2);
      frame.body.push_back(i / 3);
      frame.fields[0].second.push_back(i < 9 ? 0 : float(i % 3));
    }
    return frame;
  }
};

TEST_F(SkinCommand, ASequenceOfFrames) {
  run_folder("a", 3);
  const auto run = merganser({"skin", "a", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "3 skins in 'a/skin'")) << run.err;
  EXPECT_TRUE(contains(run.err, "3 vertices are more than two particle spacings")) << run.err;
  EXPECT_EQ(names("a/skin"),
            (std::vector<std::string>{"skin.json", "skin_000000.ply", "skin_000001.ply", "skin_000002.ply"}));
  EXPECT_EQ(vertices_of("a/skin/skin_000002.ply"), 3 * 8);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["frames_made"], 3);
  EXPECT_EQ(json["vertices_of_nearest_particle"], 3);
  EXPECT_EQ(json["bodies"].size(), 3u);
  EXPECT_EQ(json["bodies"][2]["name"], "plate");
  EXPECT_EQ(json["bodies"][2]["motion"], "breaking");
  EXPECT_EQ(json["bodies"][0]["triangles"], 12);
  EXPECT_EQ(merganser({"skin", "a"}).out, "");
}

/// A frame that got lost would be a jump in the movie that nobody explains.
TEST_F(SkinCommand, MissingFramesAreSaid) {
  run_folder("a", 8);
  for (const int lost : {0, 2, 4, 5})
    std::filesystem::remove(folder_ / ("a/frames/frame_00000" + std::to_string(lost) + ".vtkhdf"));
  const auto said = [&](const std::string& range) {
    const auto run = merganser({"skin", "a", "--frames", range});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.err;
  };
  EXPECT_TRUE(contains(said(":"), "warning: the run lacks frames 0, 2, 4 to 5, so they get no skin"));
  EXPECT_EQ(names("a/skin").size(), 5u);
  EXPECT_TRUE(contains(said("3:4"), "lacks frames 4, so"));
  EXPECT_TRUE(contains(said("5:"), "lacks frames 5, so"));
  EXPECT_FALSE(contains(said("6:20"), "lacks"));  // a run may go on
  EXPECT_FALSE(contains(said("3"), "lacks"));
  EXPECT_EQ(merganser({"skin", "a", "-q"}).err, "");
}

TEST_F(SkinCommand, FilesThatAreThereAreLeftAlone) {
  run_folder("a", 4);
  ASSERT_EQ(merganser({"skin", "a", "--frames", "1:2"}).exit_code, 0);
  EXPECT_EQ(names("a/skin").size(), 3u);
  test::write_text(folder_ / "a/skin/skin_000001.ply", "mine");
  test::write_text(folder_ / "a/skin/skin_000002.ply.tmp_of_a_killed_run", "");
  test::write_text(folder_ / "a/skin/notes.txt", "mine");
  const auto again = merganser({"skin", "a"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(contains(again.err, "2 skins") && contains(again.err, "2 were there already")) << again.err;
  EXPECT_EQ(test::text_of(folder_ / "a/skin/skin_000001.ply"), "mine");
  EXPECT_EQ(merganser({"skin", "a", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(vertices_of("a/skin/skin_000001.ply"), 24);
  EXPECT_EQ(test::text_of(folder_ / "a/skin/notes.txt"), "mine");
}

TEST_F(SkinCommand, NoSequenceIsMixedFromTwoSets) {
  run_folder("a", 2);
  ASSERT_EQ(merganser({"skin", "a", "--frames", "0"}).exit_code, 0);
  expect_error({"skin", "a", "--body", "left"}, 2, "skin.json");
  EXPECT_EQ(names("a/skin").size(), 2u);
  EXPECT_EQ(merganser({"skin", "a", "--body", "left", "-o", "b"}).exit_code, 0);
  EXPECT_EQ(vertices_of("b/skin_000001.ply"), 8);
}

/// The skins in a run's folder are still that run's where the folder has another name.
TEST_F(SkinCommand, AMovedRunGoesOn) {
  run_folder("a", 2);
  ASSERT_EQ(merganser({"skin", "a", "--frames", "0"}).exit_code, 0);
  ASSERT_EQ(merganser({"skin", "a", "--frames", "0", "-o", "elsewhere"}).exit_code, 0);
  std::filesystem::rename(folder_ / "a", folder_ / "moved");
  const auto again = merganser({"skin", "moved"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(contains(again.err, "1 were there already")) << again.err;
  run_folder("a", 2);
  EXPECT_EQ(merganser({"skin", "a", "-o", "elsewhere"}).exit_code, 0);
  expect_error({"skin", "moved", "-o", "elsewhere"}, 2, "skin.json");  // two runs in one sequence
  expect_error({"skin", "a", "-o", "moved/skin"}, 2, "skin.json");
}

TEST_F(SkinCommand, Formats) {
  run_folder("a", 2);
  ASSERT_EQ(merganser({"skin", "a", "--format", "obj", "-o", "obj"}).exit_code, 0);
  const std::string obj = test::text_of(folder_ / "obj/skin_000001.obj");
  for (const char* group : {"g left\n", "g right\n", "g plate\n"}) EXPECT_TRUE(contains(obj, group)) << group;
  ASSERT_EQ(merganser({"skin", "a", "--format", "vtkhdf", "-o", "v"}).exit_code, 0);
  EXPECT_EQ(names("v"), (std::vector<std::string>{"skin.json", "skin.vtkhdf.series", "skin_000000.vtkhdf",
                                                  "skin_000001.vtkhdf"}));
  const auto series = nlohmann::json::parse(test::text_of(folder_ / "v/skin.vtkhdf.series"));
  EXPECT_EQ(series["files"][1]["name"], "skin_000001.vtkhdf");
  EXPECT_EQ(series["files"][1]["time"], 0.02);
}

TEST_F(SkinCommand, ErrorsNameFileAndRemedy) {
  expect_error({"skin"}, 2, "DIR");
  expect_error({"skin", "nowhere"}, 2, "'nowhere' holds no run");
  run_folder("a", 2);
  expect_error({"skin", "a", "--frames", "7:9"}, 2, "frames 0 to 1");
  expect_error({"skin", "a", "--frames", "x"}, 2, "A:B");
  expect_error({"skin", "a", "--body", "pool"}, 2, "there are: left, right, plate");
  expect_error({"skin", "a", "--format", "magic"}, 2, "--format");
  expect_error({"skin", "a", "--device", "cuda:99"}, 3, "cuda:99");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/skin"));
  test::write_text(folder_ / "file", "in the way");
  expect_error({"skin", "a", "-o", "file/b", "-q"}, 5, "file/b");
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directories(folder_ / "c");
  std::filesystem::rename(folder_ / "fifo", folder_ / "c/skin_000000.ply");
  expect_error({"skin", "a", "-o", "c", "-q"}, 5, "c/skin_000000.ply' is in the way");

  const std::string good = test::text_of(folder_ / "a/skins.h5");
  test::write_text(folder_ / "a/skins.h5", good.substr(0, good.size() / 2));
  expect_error({"skin", "a", "-q"}, 2, "a/skins.h5' is not a whole file");
  SkinRecord other = read_skin_file([&] {
    test::write_text(folder_ / "a/skins.h5", good);
    return folder_ / "a/skins.h5";
  }());
  other.bodies[2].first_id = 10;
  write_skin_file(folder_ / "a/skins.h5", other);
  expect_error({"skin", "a", "-q"}, 2, "frame_000000.vtkhdf' does not hold the 3 particles of body 'plate'");
  test::write_text(folder_ / "a/skins.h5", good);
  test::write_text(folder_ / "a/frames/frame_000001.vtkhdf", "cut off");
  expect_error({"skin", "a", "-q"}, 2, "frame_000001.vtkhdf' is not a whole frame");
  std::filesystem::remove_all(folder_ / "a/frames");
  expect_error({"skin", "a"}, 2, "no frames in 'a/frames'");
}

/// A sheet has a thickness when asked, which makes another sequence; ropes are left out with a message.
TEST_F(SkinCommand, ThicknessIsOfCloth) {
  run_folder("a", 1);
  expect_error({"skin", "a", "--thickness", "0.01"}, 2, "the run has no cloth");
  expect_error({"skin", "a", "--thickness", "-1"}, 2, "--thickness");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/skin"));
  SkinRecord record = read_skin_file(folder_ / "a/skins.h5");
  record.bodies[0].binding.motion = SkinMotion::sheet;
  write_skin_file(folder_ / "a/skins.h5", record);
  std::string scene = test::text_of(folder_ / "a/scene.json");
  const std::string plate = R"({"name": "plate"})";
  scene.replace(scene.find(plate), plate.size(), plate + R"(, {"name": "line", "shape": "rope"})");
  test::write_text(folder_ / "a/scene.json", scene);
  const auto thick = merganser({"skin", "a", "--thickness", "0.01", "--json"});
  EXPECT_EQ(thick.exit_code, 0) << thick.err;
  EXPECT_TRUE(contains(thick.err, "ropes have no skin, so these are left out: line")) << thick.err;
  EXPECT_EQ(nlohmann::json::parse(thick.out)["bodies"][0]["motion"], "sheet");
  expect_error({"skin", "a"}, 2, "skin.json");
  EXPECT_EQ(merganser({"skin", "a", "-o", "b"}).exit_code, 0);
}

/// A run without solids keeps no file for skins.
TEST_F(SkinCommand, ARunWithoutSolids) {
  scene(R"("endTime": 0.05, "particles": 5)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/skins.h5"));
}

/// Not even room for the memory: the largest body is named by its size before anything is made.
TEST_F(SkinCommand, TooLittleMemoryIsThree) {
  run_folder("a", 1);
  setenv("MERGANSER_MEMORY_LIMIT", "1000", 1);
  expect_error({"skin", "a"}, 3, "--body");
  unsetenv("MERGANSER_MEMORY_LIMIT");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/skin"));
}

/// A disk that fills up leaves what was written before and no broken file.
TEST_F(SkinCommand, AFullDiskIsFive) {
  run_folder("a", 2);
  const auto run = merganser({"skin", "a"}, 700);
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_EQ(names("a/skin"), (std::vector<std::string>{"skin.json"}));
  EXPECT_EQ(merganser({"skin", "a"}).exit_code, 0);
  EXPECT_EQ(names("a/skin").size(), 3u);
}

/// Killed at any moment and started again: every frame is there once, whole, and nothing else.
TEST_F(SkinCommand, AKilledCommandGoesOn) {
  run_folder("a", 40);
  ASSERT_EQ(merganser({"skin", "a", "-o", "whole"}).exit_code, 0);
  for (int round = 0; round < 8; ++round) {
    test::ChildProcess skin(folder_.path(), command({"skin", "a", "-q"}));
    usleep(4000u + 2500u * unsigned(round));
    skin.send(SIGKILL);
    skin.wait();
    for (const std::string& name : names("a/skin"))
      if (name.ends_with(".ply")) {
        EXPECT_EQ(test::text_of(folder_ / ("a/skin/" + name)), test::text_of(folder_ / ("whole/" + name)));
      }
  }
  EXPECT_EQ(merganser({"skin", "a"}).exit_code, 0);
  EXPECT_EQ(names("a/skin"), names("whole"));
}

/// --overwrite of a run takes away the skins that were made from it, and no others.
TEST_F(SkinCommand, OverwritingARunTakesItsSkins) {
  scene(R"("endTime": 0.05, "particles": 5)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "b"}).exit_code, 0);
  run_folder("a", 1);
  ASSERT_EQ(merganser({"skin", "a", "-o", "b/skin"}).exit_code, 0);  // of another run
  expect_error({"run", "scene.json", "-o", "b"}, 2, "already holds a run");
  const auto kept = merganser({"run", "scene.json", "-o", "b", "--overwrite"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(names("b/skin").size(), 2u);
  std::filesystem::copy_file(folder_ / "a/skins.h5", folder_ / "b/skins.h5");
  test::write_text(folder_ / "b/skin/skin.json", R"({"run": ")" + (folder_ / "b").string() + "\"}");
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "b", "--overwrite"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b/skin"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b/skins.h5"));
}

}  // namespace skin_command_test
}  // namespace merganser
