/// Water at rest upon a cloth whose edges are held at the sides of a tank. Merging-and-splitting alone joins
/// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace fluid_on_held_cloth_test {

constexpr double spacing = 0.02, gravity = 9.81;

/// Four layers of water in a tank six spacings wide, the lowest one in contact with the cloth.
std::string scene_of(const std::string& water) {
  return played_scene(
      R"("particleRadius": 0.01, "gravitation": [0, 0, -9.81], "endTime": 1e3)",
      R"({"name": "cloth", "type": "massSpring", "springDamping": 0.005, "bodies": [{"name": "sheet",
          "shape": "sheet", "origin": [0, 0, 0], "edgeU": [0.12, 0, 0], "edgeV": [0, 0.12, 0],
          "arealDensity": 5, "stretchStiffness": 20000, "pinned": "edges"}]},
         {"name": "water", )" +
          water + R"(, "bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0.01],
          "end": [0.12, 0.12, 0.09]}]})",
      R"({"shape": "box", "low": [0, 0, -0.1], "high": [0.12, 0.12, 0.4]})");
}

/// [m/s] Speed of the fastest particle of water, the mean of ten times from 1 s on.
double fastest_at_rest(const std::string& water) {
  constexpr int times = 10;
  Played run(scene_of(water));
  double mean = 0;
  for (int k = 0; k < times; ++k) {
    run.until(1 + 0.02 * k);
    const FrameData frame = run.simulation->frame();
    double fastest = 0;
    for (size_t i = 0; i < frame.position.size(); ++i) {
      const Float3& v = frame.velocity[i];
      if (frame.system[i] == 1)
        fastest = std::max(fastest, std::hypot(double(v[0]), double(v[1]), double(v[2])));
    }
    mean += fastest / times;
  }
  note("fastest %g m/s\n", mean);
  return mean;
}

/// Water that slid into the gaps between held particles must not keep its speed, here 0.34 m/s. The bar is a
/// quarter of the speed after a fall through one spacing: 0.16 m/s. The water comes to rest within 1 s.
TEST(FluidOnHeldCloth, EdgesAreQuiet) {
  const double quiet = 0.25 * std::sqrt(2 * gravity * spacing);
  EXPECT_LT(fastest_at_rest(R"("type": "sph", "viscosity": 0.05)"), quiet);
  EXPECT_LT(fastest_at_rest(R"("type": "dfsph", "viscosity": 1e-3, "wallPressure": "images")"), quiet);
}

}  // namespace fluid_on_held_cloth_test
MERGANSER_END
