/// Forces on walls from an incompressible fluid (dfsph/wall_terms.h), in whole simulations.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"
#include "tests/support/unit_cube.h"

MERGANSER_BEGIN
namespace dfsph_wall_forces_test {

constexpr double g = 9.81, pi = 3.14159265358979;

std::string pool(const std::string& end, const std::string& viscosity) {
  return R"({"name": "water", "type": "dfsph", "viscosity": )" + viscosity +
         R"(, "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": )" + end + "}]}";
}

/// Time means: floor = weight, at its middle; side = rho g H^2 W/2, less what the water settles by, twice 2
/// %.
TEST(DfsphWallForces, WaterAtRestWeighs) {
  Played run(played_scene(R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
                          pool("[0.16, 0.08, 0.08]", "0.002"),
                          R"({"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1]},
                   {"shape": "plane", "name": "left", "point": [0, 0, 0], "normal": [1, 0, 0]},
                   {"shape": "plane", "point": [0.16, 0, 0], "normal": [-1, 0, 0]},
                   {"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
                   {"shape": "plane", "point": [0, 0.08, 0], "normal": [0, -1, 0]})"));
  const auto mean = mean_columns(run, 0.6, 1,
                                 {"wall_floor_force_z", "wall_left_force_x", "wall_floor_torque_y",
                                  "wall_floor_force_x", "wall_left_force_z"});
  const double weight = 1000 * g * 0.16 * 0.08 * 0.08, side = 0.5 * 1000 * g * 0.08 * 0.08 * 0.08;
  note("floor %.4f of the weight, side %.4f of rho g H^2 W/2\n", -mean[0] / weight, -mean[1] / side);
  EXPECT_NEAR(mean[0], -weight, 0.01 * weight);
  EXPECT_NEAR(mean[1], -side, 0.05 * side);
  EXPECT_NEAR(mean[2], 0.08 * weight, 0.015 * 0.08 * weight);
  EXPECT_EQ(mean[3], 0) << "no floor without friction is pulled along";
  EXPECT_EQ(mean[4], 0);
}

/// A box and a ball that are let down into the water of their tank: they get the weight of the water that
/// they take the place of. They are six particles wide: the fluid keeps off by a tenth of its spacing more.
/// What the packing of the particles holds sideways stays, and differs from state to state (0.6 % of the
/// weight on the root mean square, 1.4 % at most of eight): the mean of three.
class DfsphBuoyancy : public testing::TestWithParam<std::string> {};
TEST_P(DfsphBuoyancy, IsTheDisplacedWeight) {
  const bool box = GetParam() == "box";
  const std::string shape = box ? R"("low": [0.03, 0.03, 0.12], "high": [0.09, 0.09, 0.17])"
                                : R"("centre": [0.06, 0.06, 0.15], "radius": 0.03)";
  const double volume = box ? 0.06 * 0.06 * 0.05 : 4 * pi / 3 * std::pow(0.03, 3), weight = 1000 * g * volume;
  double sideways = 0;
  for (const char* viscosity : {"0.0019", "0.002", "0.0021"}) {
    Played run(played_scene(
        R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
        pool("[0.12, 0.12, 0.11]", viscosity),
        R"({"shape": "box", "low": [0, 0, 0], "high": [0.12, 0.12, 0.4]}, {"name": "held", "inside": false,
         "motion": {"keyFrames": [{"time": 0}, {"time": 0.3, "position": [0, 0, -0.095]}], "interpolation": "smooth"},
         "shape": ")" +
            GetParam() + "\", " + shape + "}"));
    const auto mean = mean_columns(run, 0.6, 0.9, {"wall_held_force_z", "wall_held_force_x"});
    note("%s: %.4f of the displaced weight, sideways %.4f\n", GetParam().c_str(), mean[0] / weight,
         mean[1] / weight);
    EXPECT_NEAR(mean[0], weight, 0.08 * weight);
    sideways += mean[1] / 3;
  }
  EXPECT_NEAR(sideways, 0, 0.01 * weight);
}
INSTANTIATE_TEST_SUITE_P(Shapes, DfsphBuoyancy, testing::Values("box", "sphere"),
                         [](const auto& info) { return info.param; });

/// Next to one plane, what it gave is the momentum of the fluid to rounding: drag of a plate that swings
/// under oil, which loses nothing else, and the pressure that keeps the oil off it.
TEST(DfsphWallForces, MomentumOfOnePlateCloses) {
  Played run(played_scene(
      R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.001, "gravitation": [0, 0, -1],
         "periodic": {"length": [0.08, 0.08, 0]})",
      pool("[0.08, 0.08, 0.08]", "0.01"),
      R"({"shape": "plane", "name": "plate", "point": [0, 0, 0], "normal": [0, 0, 1], "noSlip": true,
         "motion": {"amplitude": [0.01, 0, 0.001], "frequency": 4}})"));
  const double mass = 1000 * 0.08 * 0.08 * 0.08;
  double x = 0, z = 0, largest = 0;
  run.until(0.2, [&](const StepStatistics& row) {
    x -= row.dt * row["wall_plate_force_x"];
    z -= row.dt * (row["wall_plate_force_z"] + mass);
    largest = std::max(largest, std::abs(x));
    ASSERT_NEAR(row["momentum_x"], x, 1e-5 * mass * 0.25);
    ASSERT_NEAR(row["momentum_z"], z, 1e-5 * mass * 0.25);
  });
  EXPECT_GT(largest, 0.01 * mass);
}

/// The same of a tank that is one wall, with its edges and corners, from a splash to its rest: what it gave
/// is the momentum of the water. (Where each side of it gets what it would get alone, a tank at rest carries
/// 0.993 of the water, one with conservative walls 1.039, one that is a mesh 0.942.)
TEST(DfsphWallForces, ATankCarriesAllOfItsWater) {
  test::TemporaryFolder folder;
  test::write_text(folder / "tank.obj", test::cube_as_obj());
  const std::string box = R"("shape": "box", "low": [0, 0, 0], "high": [0.16, 0.08, 0.2]})",
                    of_mesh = R"("shape": "mesh", "scale": [0.16, 0.08, 0.2], "geometryFile": ")" +
                              (folder / "tank.obj").string() + "\"}";
  for (const std::string& tank : {box, of_mesh})
    for (const std::string walls : {"mirrored", "conservative", "images"}) {
      if (walls == "images" && tank == of_mesh) continue;  // it has none
      SCOPED_TRACE(tank + walls);
      Played run(
          played_scene(R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
                       pool("[0.1, 0.08, 0.08]", std::string("0.002, \"wallPressure\": \"") + walls + "\""),
                       R"({"name": "tank", )" + tank));
      const double mass = 1000 * 0.1 * 0.08 * 0.08;
      double x = 0, z = 0;
      run.until(0.3, [&](const StepStatistics& row) {
        x -= row.dt * row["wall_tank_force_x"];
        z -= row.dt * (row["wall_tank_force_z"] + mass * g);
        ASSERT_NEAR(row["momentum_x"], x, 1e-4 * mass);
        ASSERT_NEAR(row["momentum_z"], z, 1e-4 * mass);
      });
    }
}

}  // namespace dfsph_wall_forces_test
MERGANSER_END
