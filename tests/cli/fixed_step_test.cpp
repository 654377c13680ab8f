/// A fixed time step beyond the bound of [MS] sec. 5.1: said once in the log, counted in the summary, no
/// error.
#include "tests/support/fake_run.h"

namespace merganser {
namespace fixed_step_test {

struct FixedStep : test::FakeRuns {
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
};

TEST_F(FixedStep, TooLongIsSaidOnceAndCounted) {
  scene(R"("endTime": 0.05, "cflTimeStep": 1e-4)");
  const test::Finished run = merganser({"run", "scene.json", "-o", "a"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(count(run.err, "simulation.timeStepSize"), 1u) << run.err;
  EXPECT_NE(run.err.find("0.0001 s"), run.err.npos) << run.err;
  const auto warnings = summary("a")["warnings"];
  ASSERT_EQ(warnings.size(), 1u);
  const std::string steps = std::to_string(rows("a").size() - 1);
  EXPECT_TRUE(warnings[0].get<std::string>().starts_with(steps + " steps")) << warnings[0];
}

TEST_F(FixedStep, TheCountGoesOnAfterAResume) {
  scene(R"("endTime": 0.05, "cflTimeStep": 1e-4)");
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "whole"}).exit_code, 0);
  ASSERT_EQ(merganser({"run", "scene.json", "-o", "parts", "--steps", "7"}).exit_code, 0);
  const test::Finished rest =
      merganser({"run", "scene.json", "-o", "parts", "--resume", "--end-time", "0.05"});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(count(rest.err, "simulation.timeStepSize"), 0u) << "said before";
  EXPECT_EQ(summary("whole")["warnings"], summary("parts")["warnings"]);
}

TEST_F(FixedStep, ShortEnoughIsNotMentioned) {
  scene(R"("endTime": 0.05)");
  const test::Finished run = merganser({"run", "scene.json", "-o", "a"});
  EXPECT_EQ(count(run.err, "timeStepSize"), 0u) << run.err;
  EXPECT_TRUE(summary("a")["warnings"].empty());
}

}  // namespace fixed_step_test
}  // namespace merganser
