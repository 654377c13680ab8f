/// Values and failures at the border: what is not a number, what is too long, streams that cannot be written,
/// and the exit code of a failed check.
#include <sys/stat.h>

#include <fstream>

#include "tests/support/fake_run.h"

namespace merganser {
namespace messages_test {

using test::ChildProcess;
using test::Finished;

using test::contains;

class Messages : public test::FakeRuns {
 protected:
  /// Runs a line of the shell in which $M is the program.
  Finished shell(const std::string& line, size_t file_size_limit = 0) {
    const std::string program = test::beside_the_tests("merganser_fake");
    return ChildProcess(folder_.path(), {"/bin/sh", "-c", "M='" + program + "'\n" + line}, file_size_limit)
        .wait_at_most(30);
  }
};

TEST_F(Messages, NumbersThatAreNoneNameOptionValueAndRange) {
  scene(R"("endTime": 0.01)");
  using Arguments = std::vector<std::string>;
  const Arguments run{"run", "scene.json", "-o", "a"}, sample{"sample", "b.obj", "-o", "p.csv"},
      surface{"surface", "a"}, check{"check", "scene.json"}, benchmark{"benchmark"};
  struct Case {
    Arguments command;
    std::string option;
    Arguments values;
  };
  const Arguments no_positive{"0",      "-1", "nan", "inf", "-inf", "-nan", "1e999",
                              "1e-999", "",   " ",   "1x",  "0x10", "one"},
      no_zero_or_more{"-1", "nan", "inf", "1e999", "", "1,5"},
      no_count{"-1", "1.5", "1e3", "nan", "99999999999999999999", "", "0x10"};
  for (const Case& c : std::vector<Case>{
           {run, "--resolution", no_positive},
           {check, "--resolution", no_positive},
           {sample, "--spacing", no_positive},
           {sample, "--spacing", {"1.9e-9", "2.1e6"}},
           {run, "--end-time", no_positive},
           {run, "--end-time", {"1e31"}},
           {run, "--checkpoint-every", no_zero_or_more},
           {run,
            "--max-wall-time",
            {"", "nan", "inf", "-1", "0", "1:2:3:4", "1:99:00", "1:00:60", "1-24:00:00", "soon"}},
           {run, "--frames", no_count},
           {run, "--frames", {"0", "2147483648"}},
           {run, "--steps", no_count},
           {run, "--seed", no_count},
           {run, "--seed", {"4294967296"}},
           {run, "--threads", no_count},
           {run, "--threads", {"0", "1025", "100000"}},
           {benchmark, "--threads", {"0", "-1", "nan"}},
           {surface, "--cell-size", {"nan", "0", "0.01", "2", ""}},
           {surface, "--smooth", {"-1", "1001", "nan"}},
           {surface, "--refine", {"-1", "21", "1.5"}}})
    for (const std::string& value : c.values) {
      Arguments arguments = c.command;
      arguments.insert(arguments.end(), {c.option, value});
      const auto run_of = merganser(arguments);
      EXPECT_EQ(run_of.exit_code, 2) << c.option << " '" << value << "': " << run_of.err;
      EXPECT_TRUE(contains(run_of.err, c.option) && contains(run_of.err, "'" + value + "'") &&
                  contains(run_of.err, "allowed"))
          << c.option << " '" << value << "': " << run_of.err;
      EXPECT_LT(run_of.err.size(), 250u) << run_of.err;
    }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(Messages, NumbersAtTheBorderAreTaken) {
  scene(R"("endTime": 0.01)");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--resolution", "1e-3"},
                                             {"--resolution", "+2.5"},
                                             {"--seed", "4294967295", "--threads", "1"},
                                             {"--checkpoint-every", "0", "--max-wall-time", "1-00:00:00"},
                                             {"--max-wall-time", "90:00"},
                                             {"--frames", "1"},
                                             {"--steps", "0"},
                                             {"--end-time", "1e-3"}}) {
    std::vector<std::string> arguments{"run", "scene.json", "-o", "a", "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto run = merganser(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
}

/// What help says of the options that end a run is what they take.
TEST_F(Messages, HelpSaysWhichNumbersEndARun) {
  const std::string help = merganser({"run", "--help"}).out;
  const auto kind_of = [&](const std::string& option) {
    const size_t at = help.find("\n  " + option + " ");
    return at == help.npos ? "none" : help.substr(at + 1, help.find('\n', at + 1) - at - 1);
  };
  for (const char* option : {"--frames", "--end-time"})
    EXPECT_TRUE(contains(kind_of(option), "POSITIVE")) << kind_of(option);
  EXPECT_TRUE(contains(kind_of("--steps"), "NONNEGATIVE")) << kind_of("--steps");
}

TEST_F(Messages, LongInputIsShortened) {
  scene(R"("endTime": 0.01)");
  const std::string length(100000, 'x');
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{length},
                                             {"run", "scene.json", "--" + length},
                                             {"run", "scene.json", length},
                                             {"run", "scene.json", "--resolution", length},
                                             {"run", "scene.json", "--resolution", std::string(100000, '9')},
                                             {"run", "scene.json", "--max-wall-time", length},
                                             {"run", "scene.json", "--device", length},
                                             {"run", "scene.json", "--set", length},
                                             {"run", length},
                                             {"sample", "b.obj", "--spacing", "1", "-o", length},
                                             {"surface", "a", "--method", length},
                                             {"surface", "a", "--frames", length},
                                             {"run", "scene.json", "--set", "a\nb\x1b[31m"}}) {
    const auto run = merganser(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.err.substr(0, 1000);
    EXPECT_LT(run.err.size(), 1500u) << run.err.substr(0, 1000);
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err.substr(0, 1000);
    EXPECT_FALSE(contains(run.err, "\x1b"));
  }
}

TEST_F(Messages, AFullStandardErrorDoesNotEndTheProgram) {
  scene(R"("endTime": 0.1)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, 0);
  scene(R"("endTime": 0.1, "divergeAt": 30)");
  test::write_text(folder_ / "good.json", R"({"endTime": 0.1})");
  test::write_text(folder_ / "full", std::string(1 << 20, '-'));
  const size_t limit = 1 << 20;
  EXPECT_EQ(shell("exec \"$M\" run good.json -o a 2>>full", limit).exit_code, 0);
  expect_equal_runs("reference", "a");
  EXPECT_EQ(shell("exec \"$M\" run missing.json -o b 2>>full", limit).exit_code, 2);
  EXPECT_EQ(shell("exec \"$M\" run scene.json -o b 2>>full", limit).exit_code, 4);
  EXPECT_EQ(shell("exec \"$M\" fly 2>>full", limit).exit_code, 2);
  for (const char* prints : {"schema", "--help", "--version", "run --help"}) {
    const Finished full = shell(std::string("exec \"$M\" ") + prints + " >>full", limit);
    EXPECT_EQ(full.exit_code, 5) << prints;
    EXPECT_TRUE(contains(full.err, "standard output")) << full.err;
  }
}

TEST_F(Messages, AClosedPipeDoesNotEndTheProgram) {
  scene(R"("endTime": 0.1, "divergeAt": 30)");
  // The pipe's reader is gone before the program starts.
  const auto into_closed_pipe = [&](const std::string& arguments) {
    shell("{ sleep 0.2; \"$M\" " + arguments + "; echo $? > code; } 2>&1 | true");
    return test::text_of(folder_ / "code");
  };
  EXPECT_EQ(into_closed_pipe("run missing.json"), "2\n");
  EXPECT_EQ(into_closed_pipe("run scene.json -o a"), "4\n");
  EXPECT_EQ(into_closed_pipe("schema"), "5\n");
}

TEST_F(Messages, ClosedStreamsDoNotMixTextIntoFiles) {
  scene(R"("endTime": 0.1, "checks": [{"type": "maxSpeed", "limit": 100}])");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "reference"}).exit_code, 0);
  ASSERT_EQ(shell("exec \"$M\" run scene.json -o a >&- 2>&-").exit_code, 0);
  expect_equal_runs("reference", "a");
}

