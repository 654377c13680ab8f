/// Results that are gone are announced: before a resumed run goes on, and when they go while a run writes
/// them.
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "tests/support/fake_run.h"

namespace merganser {
namespace lost_results_test {

using test::ChildProcess;
using test::Finished;

using test::contains;

class LostResults : public test::FakeRuns {
 protected:
  void begin_run(const std::string& run) {
    scene(R"("endTime": 0.15, "probeEvery": 5)");
    ASSERT_EQ(merganser({"run", "scene.json", "-o", run, "--steps", "100"}).exit_code, 0);
    ASSERT_EQ(frames(run).size(), 5u);
  }
  /// Resumes the run to its end, quietly; the words stand on stderr and in one warning of the summary.
  void expect_announced(const std::string& run, const std::vector<std::string>& words) {
    const Finished rest = merganser({"run", run, "--resume", "--end-time", "0.15", "--quiet"});
    EXPECT_EQ(rest.exit_code, 0) << rest.err;
    const nlohmann::json warnings = summary(run)["warnings"];
    ASSERT_EQ(warnings.size(), words.empty() ? 0u : 1u) << warnings;
    EXPECT_EQ(rest.err.empty(), words.empty()) << rest.err;
    for (const std::string& word : words) {
      EXPECT_TRUE(contains(rest.err, word)) << word << " in " << rest.err;
      EXPECT_TRUE(contains(warnings[0].get<std::string>(), word)) << word << " in " << warnings;
    }
  }
  /// A run whose steps take 2 ms, and that has checkpoints.
  std::unique_ptr<ChildProcess> slow_run(const std::string& run) {
    scene(R"("endTime": 60, "pause": 2, "probeEvery": 2)");
    auto process = std::make_unique<ChildProcess>(
        folder_.path(), command({"run", "scene.json", "-o", run, "--checkpoint-every", "0.1"}));
    const auto begun = [&] {
      std::error_code none;
      return std::filesystem::exists(folder_ / run / "checkpoint", none) &&
             !list_checkpoints(folder_ / run / "checkpoint").empty();
    };
    for (int i = 0; i < 2000 && !begun(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return process;
  }
};

TEST_F(LostResults, NothingLostNothingSaid) {
  begin_run("a");
  expect_announced("a", {});
}

TEST_F(LostResults, MissingStatisticsAreAnnouncedOnResume) {
  begin_run("a");
  std::filesystem::remove(folder_ / "a/statistics.csv");
  expect_announced("a", {"statistics.csv", "0 of the 100 rows", "--overwrite"});
  EXPECT_TRUE(rows("a")[0].starts_with("step,"));
  EXPECT_TRUE(rows("a")[1].starts_with("101,"));
}

TEST_F(LostResults, MissingProbesAreAnnouncedOnResume) {
  begin_run("a");
  std::filesystem::remove(folder_ / "a/probes.csv");
  expect_announced("a", {"probes.csv", "0 of the 20 rows", "--overwrite"});
  EXPECT_TRUE(test::text_of(folder_ / "a/probes.csv").starts_with("step,time,ball_height\n105,"));
}

TEST_F(LostResults, ShortenedStatisticsAreAnnouncedOnResume) {
  begin_run("a");
  const std::string whole = test::text_of(folder_ / "a/statistics.csv");
  test::write_text(folder_ / "a/statistics.csv", whole.substr(0, whole.size() / 2));
  expect_announced("a", {"statistics.csv", "of the 100 rows"});
}

TEST_F(LostResults, MissingFramesAreAnnouncedOnResume) {
  begin_run("a");
  for (const int gone : {1, 3}) std::filesystem::remove(frames("a")[size_t(gone) - (gone > 1)]);
  expect_announced("a", {"2 of the 5 frames", "frame_000001.vtkhdf", "frame_000003.vtkhdf"});
  const auto series = nlohmann::json::parse(test::text_of(folder_ / "a/frames/frames.vtkhdf.series"));
  EXPECT_EQ(series["files"].size(), frames("a").size()) << "the series names files that are there";
  for (const auto& file : series["files"])
    EXPECT_TRUE(std::filesystem::exists(folder_ / "a/frames" / file["name"].get<std::string>())) << file;
}

/// As a full disk or a copy that was broken off leaves them.
TEST_F(LostResults, CutFramesAreAnnouncedOnResume) {
  begin_run("a");
  test::write_text(folder_ / "a/frames/frame_000001.vtkhdf", "");
  const std::filesystem::path frame = folder_ / "a/frames/frame_000003.vtkhdf";
  test::write_text(frame, test::text_of(frame).substr(0, 1000));
  expect_announced("a", {"2 of the 5 frames", "cut", "frame_000001.vtkhdf", "frame_000003.vtkhdf"});
  const auto series = nlohmann::json::parse(test::text_of(folder_ / "a/frames/frames.vtkhdf.series"));
  for (const auto& file : series["files"]) EXPECT_NE(file["name"], "frame_000001.vtkhdf");
}

TEST_F(LostResults, CutFilesBesideFramesAreMadeAnewOnResume) {
  test::write_text(folder_ / "ball.json", R"({"simulation": {"particleRadius": 0.05, "endTime": 0.1},
    "systems": [{"name": "stones", "type": "rigid", "bodies": [{"name": "ball", "shape": "box",
      "start": [0, 0, 0.1], "end": [0.4, 0.4, 0.5], "density0": 2000}]}],
    "walls": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}]})");
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     std::filesystem::read_symlink("/proc/self/exe").replace_filename("merganser").string());
    return ChildProcess(folder_.path(), arguments).wait();
  };
  ASSERT_EQ(run({"run", "ball.json", "-o", "a", "--steps", "2"}).exit_code, 0);
  std::map<std::string, std::string> whole;
  for (const char* name : {"walls.vtkhdf", "skins.h5"}) {
    const std::filesystem::path file = folder_ / "a" / name;
    whole[name] = test::text_of(file);
    test::write_text(file, whole[name].substr(0, whole[name].size() / 2));
  }
  ASSERT_EQ(run({"run", "a", "--resume", "--steps", "3"}).exit_code, 0);
  for (const auto& [name, bytes] : whole) EXPECT_TRUE(test::text_of(folder_ / "a" / name) == bytes) << name;
}

