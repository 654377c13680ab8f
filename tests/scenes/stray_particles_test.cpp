/// Particles that end up behind walls or too far off are named with place and count.
#include <gtest/gtest.h>

#include "device/errors.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace stray_particles_test {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string warnings_of(const Played& run) {
  std::string all;
  for (const std::string& warning : run.simulation->warnings_so_far()) all += warning;
  return all;
}

std::string sheet(const std::string& velocity) {
  return R"({"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet",
     "origin": [0, 0, 0.1], "edgeU": [0.3, 0, 0], "edgeV": [0, 0.3, 0], "arealDensity": 1,
     "stretchStiffness": 100, "velocity": )" +
         velocity + "}]}";
}

/// A plate that goes on through the floor leaves no place: the 16 particles are behind one of both.
TEST(StrayParticles, BehindWallsAreNamed) {
  const auto between = [](const std::string& speed) {
    return Played(played_scene(R"("particleRadius": 0.05, "endTime": 0.8)", sheet("[0, 0, 0]"),
                               R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
      {"shape": "plane", "name": "plate", "point": [0, 0, 0.4], "normal": [0, 0, -1],
       "motion": {"velocity": [0, 0, )" +
                                   speed + "]}}"));
  };
  Played closing = between("-1"), open = between("0");
  closing.until(0.8);
  const std::string said = warnings_of(closing);
  EXPECT_TRUE(holds(said, "behind walls") && holds(said, "at most 16 at the end of a frame") &&
              holds(said, "walls.") && holds(said, "of systems.cloth.bodies.sheet at ("))
      << said;
  open.until(0.8);
  EXPECT_EQ(warnings_of(open), "");
}

/// 8,192 spacings of 0.1 m at 5e4 m/s: 819 m after 0.0164 s, told at the end of the frame, t = 0.02 s. At
/// 1e6 radii, 50 km, the run ends.
TEST(StrayParticles, FarOnesAreNamedAndCounted) {
  Played run(
      played_scene(R"("particleRadius": 0.05, "timeStepSize": 0.01, "endTime": 2, "gravitation": [0, 0, 0])",
                   sheet("[5e4, 0, 0]"), ""));
  run.until(0.02);
  EXPECT_TRUE(holds(warnings_of(run),
                    "first in step 2 (t = 0.02 s), at most 16 at the end of a frame; the "
                    "furthest of systems.cloth.bodies.sheet at (1000"))
      << warnings_of(run);
  try {
    run.until(2);
    FAIL() << "goes on";
  } catch (const DivergenceError& error) {
    EXPECT_TRUE(holds(error.what(), "a million particle radii") && holds(error.what(), " more"))
        << error.what();
  }
}

}  // namespace stray_particles_test
MERGANSER_END
