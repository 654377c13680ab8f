/// Force probes on held bodies under DFSPH water: buoyancy, and nothing of the fluid's momentum unaccounted
/// for.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace held_in_water_test {

constexpr double g = 9.81;

/// A cube of 6 cm in the middle of a tank of 16 x 16 x 15 cm, full of water around it but for the upper 2 cm.
struct HeldCube {
  const char* name;
  const char* system;     ///< of the cube
  double free_of_it = 0;  ///< [kg] of its mass that is not held
  const char* water = R"(, "coupledTo": ["cubes"])";
  double load = 0;      ///< [N] of the free part, which hangs on what is held
  double least = 0.93;  ///< of rho g V: DFSPH presses obstacles with 0.94 to 0.97 of it
};

std::string scene_of(const HeldCube& cube) {
  return std::string(R"({"title": "held", "simulation": {"particleRadius": 0.005, "endTime": 2,
      "timeStepSize": 0.002},
    "probes": [{"type": "force", "name": "cube", "body": "cube", "point": [0.08, 0.08, 0.07]}],
    "systems": [{"name": "cubes", )") +
         cube.system + R"(},
      {"name": "water", "type": "dfsph", "viscosity": 0.002)" +
         cube.water + R"(, "bodies": [
        {"name": "below", "shape": "box", "start": [0, 0, 0], "end": [0.16, 0.16, 0.04]},
        {"name": "above", "shape": "box", "start": [0, 0, 0.1], "end": [0.16, 0.16, 0.13]},
        {"name": "left", "shape": "box", "start": [0, 0, 0.04], "end": [0.05, 0.16, 0.1]},
        {"name": "right", "shape": "box", "start": [0.11, 0, 0.04], "end": [0.16, 0.16, 0.1]},
        {"name": "front", "shape": "box", "start": [0.05, 0, 0.04], "end": [0.11, 0.05, 0.1]},
        {"name": "back", "shape": "box", "start": [0.05, 0.11, 0.04], "end": [0.11, 0.16, 0.1]}]}],
    "walls": [{"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.16, 0.16, 0.5], "inside": true}]})";
}

class HeldInWater : public testing::TestWithParam<HeldCube> {};

/// Before this was measured a kinematic cube, and one that is pinned as a whole, read 0; one that hangs on
/// its pinned layers read 4 and 20 times its force, for stress counted at velocities that pressure changed
/// later. What walls and probe take is what the momentum of all that is free lacks: impulses to float sums.
TEST_P(HeldInWater, ProbesReadBuoyancyAndMomentumIsWhole) {
  const HeldCube& cube = GetParam();
  Played run(scene_of(cube));
  const double free = 1000 * (0.16 * 0.16 * 0.13 - 0.06 * 0.06 * 0.06) + cube.free_of_it;
  double missing = 0, force = 0, across = 0, time = 0, before = 0;
  run.until(0.8, [&](const StepStatistics& row) {
    missing +=
        row["momentum_z"] - before + row.dt * (free * g + row["wall_tank_force_z"] + row["cube_force_z"]);
    before = row["momentum_z"];
    if (!(row.time > 0.4)) return;
    force += row.dt * row["cube_force_z"];
    across += row.dt * row["cube_force_x"];
    time += row.dt;
  });
  const double buoyancy = 1000 * std::pow(0.06, 3) * g;
  note("%s: force %.4f of rho g V, momentum missing %.2g of the weight\n", cube.name,
       (force / time + cube.load) / buoyancy, missing / (free * g * 0.8));
  EXPECT_NEAR(across / time, 0, 0.03 * buoyancy);
  EXPECT_GT(force / time + cube.load, cube.least * buoyancy);
  EXPECT_LT(force / time + cube.load, (2 - cube.least) * buoyancy);
  EXPECT_NEAR(missing, 0, 2e-5 * free * g * 0.8);
}

constexpr const char* box =
    R"("shape": "box", "start": [0.05, 0.05, 0.04], "end": [0.11, 0.11, 0.1], "density0": 1000)";
const std::string rigid = std::string(R"("type": "rigid", "bodies": [{"name": "cube", )") + box +
                          R"(, "kinematic": true}])",
                  soft = std::string(R"("type": "elasticSph", "bodies": [{"name": "cube", )") + box +
                         R"(, "youngsModulus": 2e5, "pinned": [{"box": [[0, 0, )",
                  whole = soft + R"(0], [1, 1, 1]]}]}])", hung = soft + R"(0.07], [1, 1, 1]]}]}])";
constexpr double lower_half = 1000 * 0.06 * 0.06 * 0.03;

INSTANTIATE_TEST_SUITE_P(
    All, HeldInWater,
    testing::Values(
        HeldCube{.name = "kinematic", .system = rigid.c_str()},
        HeldCube{.name = "pinned", .system = whole.c_str()},
        HeldCube{.name = "hung", .system = hung.c_str(), .free_of_it = lower_half, .load = lower_half * g},
        HeldCube{.name = "hung_compressible",
                 .system = hung.c_str(),
                 .free_of_it = lower_half,
                 .water = R"(, "coupledTo": ["cubes"], "solidsCompress": true)",
                 .load = lower_half * g,
                 .least = 0.91},
        HeldCube{.name = "kinematic_merging", .system = rigid.c_str(), .water = "", .least = 0.82}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace held_in_water_test
MERGANSER_END
