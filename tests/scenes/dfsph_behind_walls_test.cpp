/// Bodies of a fluid's pressure solve that lie behind walls.
#include <gtest/gtest.h>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace dfsph_behind_walls_test {

/// A pool of 0.06 m on all sides, and a kinematic box.
std::string pool_and_box(const std::string& walls, const std::string& box, double width) {
  const std::string w = std::to_string(width);
  return played_scene(
      R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
      R"({"name": "water", "type": "dfsph", "viscosity": 0.001, "coupledTo": ["box"], "wallPressure": ")" +
          walls +
          R"(", "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.06, 0.06, 0.06]}]},
          {"name": "box", "type": "rigid", "bodies": [{"name": "held", "shape": "box", "density0": 1000, "kinematic": true, )" +
          box + "}]}",
      R"({"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1]},
         {"shape": "plane", "point": [0, 0, 0], "normal": [1, 0, 0]},
         {"shape": "plane", "name": "side", "point": [)" +
          w + R"(, 0, 0], "normal": [-1, 0, 0]},
         {"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
         {"shape": "plane", "point": [0, 0.06, 0], "normal": [0, -1, 0]})");
}

/// What lies behind a wall changes nothing: the water rests as with a box of which nothing does.
class DfsphBehindWalls : public testing::TestWithParam<std::string> {
 protected:
  struct Pool {
    double fastest = 0;          ///< [m/s] at any time
    double floor = 0, side = 0;  ///< [N] mean forces on these walls at the end
  };
  Pool play(const std::string& box, double width) const {
    Played run(pool_and_box(GetParam(), box, width));
    Pool pool;
    constexpr double from = 0.1, end = 0.2;
    run.until(end, [&](const StepStatistics& row) {
      pool.fastest = std::max(pool.fastest, row["max_speed"]);
      if (!(row.time > from)) return;
      pool.floor -= row.dt * row["wall_floor_force_z"] / (end - from);
      pool.side += row.dt * row["wall_side_force_x"] / (end - from);
    });
    note("%s: fastest %.4f m/s, floor %.4f N, side %.4f N\n", GetParam().c_str(), pool.fastest, pool.floor,
         pool.side);
    return pool;
  }
  /// Within what the lattice gives as it settles: 0.14 m/s with conservative walls.
  void expect_same(const std::string& behind, const std::string& before, double width) const {
    const Pool with = play(behind, width), without = play(before, width);
    EXPECT_LT(with.fastest, 0.2);
    EXPECT_NEAR(with.floor, without.floor, 0.03 * without.floor);
    EXPECT_NEAR(with.side, without.side, 0.03 * without.floor);
  }
};

TEST_P(DfsphBehindWalls, ABodyBesideThePoolIsNotFelt) {
  expect_same(R"("start": [0.07, 0.02, 0.02], "end": [0.11, 0.04, 0.04])",
              R"("start": [0.16, 0.02, 0.02], "end": [0.2, 0.04, 0.04])", 0.06);
}
TEST_P(DfsphBehindWalls, ABodyThroughTheFloorIsAsOneThatStandsOnIt) {
  expect_same(R"("start": [0.06, 0, -0.02], "end": [0.08, 0.06, 0.08])",
              R"("start": [0.06, 0, 0], "end": [0.08, 0.06, 0.08])", 0.12);
}
INSTANTIATE_TEST_SUITE_P(Walls, DfsphBehindWalls, testing::Values("mirrored", "conservative", "images"),
                         [](const auto& info) { return info.param; });

}  // namespace dfsph_behind_walls_test
MERGANSER_END
