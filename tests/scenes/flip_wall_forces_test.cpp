/// Forces of FLIP water on walls, wherever they cut its grid, while they stay and while they move.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace flip_wall_forces_test {

constexpr double g = 9.81, pi = 3.14159265358979, spacing = 0.01, cell = 2 * spacing;

std::string number(double x) { return std::to_string(x); }
std::string point(double x, double y, double z) {
  return "[" + number(x) + ", " + number(y) + ", " + number(z) + "]";
}
std::string plane(const std::string& name, const std::string& at, const std::string& normal) {
  return R"({"shape": "plane", "name": ")" + name + R"(", "point": )" + at + R"(, "normal": )" + normal + "}";
}
/// Water from `low` to `high` [m].
std::string water(const std::string& low, const std::string& high) {
  return R"({"name": "water", "type": "flip", "bodies": [{"name": "pool", "shape": "box", "start": )" + low +
         R"(, "end": )" + high + "}]}";
}
const char* const settings = R"("particleRadius": 0.005, "endTime": 9, "maxTimeStepSize": 0.002)";

/// A tank, 4 x 4 cells wide and 12 deep, that is a box or five planes, `shift` cells above the grid's planes.
struct ShiftedTank {
  double x, z;  ///< [cells]
  bool planes;
};
void PrintTo(const ShiftedTank& tank, std::ostream* stream) {
  *stream << tank.x << ", " << tank.z << " cells, " << (tank.planes ? "planes" : "box");
}
class FlipInAShiftedTank : public testing::TestWithParam<ShiftedTank> {};

/// The floor carries the water, but for the 2/3 of a spacing by which the grid has the surface of a lattice
/// too low (a spacing and a half at most, by where it cuts the cells), 1/36 of the depth. Side walls without
/// friction carry nothing of it, and press on each other with rho g h^2/2 a length.
TEST_P(FlipInAShiftedTank, WeighsTheSame) {
  const ShiftedTank& tank = GetParam();
  const double x = tank.x * cell, z = tank.z * cell, wide = 4 * cell, deep = 12 * cell;
  const std::string walls = !tank.planes ? R"({"shape": "box", "name": "floor", "low": )" + point(x, 0, z) +
                                               R"(, "high": )" + point(x + wide, wide, 1) + "}"
                                         : plane("floor", point(0, 0, z), "[0, 0, 1]") + ", " +
                                               plane("left", point(x, 0, 0), "[1, 0, 0]") + ", " +
                                               plane("right", point(x + wide, 0, 0), "[-1, 0, 0]") + ", " +
                                               plane("near", "[0, 0, 0]", "[0, 1, 0]") + ", " +
                                               plane("far", point(0, wide, 0), "[0, -1, 0]");
  Played run(played_scene(settings, water(point(x, 0, z), point(x + wide, wide, z + deep)), walls));
  const double weight = mass_of(run) * g, side = 1000 * g * deep * deep / 2 * wide;
  const double floor = -mean_columns(run, 0.05, 0.1, {"wall_floor_force_z"})[0] / weight;
  note("floor %.4f of the weight\n", floor);
  EXPECT_GT(floor, 1 - 1.5 * spacing / deep);
  EXPECT_LT(floor, 1.01);
  if (!tank.planes) return;
  const auto of = [&](const std::string& name) { return run.last["wall_" + name]; };
  note("sides: weight %.4f %.4f, pressure %.4f %.4f %.4f %.4f\n", of("left_force_z") / weight,
       of("near_force_z") / weight, of("left_force_x") / side, of("right_force_x") / side,
       of("near_force_y") / side, of("far_force_y") / side);
  for (const char* wall : {"left", "right", "near", "far"})
    EXPECT_NEAR(of(std::string(wall) + "_force_z"), 0, 1e-3 * weight) << wall;
  for (const char* column : {"left_force_x", "near_force_y"}) EXPECT_NEAR(of(column), -side, 0.06 * side);
  for (const char* column : {"right_force_x", "far_force_y"}) EXPECT_NEAR(of(column), side, 0.06 * side);
}
INSTANTIATE_TEST_SUITE_P(Places, FlipInAShiftedTank,
                         testing::Values(ShiftedTank{0, 0, false}, ShiftedTank{0, 0.1, false},
                                         ShiftedTank{0, 0.5, false}, ShiftedTank{0, 0.9, false},
                                         ShiftedTank{0.9, 0.9, false}, ShiftedTank{0, 0, true},
                                         ShiftedTank{0, 0.1, true}, ShiftedTank{0, 0.9, true},
                                         ShiftedTank{0.9, 0.5, true}));

