/// What rows of statistics show to be wrong: said once on stderr, and in the summary with its newest count.
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

}  // namespace faults_of_rows_test
}  // namespace merganser
