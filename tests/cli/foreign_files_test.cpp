/// A run deletes and replaces nothing that is not its own: folders with files of the user's, remains of runs,
/// other things under the names that a run uses.
#include <sys/stat.h>

#include "tests/support/fake_run.h"

namespace merganser {
namespace foreign_files_test {

using test::contains;

class ForeignFiles : public test::FakeRuns {
 protected:
  void SetUp() override { scene(R"("endTime": 0.05)"); }
  void write(const std::string& name, const std::string& text = "mine") {
    std::filesystem::create_directories((folder_ / name).parent_path());
    test::write_text(folder_ / name, text);
  }
  /// Every file and link below a folder with its content.
  std::vector<std::pair<std::string, std::string>> everything(const std::string& name) {
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / name))
      files.emplace_back(entry.path().string(),
                         entry.symlink_status().type() == std::filesystem::file_type::regular
                             ? test::text_of(entry.path())
                             : "");
    std::sort(files.begin(), files.end());
    return files;
  }
  /// The command line is refused with these words, and the folder stays as it is.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& folder,
                      const std::vector<std::string>& words) {
    const auto before = everything(folder);
    const auto run = merganser(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    for (const std::string& word : words) EXPECT_TRUE(contains(run.err, word)) << word << " in " << run.err;
    EXPECT_EQ(before, everything(folder)) << run.err;
  }
};

