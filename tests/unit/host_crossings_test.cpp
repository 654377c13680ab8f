/// Crossings in checks and in the summary: how many particles were followed, and how many crossed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/checks/run_checks.h"
#include "host/run/summary.h"
#include "tests/support/zero_row.h"

namespace merganser {
namespace host_crossings_test {

StepStatistics row_with(long long passages, long long crossed, long long followed) {
  StepStatistics row = test::zero_row();
  row.step = 7;
  row.set("crossings", double(passages));
  row.set("crossed_particles", double(crossed));
  row.set("followed_particles", double(followed));
  return row;
}

CheckParameters check_of(const std::string& type, const std::string& system = "",
                         const std::string& sheet = "") {
  CheckParameters check;
  check.type = type;
  check.system = system;
  check.sheet = sheet;
  return check;
}

TEST(HostCrossings, ChecksSayHowManyParticlesWereFollowed) {
  RunChecks checks({check_of("noCrossing", "water", "sheet"), check_of("reportCrossings", "water", "sheet"),
                    check_of("finite")},
                   1);
  checks.observe(row_with(0, 0, 5103));
  EXPECT_NE(RunChecks::describe(checks.results()[0]).find("(water through sheet) passed: 0, 5103 followed"),
            std::string::npos)
      << RunChecks::describe(checks.results()[0]);
  checks.observe(row_with(75, 73, 5103));
  for (int check : {0, 1}) {
    const std::string text = RunChecks::describe(checks.results()[size_t(check)]);
    EXPECT_NE(text.find(": 75 by 73 particles, 5103 followed"), std::string::npos) << text;
  }
  EXPECT_EQ(RunChecks::describe(checks.results()[2]).find("followed"), std::string::npos);

  // A run that is resumed after its last step still says it.
  StateArchive archive;
  checks.save(archive);
  RunChecks resumed({check_of("noCrossing", "water", "sheet"), check_of("reportCrossings", "water", "sheet"),
                     check_of("finite")},
                    1);
  resumed.load(archive);
  EXPECT_EQ(RunChecks::describe(resumed.results()[0]), RunChecks::describe(checks.results()[0]));
}

TEST(HostCrossings, SummarySaysHowManyParticlesWereFollowed) {
  RunChecks checks({check_of("noCrossing", "water", "sheet"), check_of("finite")}, 1);
  checks.observe(row_with(3, 2, 40));
  Summary summary;
  summary.checks = checks.results();
  const auto json = nlohmann::json::parse(summary_json(summary, {}));
  EXPECT_EQ(json["checks"][0]["particles_followed"], 40);
  EXPECT_EQ(json["checks"][0]["particles_crossed"], 2);
  EXPECT_FALSE(json["checks"][1].contains("particles_followed"));
}

}  // namespace host_crossings_test
}  // namespace merganser