/// Level water stays at rest where walls leave a fifth of a cell. (With theta no less than the closed share
/// of faces it moved with 0.03 m/s and fell by 1.7 spacings at that wall.)
TEST(FlipWallForces, LevelWaterRestsBesideWallsThatCutCells) {
  const double x = 0.8 * cell;
  Played run(played_scene(
      settings, water(point(x, 0, 0), point(x + 0.2, 0.1, 0.1)),
      R"({"shape": "box", "low": )" + point(x, 0, 0) + R"(, "high": )" + point(x + 0.2, 0.1, 0.4) + "}"));
  run.until(0.6);
  double lowest = 1;  // of the highest particles of both columns of cells beside the wall
  for (const double from : {0.0, 0.01}) {
    float highest = 0;
    for (const Float3& at : run.simulation->frame().position)
      if (at[0] > x + from && at[0] < x + from + 0.01) highest = std::max(highest, at[2]);
    lowest = std::min(lowest, double(highest));
  }
  note("speed %.4f m/s, level at the wall %.4f m\n", run.last["max_speed"], lowest + spacing / 2);
  EXPECT_LT(run.last["max_speed"], 0.01);
  EXPECT_NEAR(lowest + spacing / 2, 0.1, 0.3 * spacing);
}

/// A tank that swings through half a cell up and down presses with m (g + a) at every time.
TEST(FlipWallForces, ASwingingTankPressesWithItsInertia) {
  const double amplitude = 0.01, frequency = 3, w = 2 * pi * frequency;  // a/g up to 0.36
  Played run(played_scene(settings, water("[0, 0, 0]", "[0.08, 0.08, 0.32]"),
                          R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.08, 0.08, 1],
          "motion": {"amplitude": [0, 0, 0.01], "frequency": 3}})"));
  const double mass = mass_of(run);
  double mean = 0, in_phase = 0, square = 0, time = 0;
  run.until(0.1);
  run.until(0.1 + 2 / frequency, [&](const StepStatistics& row) {
    const double middle = row.time - row.dt / 2, a = -amplitude * w * w * std::sin(w * middle);
    const double force = -row["wall_tank_force_z"] / mass;
    time += row.dt;
    mean += row.dt * force / g;
    in_phase += row.dt * force * a;
    square += row.dt * a * a;
  });
  note("mean %.4f of the weight, %.4f of the inertia\n", mean / time, in_phase / square);
  EXPECT_NEAR(mean / time, 1, 0.03);
  EXPECT_NEAR(in_phase / square, 1, 0.03);
}

