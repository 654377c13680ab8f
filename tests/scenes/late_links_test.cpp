/// Blocks of water that meet between two updates of their topological neighborhoods are named.
#include <gtest/gtest.h>

#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace late_links_test {

/// Two blocks at 2 m/s each whose first layers are 0.1 m apart, a little more than 2h = 0.096 m.
Played collision(const std::string& distance) {
  const auto block = [](const std::string& name, const std::string& low, const std::string& high,
                        const std::string& velocity) {
    return R"({"name": ")" + name + R"(", "shape": "box", "start": [0, 0, )" + low +
           R"(], "end": [0.2, 0.2, )" + high + R"(], "velocity": [0, 0, )" + velocity + "]}";
  };
  return Played(played_scene(
      R"("particleRadius": 0.02, "endTime": 0.04, "frameRate": 10, "gravitation": [0, 0, 0])",
      R"({"name": "water", "type": "sph", "soundSpeed": 30, "neighborhood": "topological", "topologyDistance": )" +
          distance + R"(, "bodies": [)" + block("low", "0", "0.2", "2") + "," +
          block("high", "0.26", "0.46", "-2") + "]}",
      ""));
}

std::string warnings_of(const Played& run) {
  std::string all;
  for (const std::string& warning : run.simulation->warnings_so_far()) all += warning;
  return all;
}

/// Updates after half of h see pairs at h; after h they see them where they lie in each other.
TEST(LateLinks, AreNamedWithStepAndCount) {
  Played late = collision("1"), timely = collision("0.5");
  late.until(0.04);
  timely.until(0.04);
  EXPECT_EQ(warnings_of(timely), "");
  const std::string said = warnings_of(late);
  for (const std::string part : {"systems.water were renewed too late", "first in step ", " pairs in ",
                                 "systems.water.topologyDistance to at most 0.5"})
    EXPECT_NE(said.find(part), said.npos) << part << " in " << said;
  // A checkpoint has it.
  Played resumed = collision("1");
  resumed.simulation->load(late.simulation->save());
  EXPECT_EQ(warnings_of(resumed), said);
}

}  // namespace late_links_test
MERGANSER_END
