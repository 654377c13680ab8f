/// FLIP fluids that fill the same space are solved together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace flip_fluids_test {

constexpr double g = 9.81;

std::string number(double x) { return std::to_string(x); }
std::string fluid(const char* name, double density, double from_x, double to_x, double low, double high,
                  double width) {
  return std::string(R"({"name": ")") + name + R"(", "type": "flip", "density0": )" + number(density) +
         R"(, "bodies": [{"name": ")" + std::string(name) + R"(_block", "shape": "box", "start": [)" +
         number(from_x) + ", 0, " + number(low) + R"(], "end": [)" + number(to_x) + ", " + number(width) +
         ", " + number(high) + "]}]}";
}

struct Layers {
  double lower, upper;  ///< [kg/m^3]
  bool upper_first;     ///< in the list of systems
};
void PrintTo(const Layers& layers, std::ostream* stream) { *stream << layers.lower << ", " << layers.upper; }

/// Two layers in a tank stay where they are, and the floor carries both. By contacts alone the lower one lost
/// a seventh of its height in 0.2 s.
class TwoLayers : public testing::TestWithParam<Layers> {};
TEST_P(TwoLayers, KeepTheirLevels) {
  const Layers layers = GetParam();
  const double width = 0.1, depth = 0.06, spacing = 0.01;
  const std::string low = fluid("low", layers.lower, 0, width, 0, depth, width),
                    high = fluid("high", layers.upper, 0, width, depth, 2 * depth, width);
  Played run(played_scene(R"("particleRadius": 0.005, "gravitation": [0, 0, -9.81], "endTime": 1)",
                          layers.upper_first ? high + ", " + low : low + ", " + high,
                          R"({"name": "tank", "shape": "box", "low": [0, 0, 0], "high": [)" + number(width) +
                              ", " + number(width) + ", 1]}"));
  const double weight = mass_of(run) * g;
  const double floor = -mean_columns(run, 0.1, 0.3, {"wall_tank_force_z"})[0];
  const FrameData frame = run.simulation->frame();
  double sum[2] = {0, 0};
  int count[2] = {0, 0};
  for (size_t i = 0; i < frame.position.size(); ++i) {
    const int upper = (frame.system[i] == 0) == layers.upper_first;
    sum[upper] += double(frame.position[i][2]);
    ++count[upper];
  }
  note("heights %.5f %.5f, weight %.4f\n", sum[0] / count[0], sum[1] / count[1], floor / weight);
  EXPECT_NEAR(sum[0] / count[0], 0.5 * depth, 0.05 * spacing);
  EXPECT_NEAR(sum[1] / count[1], 1.5 * depth, 0.05 * spacing);
  EXPECT_NEAR(floor, weight, 0.01 * weight);
}
INSTANTIATE_TEST_SUITE_P(Densities, TwoLayers,
                         testing::Values(Layers{1000, 1000, false}, Layers{1000, 800, false},
                                         Layers{1000, 800, true}, Layers{1000, 100, false}));

/// Lock exchange: a heavy fluid runs below a light one with Fr sqrt(g' H), Fr = 1/2 without loss of energy
/// (Benjamin 1968: Gravity currents and related phenomena), 0.44 to 0.48 in experiments (Huppert, Simpson
/// 1980). Half a spacing of each layer's thickness is its own.
TEST(TwoFluids, RunPastEachOther) {
  const double height = 0.08, width = 0.032, length = 0.4;
  Played run(played_scene(R"("particleRadius": 0.004, "gravitation": [0, 0, -9.81], "endTime": 1)",
                          fluid("heavy", 1000, 0, 0.5 * length, 0, height, width) + ", " +
                              fluid("light", 800, 0.5 * length, length, 0, height, width),
                          R"({"shape": "box", "low": [0, 0, 0], "high": [0.4, 0.032, 1]})"));
  const auto front = [&] {
    const FrameData frame = run.simulation->frame();
    std::vector<float> x;
    for (size_t i = 0; i < frame.position.size(); ++i)
      if (frame.system[i] == 0) x.push_back(frame.position[i][0]);
    std::sort(x.begin(), x.end());
    return double(x[x.size() - 1 - x.size() / 300]);
  };
  run.until(0.3);
  const double from = front();
  run.until(0.6);
  const double froude = (front() - from) / 0.3 / std::sqrt(0.2 * g * height);
  note("Fr %.4f\n", froude);
  EXPECT_GT(froude, 0.4);
  EXPECT_LT(froude, 0.52);
}

}  // namespace flip_fluids_test
MERGANSER_END