/// A ball of five cells across that is let down into the water of its tank, and cuts the cells at all angles.
/// Particles keep a little off it, which counts as displaced: a tenth of a cell is 12 % of the volume.
/// Nothing presses across, in the mean over a period of the tank's waves, 0.512 s: what the volume correction
/// moves into the ball is no impulse.
TEST(FlipWallForces, BuoyancyOfABall) {
  Played run(played_scene(settings, water("[0, 0, 0]", "[0.2, 0.2, 0.14]"),
                          R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.2, 0.2, 1]},
         {"shape": "sphere", "name": "ball", "centre": [0.101, 0.098, 0.2], "radius": 0.05, "inside": false,
          "motion": {"keyFrames": [{"time": 0}, {"time": 0.4, "position": [0, 0, -0.124]}],
          "interpolation": "smooth"}})"));
  const double weight = mass_of(run) * g, displaced = 1000 * g * 4 * pi / 3 * std::pow(0.05, 3);
  const auto mean = mean_columns(run, 0.8, 1.312,
                                 {"wall_ball_force_z", "wall_tank_force_z", "wall_ball_force_x",
                                  "wall_ball_force_y", "wall_tank_force_x", "wall_tank_force_y"});
  note("ball %.4f of the displaced weight, both %.4f of the water's weight\n", mean[0] / displaced,
       -(mean[0] + mean[1]) / weight);
  note("across, of the displaced weight: ball %.4f %.4f, tank %.4f %.4f\n", mean[2] / displaced,
       mean[3] / displaced, mean[4] / displaced, mean[5] / displaced);
  EXPECT_NEAR(mean[0], displaced, 0.11 * displaced);
  EXPECT_NEAR(mean[0] + mean[1], -weight, 0.02 * weight);
  for (size_t k = 2; k < mean.size(); ++k) EXPECT_NEAR(mean[k], 0, 0.02 * displaced) << k;
}

/// A box two cells wide that stands in the middle of its tank, its edges at the middles of cells: faces in it
/// are equally far from several of its sides. Nothing presses across, of the box and of all walls, and it
/// takes off the floor what it displaces (but for the lattice's low surface). (Where an edge took half of a
/// cell of which it has a quarter, water kept off the box and lifted it by 1.24 of that.)
TEST(FlipWallForces, BuoyancyOfABoxWithEdgesInTheMiddlesOfCells) {
  Played run(played_scene(settings, water("[0, 0, 0]", "[0.2, 0.1, 0.1]"),
                          R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.2, 0.1, 0.4]},
         {"shape": "box", "name": "box", "low": [0.08, 0.03, 0.03], "high": [0.12, 0.07, 0.07], "inside": false})"));
  const double weight = mass_of(run) * g, displaced = 1000 * g * std::pow(0.04, 3);
  const auto mean = mean_columns(run, 0.3, 0.6,
                                 {"wall_box_force_x", "wall_box_force_y", "wall_box_force_z",
                                  "wall_tank_force_x", "wall_tank_force_y", "wall_tank_force_z"});
  note(
      "box %.4f %.4f %.4f of the displaced weight, across with the tank %.4f %.4f, both %.4f of the weight\n",
      mean[0] / displaced, mean[1] / displaced, mean[2] / displaced, (mean[0] + mean[3]) / displaced,
      (mean[1] + mean[4]) / displaced, -(mean[2] + mean[5]) / weight);
  EXPECT_NEAR(mean[2], displaced, 0.08 * displaced);
  EXPECT_NEAR(mean[2] + mean[5], -weight, 0.03 * weight);
  for (size_t k : {0u, 1u}) {
    EXPECT_NEAR(mean[k], 0, 0.01 * displaced) << k;
    EXPECT_NEAR(mean[k] + mean[k + 3], 0, 0.02 * displaced) << k;
  }
}

/// Boxes on the grid's planes in water that lies around them at rest: what sides along an axis lack makes up
/// for what their edges have too much. (Without it boxes 1, 2, 3 cells wide were lifted by 0.49, 0.72 and
/// 0.81 of their weight in water.)
TEST(FlipWallForces, BuoyancyOfBoxesAtRest) {
  for (int cells = 1; cells <= 3; ++cells) {
    const double low = 3 * cell, high = low + cells * cell, wide = high + low;
    const auto part = [](const char* name, const std::string& from, const std::string& to) {
      return R"({"name": ")" + std::string(name) + R"(", "shape": "box", "start": )" + from + R"(, "end": )" +
             to + "}";
    };
    const std::string around = part("under", point(0, 0, 0), point(wide, wide, low)) + ", " +
                               part("over", point(0, 0, high), point(wide, wide, wide)) + ", " +
                               part("left", point(0, 0, low), point(low, wide, high)) + ", " +
                               part("right", point(high, 0, low), point(wide, wide, high)) + ", " +
                               part("near", point(low, 0, low), point(high, low, high)) + ", " +
                               part("far", point(low, high, low), point(high, wide, high));
    Played run(played_scene(settings, R"({"name": "water", "type": "flip", "bodies": [)" + around + "]}",
                            R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": )" +
                                point(wide, wide, 0.4) +
                                R"(}, {"shape": "box", "name": "box", "inside": false, "low": )" +
                                point(low, low, low) + R"(, "high": )" + point(high, high, high) + "}"));
    run.until(0.05);
    const double displaced = 1000 * g * std::pow(cells * cell, 3), weight = mass_of(run) * g;
    const double box = run.last["wall_box_force_z"], tank = run.last["wall_tank_force_z"];
    note("%d cells: %.4f of the displaced weight, both %.5f of the weight\n", cells, box / displaced,
         -(box + tank) / weight);
    EXPECT_NEAR(box, displaced, 0.01 * displaced) << cells;
    EXPECT_NEAR(box + tank, -weight, 1e-3 * weight) << cells;
  }
}