TEST_F(Messages, AFailedCheckIsSix) {
  scene(
      R"("endTime": 0.02, "crossingAt": 3, "checks": [{"type": "noCrossing"}, {"type": "maxSpeed", "limit": 100}])");
  const auto run = merganser({"run", "scene.json", "-o", "a"});
  EXPECT_EQ(run.exit_code, 6) << run.err;
  EXPECT_TRUE(contains(run.err, "check noCrossing FAILED: 1, reached at step 3")) << run.err;
  EXPECT_EQ(summary("a")["exit_code"], 6);
  EXPECT_EQ(summary("a")["exit_reason"], "finished");
  EXPECT_TRUE(contains(summary("a")["message"], "noCrossing")) << summary("a")["message"];

  const auto again = merganser({"run", "a", "--resume", "--quiet"});
  EXPECT_EQ(again.exit_code, 6) << again.err;
  EXPECT_EQ(again.err, "merganser: check noCrossing FAILED: 1, reached at step 3\n");
  EXPECT_EQ(merganser({"run", "a", "--resume", "--end-time", "0.03", "-q"}).exit_code, 6);
  EXPECT_TRUE(contains(merganser({"--help"}).out, "6 done, but a check of the scene failed"));
}

TEST_F(Messages, AStoppedRunIsSeventyFiveWhateverItsChecksSay) {
  scene(R"("endTime": 20, "crossingAt": 1, "pause": 1, "checks": [{"type": "noCrossing"}])");
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "a", "--max-wall-time", "0.1"}).exit_code, 75);
}

TEST_F(Messages, WhatOnlyReportsDoesNotPass) {
  scene(
      R"("endTime": 0.02, "crossingAt": 3, "checks": [{"type": "reportCrossings", "system": "water", "sheet": "cloth"},
           {"type": "reportRebound"}])");
  const auto run = merganser({"run", "scene.json", "-o", "a"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "crossings of water through cloth: 1, reached at step 3")) << run.err;
  EXPECT_TRUE(contains(run.err, "rebound")) << run.err;
  EXPECT_FALSE(contains(run.err, "passed")) << run.err;
  const nlohmann::json made = summary("a");
  ASSERT_FALSE(made["checks"].empty());
  for (const auto& check : made["checks"]) EXPECT_FALSE(check.contains("passed")) << check;
}

}  // namespace messages_test
}  // namespace merganser
