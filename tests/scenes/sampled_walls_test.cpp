/// Fluids in tanks and around obstacles that are layers of samples, in whole simulations: pressures, forces
/// on walls, motion, resuming.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace sampled_walls_test {

constexpr double g = 9.81, pi = 3.14159265358979;

std::string pool(const std::string& type, const std::string& end) {
  const std::string viscosity = type == "sph"
                                    ? R"("viscosityModel": "laminar", "viscosity": 0.02, "soundSpeed": 12)"
                                    : R"("viscosity": 0.002)";
  return R"({"name": "water", "type": ")" + type + "\", " + viscosity +
         R"(, "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": )" + end + "}]}";
}

class SampledWalls : public testing::TestWithParam<std::string> {};

/// In a tank of samples the floor carries the weight, and pressures are rho g (H - z) as beside volume maps.
/// Of DFSPH's scattering pressures the means of layers count; the first one has nothing but samples below.
TEST_P(SampledWalls, WaterAtRest) {
  const double height = 0.08, weight = 1000 * g * 0.08 * 0.08 * height;
  double worst_of[2], floor_of[2];
  for (const bool samples : {false, true}) {
    Played run(played_scene(R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
                            pool(GetParam(), "[0.08, 0.08, 0.08]"),
                            std::string(R"({"shape": "box", "name": "tank", "low": [0, 0, 0],
                                            "high": [0.08, 0.08, 0.3], "boundary": ")") +
                                (samples ? "samples" : "volumeMap") + "\"}"));
    const auto mean = mean_columns(run, 0.6, 0.9, {"wall_tank_force_z", "wall_tank_force_x"});
    const FrameData frame = run.simulation->frame();
    double layer[8] = {}, count[8] = {}, z[8] = {}, top = 0;
    const std::vector<float>* pressure = nullptr;
    for (const auto& [name, values] : frame.fields)
      if (name == "pressure") pressure = &values;
    ASSERT_NE(pressure, nullptr);
    for (size_t i = 0; i < frame.position.size(); ++i) {
      const int k = std::clamp(int(frame.position[i][2] / 0.01f), 0, 7);
      layer[k] += double((*pressure)[i]), z[k] += double(frame.position[i][2]), ++count[k];
      top = std::max(top, double(frame.position[i][2]));
      for (size_t axis = 0; axis < 2; ++axis)
        EXPECT_TRUE(frame.position[i][axis] > 0.001f && frame.position[i][axis] < 0.079f);
    }
    double worst = 0;
    for (int k = 0; k < 7; ++k)
      if (count[k] > 0)
        worst = std::max(worst, std::abs(layer[k] / count[k] - 1000 * g * (top + 0.005 - z[k] / count[k])));
    worst_of[samples] = worst / (1000 * g * height), floor_of[samples] = -mean[0] / weight;
  }
  note("%s: floor %.4f (volume map %.4f) of the weight, pressures of layers to %.3f (%.3f) rho g H\n",
       GetParam().c_str(), floor_of[1], floor_of[0], worst_of[1], worst_of[0]);
  EXPECT_NEAR(floor_of[1], 1, 0.01);
  EXPECT_LT(worst_of[1], 0.05);
}

/// A ball of samples that is let down into water gets the weight of the water it takes the place of, as one
/// of a volume map (DfsphWallForces, WallForces). It moves.
TEST_P(SampledWalls, BuoyancyOfABall) {
  Played run(played_scene(R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
                          pool(GetParam(), "[0.12, 0.12, 0.11]"),
                          R"({"shape": "box", "low": [0, 0, 0], "high": [0.12, 0.12, 0.4]},
                   {"shape": "sphere", "name": "ball", "centre": [0.06, 0.06, 0.15], "radius": 0.03, "inside": false,
                    "boundary": "samples", "motion": {"keyFrames": [{"time": 0}, {"time": 0.3, "position": [0, 0, -0.095]}],
                    "interpolation": "smooth"}})"));
  const auto mean = mean_columns(run, 0.6, 0.9, {"wall_ball_force_z", "wall_ball_force_x"});
  const double displaced = 1000 * g * 4 / 3 * pi * std::pow(0.03, 3);
  note("%s: %.4f of the displaced weight\n", GetParam().c_str(), mean[0] / displaced);
  EXPECT_NEAR(mean[0], displaced, 0.08 * displaced);
  EXPECT_NEAR(mean[1], 0, 0.02 * displaced);
}

/// Samples are made again at a start, so a resumed run is the run that was not stopped, to the bit.
TEST_P(SampledWalls, ResumesBitExact) {
  const std::string text = played_scene(
      R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.001)",
      pool(GetParam(), "[0.08, 0.08, 0.06]"),
      R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.08, 0.08, 0.3], "boundary": "samples",
          "noSlip": true, "motion": {"amplitude": [0.01, 0, 0.002], "rotationAmplitude": [0, 0.1, 0], "frequency": 5}},
         {"shape": "capsule", "centre": [0.04, 0.04, 0.03], "axis": [1, 0, 0], "radius": 0.01, "length": 0.02,
          "inside": false, "boundary": "samples"})");
  const auto state_after = [&](bool stop) {
    auto run = std::make_unique<Played>(text);
    for (int k = 0; k < 30; ++k) {
      if (stop && k == 13) {
        const StateArchive archive = run->simulation->save();
        run = std::make_unique<Played>(text);
        run->simulation->load(archive);
      }
      run->last = run->simulation->step(1);
    }
    return std::pair{run->simulation->frame(), run->last["wall_tank_force_x"]};
  };
  const auto whole = state_after(false), resumed = state_after(true);
  EXPECT_EQ(whole.first.position, resumed.first.position);
  EXPECT_EQ(whole.first.velocity, resumed.first.velocity);
  EXPECT_EQ(whole.second, resumed.second);
}

INSTANTIATE_TEST_SUITE_P(Fluids, SampledWalls, testing::Values("sph", "dfsph"),
                         [](const auto& info) { return info.param; });

}  // namespace sampled_walls_test
MERGANSER_END
