/// Advice to a run that diverges: it names what its scene has.
#include <gtest/gtest.h>

#include <string>

#include "device/errors.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace divergence_advice_test {

/// Of bodies so fast that a step carries them further than coordinates tell particles apart.
std::string told(const std::string& method, const std::string& body, const std::string& coupling = "") {
  Played run(R"({"title": "gone", "simulation": {"particleRadius": 0.05, "timeStepSize": 1, "endTime": 10,
      "gravitation": [0, 0, 0]},)" +
             coupling + R"( "systems": [{"name": "matter", "type": ")" + method +
             R"(", "bodies": [{"name": "body",
      "velocity": [1e6, 0, 0], )" +
             body + "}]}]}");
  try {
    for (int step = 0; step < 5; ++step) run.simulation->step(10);
  } catch (const DivergenceError& error) {
    return error.what();
  }
  return "nothing";
}
bool holds(const std::string& text, const std::string& piece) { return text.find(piece) != text.npos; }

TEST(DivergenceAdvice, IsAboutTheMethodsOfTheScene) {
  const std::string box = R"("shape": "box", "start": [0, 0, 0], "end": [0.4, 0.4, 0.4])",
                    sheet = R"("shape": "sheet", "origin": [0, 0, 0], "edgeU": [0.4, 0, 0],
                        "edgeV": [0, 0.4, 0], "arealDensity": 2, "stretchStiffness": 100)",
                    penalty = R"("coupling": {"method": "penalty"},)";
  for (const char* fluid : {"sph", "dfsph"}) {
    const std::string said = told(fluid, box);
    EXPECT_TRUE(holds(said, "diverged") && holds(said, "timeStepSize") &&
                holds(said, "for 'matter' more viscosity"))
        << said;
    EXPECT_FALSE(holds(said, "spring") || holds(said, "damping") || holds(said, "stiffness")) << said;
  }
  const std::string cloth = told("massSpring", sheet);
  EXPECT_TRUE(holds(cloth, "for 'matter' softer springs or more springDamping")) << cloth;
  EXPECT_FALSE(holds(cloth, "viscosity") || holds(cloth, "coupling")) << cloth;
  EXPECT_TRUE(holds(told("massSpring", sheet, penalty), "a smaller coupling.stiffness"));
}

}  // namespace divergence_advice_test
MERGANSER_END
