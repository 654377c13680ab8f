/// Dynamic similarity (Froude): what is S times as large, with times sqrt(S) times as long, stiffnesses S
/// times as large and the same gravity and densities, moves alike. Scenes of micrometres show where products
/// leave the range of float.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace small_scenes_test {

std::string number(double value) {
  std::ostringstream text;
  text << std::setprecision(17) << value;
  return text.str();
}
std::string times(double scale, double x, double y, double z) {
  return "[" + number(scale * x) + ", " + number(scale * y) + ", " + number(scale * z) + "]";
}
std::string simulation(double scale) {
  return R"("particleRadius": )" + number(0.01 * scale) +
         R"(, "gravitation": [0, 0, -9.81], "timeStepSize": )" + number(0.002 * std::sqrt(scale)) +
         R"(, "endTime": 1e3)";
}
std::string dam(double scale) {
  return played_scene(simulation(scale),
                      R"({"name": "s", "type": "dfsph", "viscosity": )" +
                          number(0.002 * std::pow(scale, 1.5)) + R"(, "bodies": [{"name": "b", "shape": "box",
                          "start": [0, 0, 0], "end": )" +
                          times(scale, 0.12, 0.1, 0.2) + "}]}",
                      R"({"shape": "box", "low": [0, 0, 0], "high": )" + times(scale, 0.3, 0.1, 0.4) + "}");
}
std::string cloth(double scale) {
  return played_scene(simulation(scale),
                      R"({"name": "s", "type": "massSpring", "bodies": [{"name": "b", "shape": "sheet",
                          "origin": [0, 0, 0], "edgeU": )" +
                          times(scale, 0.2, 0, 0) + R"(, "edgeV": )" + times(scale, 0, 0.2, 0) +
                          R"(, "arealDensity": )" + number(scale) + R"(, "stretchStiffness": )" +
                          number(2000 * scale * scale) + R"(, "pinned": "corners"}]})",
                      "");
}

/// Largest and mean height above the start's lowest point, and reach along x, over the scale, after 100
/// steps.
Point3 figures(const std::string& scene, double scale) {
  Played run(scene);
  run.until(0.2 * std::sqrt(scale), [](const StepStatistics&) {});
  const FrameData frame = run.simulation->frame();
  Point3 made{0, 0, 0};
  for (const Float3& x : frame.position) {
    made[0] = std::max(made[0], double(x[0]) / scale);
    made[1] = std::max(made[1], std::abs(double(x[2])) / scale);
    made[2] += double(x[2]) / scale / double(frame.position.size());
  }
  return made;
}

struct Kind {
  const char* name;
  std::string (*scene)(double scale);
};
void PrintTo(const Kind& of, std::ostream* stream) { *stream << of.name; }
class SmallScenes : public testing::TestWithParam<Kind> {};

/// A twentieth of a spacing: solves end within their tolerances, not at the same bits. The least scale has
/// spacings of 2 micrometres.
TEST_P(SmallScenes, MoveLikeLargeOnes) {
  const Point3 large = figures(GetParam().scene(1), 1);
  for (double scale : {1e-2, 1e-4}) {
    const Point3 small = figures(GetParam().scene(scale), scale);
    note("%s, scale %g: %g %g %g, as large: %g %g %g\n", GetParam().name, scale, small[0], small[1], small[2],
         large[0], large[1], large[2]);
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(small[k], large[k], 0.05 * 0.02) << scale << ' ' << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallScenes, testing::Values(Kind{"dfsph", dam}, Kind{"cloth", cloth}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace small_scenes_test
MERGANSER_END
