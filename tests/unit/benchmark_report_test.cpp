/// Results that a benchmark keeps of finished cases, and its estimate of the time left.
#include <gtest/gtest.h>

#include "device/errors.h"
#include "host/benchmark/benchmark_report.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace benchmark_report_test {

/// A report into `folder`/results.json, and what is in it.
class BenchmarkReports : public testing::Test {
 protected:
  nlohmann::json written() const {
    const std::string text = test::text_of(options.json_file);
    return nlohmann::json::accept(text) ? nlohmann::json::parse(text) : nlohmann::json();
  }
  static BenchmarkResult result_of(const std::string& words) {
    BenchmarkResult result;
    result.name = "set";
    result.case_name = words;
    result.particles = 7;
    return result;
  }
  test::TemporaryFolder folder;
  BenchmarkOptions options{.json_file = folder / "results.json"};
};

TEST_F(BenchmarkReports, EveryResultIsInTheFileAtOnce) {
  BenchmarkReport report({{"version", "1"}}, options, 1);
  EXPECT_EQ(written()["results"].size(), 0u);
  report.begin("set");
  report.expect({1, 1, 1});
  for (size_t k = 1; k <= 2; ++k) {
    report.begin_case("case " + std::to_string(k));
    report.add(result_of("case " + std::to_string(k)));
    ASSERT_EQ(written()["results"].size(), k);
    EXPECT_EQ(written()["results"][k - 1]["case"], "case " + std::to_string(k));
    EXPECT_EQ(written()["finished"], false);
  }
  report.finish();
  EXPECT_EQ(written()["finished"], true);
  EXPECT_EQ(written()["version"], "1");
}

TEST_F(BenchmarkReports, AnEarlierFileStaysUntilThereIsAResult) {
  test::write_text(options.json_file, "earlier");
  BenchmarkReport report({}, options, 1);
  report.begin("set");
  report.begin_case("");
  EXPECT_EQ(test::text_of(options.json_file), "earlier");
  report.add(result_of(""));
  EXPECT_EQ(written()["results"].size(), 1u);
}

TEST_F(BenchmarkReports, AWrongPathIsAnErrorBeforeTheFirstCase) {
  options.json_file = folder / "nowhere" / "results.json";
  EXPECT_THROW(BenchmarkReport({}, options, 1), FileError);
}

TEST_F(BenchmarkReports, StopsBetweenStepsAndKeepsWhatIsDone) {
  bool asked = false;
  options.stopped = [&] { return asked; };
  BenchmarkReport report({}, options, 1);
  report.begin("set");
  report.expect({1, 1});
  report.begin_case("first");
  report.at(0.5);
  report.add(result_of("first"));
  report.begin_case("second");
  asked = true;
  EXPECT_THROW(report.at(0.1), BenchmarkStopped);
  EXPECT_EQ(written()["results"].size(), 1u);
  EXPECT_EQ(report.kept(), "1 result is in '" + options.json_file.string() + "'");
}

TEST_F(BenchmarkReports, TheLineNamesTheCase) {
  BenchmarkReport report({}, options, 3);
  report.begin("triad"), report.begin("set");
  report.expect({1, 1, 1, 1});
  report.begin_case("first"), report.begin_case("second");
  report.at(0.25);
  EXPECT_EQ(report.line().find("set (2 of 3), case 2 of 4: second: 25 %, about "), 0u) << report.line();
}

TEST(TimeLeft, IsLearntFromStepsAndFromCasesThatAreDone) {
  TimeLeft left({1, 2, 5});
  EXPECT_EQ(left.seconds(10, 0, 0), -1);  // nothing is known
  // 4 s set up, 10 s for a quarter of the steps: 44 s in all, 30 s of them left, 7 times as much to come.
  EXPECT_DOUBLE_EQ(left.seconds(14, 10, 0.25), 30 + 7 * 44);
  left.case_done(10);
  EXPECT_DOUBLE_EQ(left.seconds(5, 0, 0), 15 + 50);
  // Longer than expected of a case of cost 2: others of that cost, too. (10 + 50) / 3 s a unit.
  EXPECT_DOUBLE_EQ(left.seconds(50, 0, 0), 0 + 5 * 20);
  left.case_done(50), left.case_done(100);
  EXPECT_EQ(left.cases_done(), 3u);
  EXPECT_EQ(left.seconds(0, 0, 0), 0);
}

}  // namespace benchmark_report_test
}  // namespace merganser