/// The summary is of the whole run: the next session has it too, and does not say it again.
TEST_F(LostResults, WhatWasAnnouncedStaysInTheSummary) {
  begin_run("a");
  const std::filesystem::path frame = frames("a")[1], away = folder_ / "frame";
  std::filesystem::rename(frame, away);
  ASSERT_EQ(merganser({"run", "a", "--resume", "--steps", "110"}).exit_code, 0);
  const nlohmann::json announced = summary("a")["warnings"];
  ASSERT_EQ(announced.size(), 1u);
  std::filesystem::rename(away, frame);
  const Finished rest = merganser({"run", "a", "--resume", "--end-time", "0.15", "--quiet"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(rest.err, "");
  EXPECT_EQ(summary("a")["warnings"], announced);
}

TEST_F(LostResults, CheckpointsThatAreGoneAreNotTakenForNone) {
  begin_run("a");
  std::filesystem::remove_all(folder_ / "a/checkpoint");
  const std::string before = test::text_of(folder_ / "a/statistics.csv");
  const Finished rest = merganser({"run", "a", "--resume"});
  EXPECT_EQ(rest.exit_code, 5) << rest.err;
  EXPECT_TRUE(contains(rest.err, "checkpoint_000000100.h5")) << rest.err;
  EXPECT_EQ(before, test::text_of(folder_ / "a/statistics.csv"));
}

/// Rows of later steps before those of earlier ones, doubled rows, torn ones and zeros that a crash of the
/// machine leaves: each step has one row after a resume, that of a run that went through.
TEST_F(LostResults, EachStepHasOneRowWhateverTheTablesHold) {
  scene(R"("endTime": 0.15, "probeEvery": 5)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "whole"}).exit_code, 0);
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line + '\n');
    return lines;
  };
  const std::string torn(40, '\0');
  const std::vector<std::function<void(std::vector<std::string>&)>> damages{
      [](auto& lines) { lines.insert(lines.begin() + 8, lines.begin() + 3, lines.begin() + 8); },
      [](auto& lines) {
        std::string later = lines[8];
        later.replace(0, later.find(','), "150");
        lines.insert(lines.begin() + 5, later);
        lines.push_back(later);
      },
      [&](auto& lines) { lines.insert(lines.begin() + 6, torn + '\n'), lines.push_back(torn); },
      [](auto& lines) { lines.insert(lines.begin() + 6, lines[6].substr(0, lines[6].rfind(',')) + "\n"); }};
  int number = 0;
  for (const auto& damage : damages) {
    const std::string run = "a" + std::to_string(number++);
    begin_run(run);
    for (const char* name : {"statistics.csv", "probes.csv"}) {
      const std::filesystem::path file = folder_ / run / name;
      std::vector<std::string> lines = lines_of(test::text_of(file));
      ASSERT_GT(lines.size(), 10u);
      damage(lines);
      std::string text;
      for (const std::string& line : lines) text += line;
      test::write_text(file, text);
    }
    expect_announced(run, {});
    EXPECT_EQ(rows(run), rows("whole"));
    EXPECT_EQ(test::text_of(folder_ / run / "probes.csv"), test::text_of(folder_ / "whole/probes.csv"));
  }
}

TEST_F(LostResults, ASceneThatGoesDuringARunIsWrittenAgainAndSaid) {
  const auto process = slow_run("a");
  const std::string text = test::text_of(folder_ / "a/scene.json");
  std::filesystem::remove(folder_ / "a/scene.json");
  for (int i = 0; i < 2000 && !std::filesystem::exists(folder_ / "a/scene.json"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(test::text_of(folder_ / "a/scene.json"), text);
  test::write_text(folder_ / "a/scene.json", "mine");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  process->send(SIGTERM);
  const Finished end = process->wait_at_most(20);
  EXPECT_EQ(end.exit_code, 75) << end.err;
  for (const std::string part : {"a/scene.json' was removed", "written again", "a/scene.json' was changed"})
    EXPECT_TRUE(contains(end.err, part)) << part << " in " << end.err;
  EXPECT_EQ(summary("a")["warnings"].size(), 2u) << "each is said once";
  EXPECT_EQ(test::text_of(folder_ / "a/scene.json"), "mine");
}

TEST_F(LostResults, AnotherTableIsNotContinued) {
  for (const std::string name : {"statistics.csv", "probes.csv"}) {
    begin_run("a" + name);
    test::write_text(folder_ / ("a" + name) / name, "week,hours\n1,40\n2,41");
    const Finished rest = merganser({"run", "a" + name, "--resume", "--end-time", "0.15"});
    EXPECT_EQ(rest.exit_code, 2) << rest.err;
    EXPECT_TRUE(contains(rest.err, "/" + name)) << rest.err;
    EXPECT_EQ(test::text_of(folder_ / ("a" + name) / name), "week,hours\n1,40\n2,41");
  }
}

TEST_F(LostResults, TablesThatGoDuringARunEndIt) {
  const auto removed = [](const std::filesystem::path& file) { std::filesystem::remove(file); };
  const auto replaced = [](const std::filesystem::path& file) {
    std::filesystem::rename(file, file.string() + ".moved");
    test::write_text(file, "mine");
  };
  const auto shortened = [](const std::filesystem::path& file) { std::filesystem::resize_file(file, 0); };
  int number = 0;
  for (const std::function<void(const std::filesystem::path&)>& lose :
       {std::function<void(const std::filesystem::path&)>(removed), {replaced}, {shortened}})
    for (const std::string name : {"statistics.csv", "probes.csv"}) {
      const std::string run = "a" + std::to_string(number++);
      const auto process = slow_run(run);
      lose(folder_ / run / name);
      const Finished end = process->wait_at_most(20);
      EXPECT_EQ(end.exit_code, 5) << end.err;
      EXPECT_TRUE(contains(end.err, "/" + name)) << end.err;
      EXPECT_TRUE(contains(end.err, "last good checkpoint")) << end.err;
      EXPECT_EQ(summary(run)["exit_code"], 5);
    }
  EXPECT_EQ(test::text_of(folder_ / "a2/statistics.csv"), "mine");
  EXPECT_EQ(test::text_of(folder_ / "a3/probes.csv"), "mine");
}

TEST_F(LostResults, AFolderThatGoesDuringARunCannotBeResumed) {
  const auto removed = slow_run("a");
  // Removed at one stroke, so that no frame is written in between.
  std::filesystem::rename(folder_ / "a", folder_ / "gone");
  std::filesystem::remove_all(folder_ / "gone");
  const Finished end = removed->wait_at_most(20);
  EXPECT_EQ(end.exit_code, 5) << end.err;
  EXPECT_TRUE(contains(end.err, "'a'")) << end.err;
  EXPECT_FALSE(contains(end.err, "--resume continues from it")) << end.err;
  EXPECT_TRUE(contains(end.err, "nothing to resume")) << end.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(LostResults, NothingIsWrittenIntoAFolderThatHasTakenThePlace) {
  const auto process = slow_run("a");
  std::filesystem::rename(folder_ / "a", folder_ / "kept");
  std::filesystem::create_directories(folder_ / "a/frames");
  const Finished end = process->wait_at_most(20);
  EXPECT_EQ(end.exit_code, 5) << end.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "a/frames"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/summary.json"));
  EXPECT_EQ(merganser({"run", "kept", "--resume", "--steps", "1"}).exit_code, 0);
}

TEST_F(LostResults, CheckpointsThatGoDuringARunAreNotRecommended) {
  scene(R"("endTime": 60, "divergeAt": 200, "pause": 5)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--steps", "20"}).exit_code, 0);
  ChildProcess process(folder_.path(),
                       command({"run", "a", "--resume", "--end-time", "60", "--checkpoint-every", "0"}));
  for (int i = 0; i < 2000 && rows("a").size() < 30; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::filesystem::remove_all(folder_ / "a/checkpoint");
  const Finished end = process.wait_at_most(20);
  EXPECT_EQ(end.exit_code, 4) << end.err;
  EXPECT_FALSE(contains(end.err, "--resume continues from it")) << end.err;
  EXPECT_TRUE(contains(end.err, "nothing to resume")) << end.err;
}

TEST_F(LostResults, DamagedCheckpointsAloneSaySoAndStay) {
  begin_run("a");
  ASSERT_EQ(merganser({"run", "a", "--resume", "--steps", "110"}).exit_code, 0);
  const auto files = list_checkpoints(folder_ / "a/checkpoint");
  ASSERT_EQ(files.size(), 2u);
  for (const auto& file : files) std::filesystem::resize_file(file, 700);
  const Finished rest = merganser({"run", "a", "--resume", "--end-time", "0.15"});
  EXPECT_EQ(rest.exit_code, 5) << rest.err;
  EXPECT_FALSE(contains(rest.err, "renamed") || contains(rest.err, "previous one")) << rest.err;
  for (const auto& file : files) {
    EXPECT_TRUE(contains(rest.err, file.filename().string())) << rest.err;
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_TRUE(contains(rest.err, "--overwrite")) << rest.err;
}

TEST_F(LostResults, SpecialFilesInARunsFolderAreRefusedAtOnce) {
  int number = 0;
  for (const std::string name : {"statistics.csv", "summary.json", "scene.json", "checkpoint", "frames",
                                 "checkpoint/checkpoint_000000100.h5", "summary.json.tmp"})
    for (const bool fifo : {true, false}) {
      if (!fifo && (name == "frames" || name == "checkpoint")) continue;
      const std::string run = "a" + std::to_string(number++);
      begin_run(run);
      const auto path = folder_ / run / name;
      std::filesystem::remove_all(path);
      if (fifo)
        ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
      else
        std::filesystem::create_directory(path);
      const Finished rest =
          ChildProcess(folder_.path(), command({"run", run, "--resume", "--end-time", "0.15"}))
              .wait_at_most(20);
      EXPECT_TRUE(rest.exit_code == 2 || rest.exit_code == 5) << name << rest.exit_code << rest.err;
      EXPECT_TRUE(contains(rest.err, name)) << rest.err;
      EXPECT_TRUE(std::filesystem::exists(path));
    }
}

}  // namespace lost_results_test
}  // namespace merganser
