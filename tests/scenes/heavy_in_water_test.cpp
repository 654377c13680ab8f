/// Heavy rigid bodies that sink to the floor under DFSPH water.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace heavy_in_water_test {

/// The last layer of water under a heavy cube leaves in fast jets, which make steps short. What the cube has
/// pressed together must not part within such a step: energy then rose from 5 to 7 J at the density of steel,
/// and from 11 to 68 J at twenty times that of water.
TEST(HeavyInWater, SinkingAddsNoEnergy) {
  struct Case {
    const char* density;
    double most;  ///< of the energy at the start
  };
  for (const Case& c : {Case{"7800", 1.002}, Case{"20000", 1.05}}) {
    Played run(std::string(R"({"title": "sinking",
      "simulation": {"particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.004},
      "systems": [{"name": "bodies", "type": "rigid", "bodies": [{"name": "cube", "shape": "box",
          "start": [0.05, 0.05, 0.2], "end": [0.11, 0.11, 0.26], "density0": )") +
               c.density + R"(}]},
        {"name": "water", "type": "dfsph", "viscosity": 0.001, "coupledTo": ["bodies"], "wallPressure": "images",
         "bodies": [{"name": "p", "shape": "box", "start": [0, 0, 0], "end": [0.16, 0.16, 0.1]}]}],
      "coupling": {"method": "none"},
      "walls": [{"shape": "box", "low": [0, 0, 0], "high": [0.16, 0.16, 0.4], "name": "tank", "inside": true}]})");
    double first = 0, most = 0;
    run.until(0.35, [&](const StepStatistics& row) {
      const double energy = row["kinetic_energy"] + row["potential_energy"];
      if (first == 0) first = energy;
      most = std::max(most, energy);
    });
    note("%s kg/m^3: energy %.3f J at the start, %.3f at most\n", c.density, first, most);
    EXPECT_LT(most, c.most * first);
  }
}

}  // namespace heavy_in_water_test
MERGANSER_END
