/// What is wrong with a run: said once on stderr, and in the summary with its newest count, however the run
/// ends and is resumed.
#include <chrono>
#include <thread>

#include "tests/support/fake_run.h"

namespace merganser {
namespace faults_of_rows_test {

struct FaultsOfRows : test::FakeRuns {
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
};

TEST_F(FaultsOfRows, AreSaidOnceAndCountedInTheSummary) {
  scene(R"("endTime": 0.05, "faultAt": 7)");
  const test::Finished run = merganser({"run", "scene.json", "-o", "a", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(count(run.err, "warning: a fault, first in step 7, in 1 rows"), 1u) << run.err;
  EXPECT_EQ(count(run.err, "a fault"), 1u) << run.err;
  const auto warnings = summary("a")["warnings"];
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "a fault, first in step 7, in " + std::to_string(rows("a").size() - 7) + " rows");
}

TEST_F(FaultsOfRows, AResumedRunKnowsWhatWasSaid) {
  scene(R"("endTime": 0.05, "faultAt": 7)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "whole"}).exit_code, 0);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "parts", "--steps", "12"}).exit_code, 0);
  const test::Finished rest =
      merganser({"run", "scene.json", "-o", "parts", "--resume", "--end-time", "0.05"});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(count(rest.err, "a fault"), 0u) << rest.err;
  EXPECT_EQ(summary("whole")["warnings"], summary("parts")["warnings"]);
}

TEST_F(FaultsOfRows, AreInTheSummaryOfARunThatDiverges) {
  scene(R"("endTime": 0.05, "faultAt": 7, "divergeAt": 10)");
  EXPECT_EQ(merganser({"run", "scene.json", "-o", "a"}).exit_code, 4);
  EXPECT_EQ(summary("a")["warnings"].dump(), R"(["a fault, first in step 7, in 3 rows"])");
}

/// What is looked for now and then is looked for at every way out, too.
TEST_F(FaultsOfRows, HiddenOnesAreFoundAtEveryWayOut) {
  struct WayOut {
    std::string keys;
    std::vector<std::string> arguments;
    int exit_code;
    std::string said;
  };
  const std::vector<WayOut> ways{
      {R"("endTime": 0.05)", {}, 0, "a hidden fault, first seen in step "},
      {R"("endTime": 0.05)", {"--steps", "12"}, 0, "a hidden fault, first seen in step 12"},
      {R"("endTime": 5, "pause": 5)", {"--max-wall-time", "0.3"}, 75, "a hidden fault, first seen in step "},
      {R"("endTime": 0.05, "divergeAt": 10)", {}, 4, "a hidden fault, first seen in step 10"}};
  for (size_t k = 0; k < ways.size(); ++k) {
    const std::string run = "a" + std::to_string(k);
    SCOPED_TRACE(ways[k].keys);
    scene(ways[k].keys + R"(, "hiddenFaultAt": 7)");
    std::vector<std::string> arguments{"run", "scene.json", "-o", run, "--quiet"};
    arguments.insert(arguments.end(), ways[k].arguments.begin(), ways[k].arguments.end());
    const test::Finished ended = merganser(arguments);
    EXPECT_EQ(ended.exit_code, ways[k].exit_code) << ended.err;
    EXPECT_EQ(count(ended.err, "warning: " + ways[k].said), 1u) << ended.err;
    EXPECT_EQ(count(summary(run)["warnings"].dump(), ways[k].said), 1u) << summary(run)["warnings"];
  }
}

TEST_F(FaultsOfRows, HiddenOnesOfAStoppedRunStayAndAreNotSaidAgain) {
  scene(R"("endTime": 0.05, "pause": 1, "hiddenFaultAt": 7)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "a", "--steps", "12"}).exit_code, 0);
  const nlohmann::json known = summary("a")["warnings"];
  ASSERT_EQ(known.size(), 1u);
  // A kill leaves the summary of the beginning, and no word of what was found before it.
  test::ChildProcess process(folder_.path(), command({"run", "a", "--resume", "--end-time", "60"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.send(SIGKILL);
  process.wait();
  std::filesystem::remove(folder_ / "a/summary.json");
  const test::Finished rest = merganser({"run", "a", "--resume", "--end-time", "0.05"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(count(rest.err, "fault"), 0u) << rest.err;
  EXPECT_EQ(summary("a")["warnings"], known);
}

/// What is said before the first step, whoever says it.
TEST_F(FaultsOfRows, WarningsOfTheStartAreKept) {
  scene(R"("endTime": 0.05, "note": "a body of one layer", "setupWarning": "a factor too large",
           "resourceWarning": "too many frames for the disk")");
  const test::Finished first = merganser({"run", "scene.json", "-o", "a", "--steps", "12"});
  const std::vector<std::string> said{"too many frames for the disk", "a factor too large",
                                      "a body of one layer"};
  for (const std::string& warning : said)
    EXPECT_EQ(count(first.err, "warning: " + warning + "\n"), 1u) << first.err;
  EXPECT_EQ(summary("a")["warnings"], nlohmann::json(said));
  const test::Finished rest = merganser({"run", "a", "--resume", "--end-time", "0.05"});
  EXPECT_EQ(count(rest.err, "a factor too large"), 0u) << rest.err;
  EXPECT_EQ(summary("a")["warnings"], nlohmann::json(said));
}

/// Limits of wall time that leave no room for a step.
TEST_F(FaultsOfRows, SessionsWithoutAStepAreInTheSummary) {
  scene(R"("endTime": 0.05)");
  const test::Finished run = merganser({"run", "scene.json", "-o", "a", "--max-wall-time", "0.000001"});
  EXPECT_EQ(run.exit_code, 75);
  EXPECT_EQ(count(run.err, "before the first step of this session"), 1u) << run.err;
  EXPECT_EQ(count(summary("a")["warnings"].dump(), "before the first step of this session"), 1u);
}

/// What a scene says that is seldom meant: once a run, and in the summary of every session.
TEST_F(FaultsOfRows, NotesOnTheSceneAreKeptAndSaidOnce) {
  scene(R"("endTime": 0.05, "note": "an emitter in a wall\na body of one layer\n", "faultAt": 7)");
  const test::Finished first = merganser({"run", "scene.json", "-o", "a", "--steps", "12"});
  EXPECT_EQ(count(first.err, "warning: an emitter in a wall\n"), 1u) << first.err;
  const auto expect_kept = [&] {
    const nlohmann::json warnings = summary("a")["warnings"];
    ASSERT_EQ(warnings.size(), 3u) << warnings;
    EXPECT_EQ(warnings[0], "an emitter in a wall");
    EXPECT_EQ(warnings[1], "a body of one layer");
  };
  expect_kept();
  const test::Finished rest = merganser({"run", "a", "--resume", "--end-time", "0.05"});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(count(rest.err, "warning:"), 0u) << rest.err;
  expect_kept();
}

}  // namespace faults_of_rows_test
}  // namespace merganser
