/// Commands, messages and exit codes of the command line (host/README.md, "Exit codes").
#include "tests/support/fake_run.h"

namespace merganser {
namespace command_line_test {

struct CommandLine : test::FakeRuns {};

using test::contains;

/// One line that begins with "merganser: error: ".
void expect_one_error_line(const test::Finished& run, int exit_code) {
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  const size_t at = run.err.find("merganser: error: ");
  ASSERT_NE(at, run.err.npos) << run.err;
  EXPECT_EQ(run.err.find('\n', at), run.err.size() - 1) << run.err;
}

TEST_F(CommandLine, ARunLeavesItsFolder) {
  scene(R"("endTime": 0.1, "checks": [{"type": "maxSpeed", "limit": 100}, {"type": "noCrossing"}])");
  const auto run = merganser({"run", "scene.json", "--device", "cpu", "--threads", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "finished")) << run.err;
  EXPECT_TRUE(contains(run.err, "check maxSpeed passed")) << run.err;
  EXPECT_FALSE(contains(run.err, "\r"));  // no progress line where stderr is no terminal
  EXPECT_EQ(frames("runs/scene").size(), 6u);
  const auto json = summary("runs/scene");
  EXPECT_EQ(json["exit_reason"], "finished");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_EQ(json["frames"], 6);
  EXPECT_EQ(json["simulated_time"], 0.1);
  EXPECT_EQ(json["steps"], rows("runs/scene").size() - 1);
  EXPECT_EQ(json["checks"].size(), 2u);
  const auto newest = read_newest_checkpoint(folder_ / "runs/scene/checkpoint");
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->checkpoint.time, 0.1);
  const auto series =
      nlohmann::json::parse(test::text_of(folder_ / "runs/scene/frames/frames.vtkhdf.series"));
  for (int k = 0; k < 6; ++k) EXPECT_EQ(series["files"][k]["time"], k / 50.0);
}

TEST_F(CommandLine, QuietPrintsFailedChecksOnly) {
  scene(
      R"("endTime": 0.02, "crossingAt": 3, "checks": [{"type": "maxSpeed", "limit": 100}, {"type": "noCrossing"}])");
  const auto run = merganser({"run", "scene.json", "-q", "--device", "cpu"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_EQ(run.err, "merganser: check noCrossing FAILED: 1, reached at step 3\n");
  EXPECT_EQ(summary("runs/scene")["checks"][1]["passed"], false);
}

TEST_F(CommandLine, FramesStepsAndEndTimeEndARun) {
  scene(R"("endTime": 10)");
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "a", "--frames", "2"}).exit_code, 0);
  EXPECT_EQ(frames("a").size(), 3u);
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "b", "--steps", "7"}).exit_code, 0);
  EXPECT_EQ(summary("b")["steps"], 7);
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "c", "--end-time", "0.031"}).exit_code, 0);
  EXPECT_EQ(summary("c")["simulated_time"], 0.031);
  EXPECT_EQ(frames("c").size(), 2u);
  expect_one_error_line(merganser({"run", "scene.json", "--frames", "2", "--steps", "7"}), 2);
}

TEST_F(CommandLine, WrongCommandLinesAndScenesAreTwo) {
  scene(R"("endTime": 0.01)");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"fly"},
                                             {"run"},
                                             {"run", "scene.json", "--no-such-option"},
                                             {"run", "scene.json", "--resolution", "-1"},
                                             {"run", "scene.json", "--max-wall-time", "soon"},
                                             {"run", "scene.json", "--device", "abacus"},
                                             {"run", "missing.json"},
                                             {"run", "scene.json", "--set", "nonsense=1"},
                                             {"run", "."},
                                             {"check", "missing.json"},
                                             {"run", "scene.json", "--resume", "--overwrite"}})
    expect_one_error_line(merganser(arguments), 2);
  EXPECT_FALSE(
      std::filesystem::exists(folder_ / "runs"));  // nothing is created for a run that does not start
}

TEST_F(CommandLine, AnEarlierRunIsNotOverwritten) {
  scene(R"("endTime": 0.01)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 0);
  test::write_text(folder_ / "a/frames/mine.txt", "mine");
  const auto again = merganser({"run", "scene.json", "-o", "a"});
  expect_one_error_line(again, 2);
  EXPECT_TRUE(contains(again.err, "finished") && contains(again.err, "--overwrite") &&
              contains(again.err, "--resume"));
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "a", "--overwrite", "--set", "seed=9"}).exit_code, 0);
  EXPECT_EQ(summary("a")["seed"], 9);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a/frames/mine.txt"));
}