/// Water stands in a channel one cell wide between planes of the grid, and presses on its floor as it does
/// in a wide tank.
TEST(FlipWallForces, AChannelOneCellWideHoldsWater) {
  Played run(played_scene(
      settings, water("[0, 0, 0]", "[0.1, 0.02, 0.2]"),
      plane("floor", "[0, 0, 0]", "[0, 0, 1]") + ", " + plane("left", "[0, 0, 0]", "[1, 0, 0]") + ", " +
          plane("right", "[0.1, 0, 0]", "[-1, 0, 0]") + ", " + plane("near", "[0, 0, 0]", "[0, 1, 0]") +
          ", " + plane("far", "[0, 0.02, 0]", "[0, -1, 0]")));
  run.until(0.1);
  const double floor = -run.last["wall_floor_force_z"] / (mass_of(run) * g);
  note("speed %.2e m/s, floor %.4f of the weight\n", run.last["max_speed"], floor);
  EXPECT_LT(run.last["max_speed"], 1e-3);
  EXPECT_GT(floor, 1 - 1.5 * spacing / 0.2);
  EXPECT_LT(floor, 1.01);
}

/// A gate lets water through a gap above the floor that is one cell high, or a little lower.
TEST(FlipWallForces, AGateOneCellHighLetsWaterThrough) {
  for (double gap : {0.02, 0.018}) {
    Played run(played_scene(settings, water("[0, 0, 0]", "[0.1, 0.1, 0.12]"),
                            R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.24, 0.1, 0.4]},
         {"shape": "box", "name": "gate", "inside": false, "high": [0.14, 0.2, 0.6], "low": )" +
                                point(0.1, -0.1, gap) + "}"));
    run.until(0.2);
    const double speed = run.last["momentum_x"] / mass_of(run);
    note("gap of %g m: mean speed %.3f m/s, fastest %.3f m/s\n", gap, speed, run.last["max_speed"]);
    EXPECT_GT(speed, 0.05);
    EXPECT_GT(run.last["max_speed"], 0.6 * std::sqrt(2 * g * 0.1));
  }
}

/// Water that has broken and sloshed has no lattice any more: what walls give it in the mean is its weight.
TEST(FlipWallForces, MixedWaterWeighs) {
  Played run(
      played_scene(settings, water("[0, 0, 0]", "[0.12, 0.12, 0.2]"),
                   R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.24, 0.12, 0.5]})"));
  const double mass = mass_of(run);
  double impulse = 0, time = 0, before = 0;
  run.until(1, [&](const StepStatistics& row) { before = row["momentum_z"]; });
  run.until(2, [&](const StepStatistics& row) {
    impulse -= row.dt * row["wall_tank_force_z"];
    time += row.dt;
  });
  const double force = (impulse - (run.last["momentum_z"] - before)) / time / (mass * g);
  note("%.4f of the weight\n", force);
  EXPECT_NEAR(force, 1, 0.04);
}

}  // namespace flip_wall_forces_test
MERGANSER_END
