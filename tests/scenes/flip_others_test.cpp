/// Systems that merge with a FLIP fluid: its pressure acts on their particles, and theirs on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace flip_others_test {

constexpr double g = 9.81;
constexpr const char* merging =
    R"(], "coupling": {"method": "mergingAndSplitting", "alpha": 1, "beta": 0, "groupLimit": [8, 64]},
        "probes": [)";

struct Plate {
  const char *name, *system, *material;
};
void PrintTo(const Plate& plate, std::ostream* stream) { *stream << plate.name; }

/// A ball of water hits a free plate of another system without gravity: nothing outside acts, so momentum
/// stays and energy never rises. By groups alone momentum ended between 0.99 and 1.95 of what it was, and
/// energy rose by 0.18 to 5.8 of what it was.
class BallHitsAPlate : public testing::TestWithParam<Plate> {};
TEST_P(BallHitsAPlate, NothingComesFromNothing) {
  const Plate plate = GetParam();
  const std::string other = std::string(R"({"name": "other", )") + plate.system +
                            R"(, "bodies": [{"name": "plate", "shape": "box", "start": [-0.1, -0.1, 0.05],
        "end": [0.1, 0.1, 0.09])" +
                            plate.material + "}]}";
  Played run(played_scene(R"("particleRadius": 0.005, "gravitation": [0, 0, 0], "endTime": 0.12)",
                          other + R"(, {"name": "water", "type": "flip", "bodies": [{"name": "ball",
        "shape": "sphere", "centre": [0, 0, 0.16], "radius": 0.06, "velocity": [0, 0, -2]}]})",
                          merging));
  double momentum = 0, before = 0, lowest = 1e300, rise = 0, least = 1, most = 1;
  run.until(0.12, [&](const StepStatistics& row) {
    if (momentum == 0) momentum = row["momentum_z"], before = row["kinetic_energy"];
    least = std::min(least, row["momentum_z"] / momentum);
    most = std::max(most, row["momentum_z"] / momentum);
    rise = std::max(rise, (row["kinetic_energy"] - lowest) / before);
    lowest = std::min(lowest, row["kinetic_energy"]);
  });
  note("%s: momentum %.3f to %.3f, energy %.3f, rises by %.3f\n", plate.name, least, most,
       run.last["kinetic_energy"] / before, rise);
  EXPECT_GT(least, 0.85);
  EXPECT_LT(most, 1.01);
  EXPECT_LT(rise, 0.015);
}
INSTANTIATE_TEST_SUITE_P(
    Systems, BallHitsAPlate,
    testing::Values(Plate{"Brittle", R"("type": "peridynamics")",
                          R"(, "density0": 1200, "youngsModulus": 1e6, "criticalStretch": 0.002)"},
                    Plate{"BrittleAndLight", R"("type": "peridynamics")",
                          R"(, "density0": 300, "youngsModulus": 1e6, "criticalStretch": 0.002)"},
                    Plate{"Soft", R"("type": "elasticSph")",
                          R"(, "density0": 1000, "youngsModulus": 1e5, "poissonRatio": 0.3)"},
                    Plate{"Rigid", R"("type": "rigid")", R"(, "density0": 1000)"},
                    Plate{"RigidAndLight", R"("type": "rigid")", R"(, "density0": 200)"},
                    Plate{"Sph", R"("type": "sph", "density0": 1000)", ""},
                    Plate{"Dfsph", R"("type": "dfsph", "density0": 1000)", ""}),
    [](const auto& info) { return std::string(info.param.name); });

/// A cube of half the water's density that merges lies half deep in it and stays there (Archimedes); the tank
/// carries both. Contacts hold it up to half a spacing higher. By groups alone it sank to the floor.
TEST(FlipCubeThatMerges, FloatsAtRest) {
  const double width = 0.16, across = 0.08, height = 0.08, edge = 0.04;
  Played run(played_scene(R"("particleRadius": 0.005, "gravitation": [0, 0, -9.81], "endTime": 1)",
                          R"({"name": "bodies", "type": "rigid", "bodies": [{"name": "cube", "shape": "box",
        "start": [0.06, 0.02, 0.06], "end": [0.1, 0.06, 0.1], "density0": 500}]},
      {"name": "water", "type": "flip", "bodies": [
        {"name": "left", "shape": "box", "start": [0, 0, 0], "end": [0.06, 0.08, 0.08]},
        {"name": "right", "shape": "box", "start": [0.1, 0, 0], "end": [0.16, 0.08, 0.08]},
        {"name": "front", "shape": "box", "start": [0.06, 0, 0], "end": [0.1, 0.02, 0.08]},
        {"name": "back", "shape": "box", "start": [0.06, 0.06, 0], "end": [0.1, 0.08, 0.08]},
        {"name": "below", "shape": "box", "start": [0.06, 0.02, 0], "end": [0.1, 0.06, 0.06]}]})",
                          R"({"name": "tank", "shape": "box", "low": [0, 0, 0], "high": [0.16, 0.08, 0.4]})" +
                              std::string(merging)));
  const double floor = -mean_columns(run, 0.5, 1, {"wall_tank_force_z"})[0];
  const double cube = 500 * edge * edge * edge,
               water = 1000 * (width * across * height - edge * edge * edge / 2);
  const FrameData frame = run.simulation->frame();
  double middle = 0;
  int count = 0;
  for (size_t i = 0; i < frame.position.size(); ++i) {
    if (frame.system[i] != 0) continue;
    middle += double(frame.position[i][2]);
    ++count;
  }
  const double speed = std::sqrt(2 * run.last["kinetic_energy"] / (cube + water));
  note("floor %.4f of the weight, cube's middle %.4f of its edge above the water, %.4f m/s\n",
       floor / ((cube + water) * g), (middle / count - height) / edge, speed);
  EXPECT_NEAR(floor, (cube + water) * g, 0.005 * (cube + water) * g);
  EXPECT_NEAR(middle / count, height, 0.15 * edge);
  EXPECT_LT(speed, 0.007);
}

/// Water rests on a held block that merges: block and tank carry it, the block nearly all. By groups alone
/// the block felt a sixth of it.
TEST(FlipOnAHeldBlock, WeighsWhatItWeighs) {
  Played run(played_scene(R"("particleRadius": 0.005, "gravitation": [0, 0, -9.81], "endTime": 0.6)",
                          R"({"name": "solid", "type": "peridynamics", "bodies": [{"name": "block",
        "shape": "box", "start": [0, 0, 0], "end": [0.16, 0.08, 0.04], "density0": 1200, "youngsModulus": 1e6,
        "criticalStretch": 0.5, "pinned": [{"box": [[-1, -1, -1], [1, 1, 1]]}]}]},
      {"name": "water", "type": "flip", "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0.04],
        "end": [0.16, 0.08, 0.1]}]})",
                          R"({"name": "tank", "shape": "box", "low": [0, 0, 0], "high": [0.16, 0.08, 0.4]})" +
                              std::string(merging) +
                              R"({"type": "force", "name": "felt", "body": "block"})"));
  const double felt = -mean_columns(run, 0.3, 0.6, {"felt_force_z"})[0], weight = 7.68e-4 * 1000 * g;
  note("%.4f of the weight of the water\n", felt / weight);
  EXPECT_NEAR(felt / weight, 1, 0.06);
}

}  // namespace flip_others_test
MERGANSER_END