TEST_F(ForeignFiles, StayBesideANewRun) {
  for (const char* name :
       {"a/thesis.tmp", "a/notes.txt", "a/plots/frame_000000.vtkhdf", "a/surface/bowl.obj"})
    write(name);
  std::filesystem::create_directories(folder_ / "a/frames");  // empty: nothing is in the way
  const auto run = merganser({"run", "scene.json", "-o", "a"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* name :
       {"a/thesis.tmp", "a/notes.txt", "a/plots/frame_000000.vtkhdf", "a/surface/bowl.obj"})
    EXPECT_EQ(test::text_of(folder_ / name), "mine") << name;
  EXPECT_EQ(frames("a").size(), 3u);
}

TEST_F(ForeignFiles, UnderARunsNamesAreNamedAndStay) {
  for (const char* name :
       {"statistics.csv", "probes.csv", "summary.json", "scene.json", "scene.json.tmp", "checkpoint",
        "frames", "frames/frame_0001.png", "frames/frame_notes.txt", "frames/frame_000001.vtkhdf",
        "checkpoint/mine.h5", "checkpoint/checkpoint_000000009.h5", "surface/surface_000000.ply"}) {
    std::filesystem::remove_all(folder_ / "a");
    write(std::string("a/") + name);
    expect_refused({"run", "scene.json", "-o", "a"}, "a", {name, "-o"});
  }
  write("b/frames", "mine");
  write("b/thesis.tmp");
  write("b/statistics.csv");
  expect_refused({"run", "scene.json", "-o", "b"}, "b", {"'b'", "statistics.csv", "frames"});
  expect_refused({"run", "scene.json", "-o", "b", "--resume"}, "b", {"'b'", "statistics.csv", "frames"});
}

TEST_F(ForeignFiles, TheFirstNamesAndACountAreSaid) {
  for (int k = 0; k < 500; ++k) write("a/frames/frame_" + std::to_string(100000 + k) + ".vtkhdf");
  const auto run = merganser({"run", "scene.json", "-o", "a"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(contains(run.err, "frame_100000.vtkhdf") && contains(run.err, "495 more")) << run.err;
  EXPECT_LT(run.err.size(), 500u);
}

TEST_F(ForeignFiles, ARunThatLostItsSceneKeepsItsFrames) {
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
  std::filesystem::remove(folder_ / "a/scene.json");
  for (const std::string file : {"", "a/summary.json", "a/checkpoint"}) {
    if (!file.empty()) std::filesystem::remove_all(folder_ / file);
    expect_refused({"run", "scene.json", "-o", "a"}, "a", {"frame_000000.vtkhdf"});
    expect_refused({"run", "scene.json", "-o", "a", "--resume"}, "a", {"'a"});
  }
  EXPECT_EQ(frames("a").size(), 3u);
}

TEST_F(ForeignFiles, OverwriteDeletesOnlyWhatARunHasWritten) {
  const std::vector<std::string> own{"frames/frame_000099.vtkhdf",
                                     "frames/frame_000099.vtkhdf.tmp",
                                     "frames/frames.vtkhdf.series.tmp",
                                     "checkpoint/checkpoint_000000009.h5",
                                     "checkpoint/checkpoint_000000009.h5.damaged",
                                     "checkpoint/checkpoint_000000010.h5.tmp",
                                     "summary.json.tmp",
                                     "scene.json.tmp"};
  const std::vector<std::string> mine{"frames/frame_0001.png",
                                      "frames/frame_notes.txt",
                                      "frames/frame_1.vtkhdf",
                                      "frames/frame_0000001.vtkhdf",
                                      "frames/frame_00001x.vtkhdf",
                                      "frames/frame_000001.vtkhdf.bak",
                                      "frames/thesis.tmp",
                                      "checkpoint/checkpoint_best.h5",
                                      "checkpoint/checkpoint_9.h5",
                                      "checkpoint/checkpoint_000000009.h5.keep",
                                      "thesis.tmp",
                                      "statistics.csv.bak",
                                      "probes.csv.bak",
                                      "statistics.csv.tmp",
                                      "surface/bowl.ply"};
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
  for (const auto& names : {own, mine})
    for (const std::string& name : names) write("a/" + name);
  expect_refused({"run", "scene.json", "-o", "a"}, "a", {"--overwrite"});
  const auto run = merganser({"run", "scene.json", "-o", "a", "--overwrite", "--set", "seed=9"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(summary("a")["seed"], 9);
  for (const std::string& name : own) EXPECT_FALSE(std::filesystem::exists(folder_ / ("a/" + name))) << name;
  for (const std::string& name : mine) EXPECT_EQ(test::text_of(folder_ / ("a/" + name)), "mine") << name;
}

TEST_F(ForeignFiles, OverwriteTakesTheSurfacesThatWereMadeFromTheRun) {
  const auto surfaces = [&](const std::string& folder, const std::string& made_from) {
    write(folder + "/surface/surface.json",
          nlohmann::json{{"method", "sum"}, {"run", (folder_ / made_from).string()}}.dump());
    for (const char* name :
         {"surface_000000.ply", "surface_000001.obj", "surface_000001.vtkhdf", "surface_000001.vdb",
          "surface_000001_sea.vdb", "surface.vtkhdf.series", "surface_000002.ply.tmp"})
      write(folder + "/surface/" + name);
  };
  for (const char* folder : {"a", "b"})
    ASSERT_EQ(merganser({"run", "scene.json", "-o", folder}).exit_code, 0);
  surfaces("a", "a");
  write("a/surface/picture.png");
  surfaces("b", "a");  // put there with -o; the run in b has nothing to do with them
  for (const char* folder : {"a", "b"}) {
    const auto run = merganser({"run", "scene.json", "-o", folder, "--overwrite"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  EXPECT_EQ(everything("a/surface").size(), 1u);
  EXPECT_EQ(test::text_of(folder_ / "a/surface/picture.png"), "mine");
  EXPECT_EQ(everything("b/surface").size(), 8u);
  std::filesystem::remove(folder_ / "a/surface/picture.png");
  surfaces("a", "a");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--overwrite"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/surface"));
}

/// A kill while scene.json was first written leaves the beginning of its text, of any length.
TEST_F(ForeignFiles, ASceneThatAKillHasCutOffIsInNobodysWay) {
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "whole"}).exit_code, 0);
  const std::string text = test::text_of(folder_ / "whole/scene.json");
  for (const size_t length : {size_t(0), text.size() / 2, text.size()})
    for (const bool resume : {false, true}) {
      std::filesystem::remove_all(folder_ / "a");
      write("a/scene.json.tmp", text.substr(0, length));
      std::vector<std::string> line{"run", "scene.json", "-o", "a"};
      if (resume) line.push_back("--resume");
      const auto run = merganser(line);
      EXPECT_EQ(run.exit_code, 0) << length << run.err;
      EXPECT_FALSE(std::filesystem::exists(folder_ / "a/scene.json.tmp"));
      EXPECT_EQ(frames("a").size(), frames("whole").size());
    }
}

/// Meshes of a run, wherever its folder, theirs and the command are; the names in surface.json and skin.json
/// are those that the commands write.
TEST_F(ForeignFiles, OverwriteTakesTheRunsMeshesFromAnyFolder) {
  const auto meshes = [&](const std::string& folder, const std::string& kind, const std::string& run) {
    write(folder + "/" + kind + ".json", nlohmann::json{{"run", run}}.dump());
    write(folder + "/" + kind + "_000007.ply");
  };
  std::filesystem::create_directories(folder_ / "deep/er");
  const auto in_folder = [&](const std::string& folder, const std::vector<std::string>& arguments) {
    return test::ChildProcess(folder_ / folder, command(arguments)).wait();
  };
  const std::string whole = (folder_ / "a").string(), scene_file = (folder_ / "scene.json").string();
  for (const auto& [from, name] : {std::pair<std::string, std::string>{".", "a"},
                                   {".", whole},
                                   {"deep/er", "../../a"},
                                   {"deep/er", whole},
                                   {".", "linked"},
                                   {"a", "."},
                                   {"a", "../a"}}) {
    SCOPED_TRACE(from + " " + name);
    for (const char* made : {"a", "linked", "elsewhere"}) std::filesystem::remove_all(folder_ / made);
    ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
    std::filesystem::create_directory_symlink("a", folder_ / "linked");
    meshes("a/surface", "surface", "..");
    meshes("a/skin", "skin", "..");
    meshes("a/fine", "surface", whole);
    meshes("a/pictures/surface", "surface", "../..");  // deeper than commands put them
    meshes("elsewhere", "surface", whole);
    std::filesystem::create_directory_symlink("../elsewhere", folder_ / "a/disk");
    meshes("a/foreign", "surface", folder_.path().string());
    const auto run = in_folder(from, {"run", scene_file, "-o", name, "--overwrite"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    for (const char* gone : {"a/surface", "a/skin", "a/fine"})
      EXPECT_FALSE(std::filesystem::exists(folder_ / gone)) << gone;
    for (const char* stays : {"a/pictures/surface", "elsewhere", "a/foreign"})
      EXPECT_EQ(test::text_of(folder_ / stays / "surface_000007.ply"), "mine") << stays;
    EXPECT_TRUE(contains(run.err, "disk/surface_000007.ply")) << "what stays is told: " << run.err;
    EXPECT_TRUE(contains(summary("a")["warnings"].dump(), "disk/surface_000007.ply"));
  }
}

TEST_F(ForeignFiles, OtherThingsUnderARunsNamesAreNotOverwritten) {
  const auto fifo = [&](const std::string& name) { mkfifo((folder_ / name).c_str(), 0600); };
  const auto link = [&](const std::string& name) {
    std::filesystem::create_symlink(folder_ / "elsewhere", folder_ / name);
  };
  const auto directory = [&](const std::string& name) {
    std::filesystem::create_directories(folder_ / name);
  };
  for (const char* name :
       {"statistics.csv", "probes.csv", "summary.json", "scene.json", "scene.json.tmp",
        "frames/frame_000001.vtkhdf", "frames/frames.vtkhdf.series", "checkpoint/checkpoint_000000009.h5"})
    for (int kind = 0; kind < 3; ++kind) {
      std::filesystem::remove_all(folder_ / "a");
      std::filesystem::remove_all(folder_ / "elsewhere");
      ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
      write("elsewhere");
      const std::string path = std::string("a/") + name;
      std::filesystem::remove(folder_ / path);
      kind == 0 ? fifo(path) : kind == 1 ? link(path) : directory(path);
      expect_refused({"run", "scene.json", "-o", "a", "--overwrite"}, "a", {name});
      EXPECT_EQ(test::text_of(folder_ / "elsewhere"), "mine");
    }
  for (const char* name : {"frames", "checkpoint"}) {
    std::filesystem::remove_all(folder_ / "a");
    std::filesystem::remove_all(folder_ / "elsewhere");
    ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
    std::filesystem::rename(folder_ / "a" / name, folder_ / "elsewhere");
    const size_t count = everything("elsewhere").size();
    link(std::string("a/") + name);
    expect_refused({"run", "scene.json", "-o", "a", "--overwrite"}, "a", {name});
    EXPECT_EQ(everything("elsewhere").size(), count);
    std::filesystem::remove(folder_ / "a" / name);
    write(std::string("a/") + name);
    expect_refused({"run", "scene.json", "-o", "a", "--overwrite"}, "a", {name});
  }
}

TEST_F(ForeignFiles, TheUsersSceneIsNotReplacedByItsResolvedForm) {
  write("project/scene.json", R"({"endTime": 0.05, "title": "written by hand"})");
  for (const char* output : {"project", "project/."}) {
    expect_refused({"run", "project/scene.json", "-o", output}, "project", {"scene.json"});
    expect_refused({"run", "scene.json", "-o", output, "--overwrite"}, "project", {"scene.json"});
    expect_refused({"run", "project/scene.json", "-o", output, "--overwrite"}, "project", {"scene.json"});
  }
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
  for (const char* rest : {"frames", "checkpoint", "statistics.csv", "summary.json"})
    std::filesystem::remove_all(folder_ / "a" / rest);
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "a", "--overwrite"}).exit_code, 0)
      << "a resolved scene that is alone is what a kill just after the start leaves";
}

TEST_F(ForeignFiles, TemporaryFilesOfOthersStayOnResumeAndInSurfaces) {
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--steps", "20"}).exit_code, 0);
  const std::vector<std::string> mine{"a/thesis.tmp", "a/frames/thesis.tmp", "a/checkpoint/thesis.tmp"};
  const std::vector<std::string> own{"a/summary.json.tmp", "a/frames/frame_000002.vtkhdf.tmp",
                                     "a/checkpoint/checkpoint_000000020.h5.tmp"};
  for (const auto& names : {mine, own})
    for (const std::string& name : names) write(name);
  ASSERT_EQ(merganser({"run", "a", "--resume", "--end-time", "0.05"}).exit_code, 0);
  for (const std::string& name : mine) EXPECT_EQ(test::text_of(folder_ / name), "mine") << name;
  for (const std::string& name : own) EXPECT_FALSE(std::filesystem::exists(folder_ / name)) << name;

  // A surface command on a folder that holds a fluid as read_surface_scene knows it.
  write("b/scene.json", R"({"simulation": {"particleRadius": 0.05, "resolution": 1}, "systems": [
        {"name": "sea", "type": "sph", "density0": 1000, "smoothingLengthFactor": 1.2,
         "bodies": [{"name": "pool"}], "emitters": []}]})");
  std::filesystem::create_directories(folder_ / "b/frames");
  for (const auto& frame : frames("a")) std::filesystem::copy(frame, folder_ / "b/frames" / frame.filename());
  write("b/surface/thesis.tmp");
  write("b/surface/surface_000000.ply.tmp");
  const auto surface = merganser({"surface", "b", "--method", "sum"});
  EXPECT_EQ(surface.exit_code, 0) << surface.err;
  EXPECT_EQ(test::text_of(folder_ / "b/surface/thesis.tmp"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b/surface/surface_000000.ply.tmp"));
}

TEST_F(ForeignFiles, ATemporaryNameThatIsTakenIsNotWrittenOver) {
  write("points.csv.tmp");
  const auto run = merganser({"sample", "ball.obj", "--spacing", "0.1", "-o", "points.csv"});
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_TRUE(contains(run.err, "points.csv.tmp")) << run.err;
  EXPECT_EQ(test::text_of(folder_ / "points.csv.tmp"), "mine");
  std::filesystem::create_symlink(folder_ / "points.csv.tmp", folder_ / "link.csv");
  const auto link = merganser({"sample", "ball.obj", "--spacing", "0.1", "-o", "link.csv"});
  EXPECT_EQ(link.exit_code, 5) << link.err;
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.csv"));
}

}  // namespace foreign_files_test
}  // namespace merganser