TEST_F(CommandLine, NoSuchDeviceIsThree) {
  scene(R"("endTime": 0.01)");
  const auto run = merganser({"run", "scene.json", "--device", "cuda:99"});
  expect_one_error_line(run, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs"));
}

TEST_F(CommandLine, OutOfMemoryInAStepIsThree) {
  scene(R"("outOfMemoryAt": 5)");
  expect_one_error_line(merganser({"run", "scene.json", "-o", "a"}), 3);
  EXPECT_EQ(summary("a")["exit_reason"], "device error");
}

TEST_F(CommandLine, DivergenceIsFourAndNamesTheCheckpoint) {
  scene(R"("divergeAt": 30)");
  const auto run = merganser({"run", "scene.json", "-o", "a", "--checkpoint-every", "1e-9"});
  expect_one_error_line(run, 4);
  EXPECT_TRUE(contains(run.err, "particle 3 of body 'drop'")) << run.err;
  EXPECT_TRUE(contains(run.err, "a/checkpoint/checkpoint_000000029.h5")) << run.err;
  EXPECT_EQ(summary("a")["exit_reason"], "diverged");
  EXPECT_EQ(summary("a")["steps"], 29);
  EXPECT_EQ(read_newest_checkpoint(folder_ / "a/checkpoint")->checkpoint.step, 29);

  const auto early = merganser({"run", "scene.json", "-o", "b", "--checkpoint-every", "0"});
  expect_one_error_line(early, 4);
  EXPECT_TRUE(contains(early.err, "no checkpoint was written yet")) << early.err;
}

TEST_F(CommandLine, AFolderThatCannotBeWrittenIsFive) {
  scene(R"("endTime": 0.01)");
  test::write_text(folder_ / "file", "in the way");
  expect_one_error_line(merganser({"run", "scene.json", "-o", "file/a"}), 5);
}

/// As a variable gives it that a script did not set: not the same as no option.
TEST_F(CommandLine, EmptyValuesAreRefused) {
  scene(R"("endTime": 0.01)");
  for (const auto& [command, option] : {std::pair("run", "--from"),
                                        {"run", "-o"},
                                        {"surface", "-o"},
                                        {"surface", "--system"},
                                        {"surface", "--frames"},
                                        {"skin", "-o"},
                                        {"skin", "--body"},
                                        {"benchmark", "--json"}}) {
    SCOPED_TRACE(std::string(command) + " " + option);
    const auto refused = std::string(command) == "benchmark" ? merganser({command, option, ""})
                                                             : merganser({command, "scene.json", option, ""});
    expect_one_error_line(refused, 2);
    EXPECT_TRUE(contains(refused.err, "is empty; give a value or leave the option out")) << refused.err;
  }
  for (const char* command : {"run", "check"}) {
    const auto refused = merganser({command, ""});
    expect_one_error_line(refused, 2);
    EXPECT_TRUE(contains(refused.err, "SCENE: is empty; name a file")) << refused.err;
  }
}

TEST_F(CommandLine, OtherCommandsAnswer) {
  scene(R"("particles": 5)");
  EXPECT_EQ(merganser({"check", "scene.json"}).out, "free fall: 5 particles\n");
  EXPECT_EQ(merganser({"check", "scene.json", "--json", "--set", "particles=6"}).out, "{\"particles\": 6}\n");
  EXPECT_TRUE(nlohmann::json::accept(merganser({"schema"}).out));
  EXPECT_TRUE(contains(merganser({"devices"}).out, "cpu "));
  const auto devices = nlohmann::json::parse(merganser({"devices", "--json"}).out);
  EXPECT_EQ(devices["devices"].back()["device"], "cpu");
  EXPECT_EQ(merganser({"benchmark"}).exit_code, 0);
  EXPECT_TRUE(merganser({"--version"}).out.starts_with("merganser " MERGANSER_VERSION " (commit "));
  for (const char* name : {"run", "check", "schema", "devices", "benchmark", "sample", "surface"}) {
    EXPECT_TRUE(contains(merganser({"--help"}).out, name));
    EXPECT_EQ(merganser({name, "--help"}).exit_code, 0) << name;
  }
  EXPECT_EQ(merganser({"sample", "ball.obj", "--spacing", "0.1", "-o", "points.csv"}).exit_code, 0);
  EXPECT_EQ(test::text_of(folder_ / "points.csv"), "x,y,z\n0,0,0\n1,0,0\n");
}

TEST_F(CommandLine, SampleTakesItsMethods) {
  const auto sampled = [&](const std::string& method) {
    return merganser({"sample", "ball.obj", "--spacing", "0.1", "-o", "points.csv", "--device", "cpu",
                      "--method", method});
  };
  for (const auto& [method, other] : {std::pair("lattice", "1"), {"relaxed", "1"}, {"blueNoise", "2"}}) {
    EXPECT_EQ(sampled(method).exit_code, 0) << method;
    EXPECT_EQ(test::text_of(folder_ / "points.csv"), std::string("x,y,z\n0,0,0\n") + other + ",0,0\n")
        << method;
    EXPECT_TRUE(contains(merganser({"sample", "--help"}).out, method)) << method;
  }
  EXPECT_TRUE(contains(merganser({"sample", "--help"}).out, "Jiang"));
  const auto refused = sampled("bluenoise");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_TRUE(contains(refused.err, "blueNoise")) << refused.err;
}

}  // namespace command_line_test
}  // namespace merganser
