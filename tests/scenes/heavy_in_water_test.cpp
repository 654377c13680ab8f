/// Heavy rigid bodies that sink to the floor under DFSPH water.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace {

/// The last layer of water under a cube of twenty times its density leaves in fast jets, which make steps
/// short. What the cube has pressed together must not leave within such a step: energy then rose from 11 to
/// 68 J, and the cube flew up. Three tenths of a joule of rounding between the layers of the lattice remain.
TEST(HeavyInWater, SinkingAddsNoEnergy) {
  Played run(
      R"({"title": "sinking", "simulation": {"particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.004},
    "systems": [{"name": "bodies", "type": "rigid", "bodies": [{"name": "cube", "shape": "box",
        "start": [0.05, 0.05, 0.2], "end": [0.11, 0.11, 0.26], "density0": 20000}]},
      {"name": "water", "type": "dfsph", "viscosity": 0.001, "coupledTo": ["bodies"], "wallPressure": "images",
       "bodies": [{"name": "p", "shape": "box", "start": [0, 0, 0], "end": [0.16, 0.16, 0.1]}]}],
    "coupling": {"method": "none"},
    "walls": [{"shape": "box", "low": [0, 0, 0], "high": [0.16, 0.16, 0.4], "name": "tank", "inside": true}]})");
  double first = 0, most = 0;
  run.until(0.3, [&](const StepStatistics& row) {
    const double energy = row["kinetic_energy"] + row["potential_energy"];
    if (first == 0) first = energy;
    most = std::max(most, energy);
  });
  note("energy %.3f J at the start, %.3f at most, %.3f at the end\n", first, most,
       run.last["kinetic_energy"] + run.last["potential_energy"]);
  EXPECT_NEAR(first, 11, 0.1);
  EXPECT_LT(most, 1.05 * first);
  EXPECT_LT(run.last["kinetic_energy"] + run.last["potential_energy"], 0.6 * first);
}

}  // namespace
MERGANSER_END
