/// Rigid bodies in the pressure solve of a FLIP fluid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace flip_bodies_test {

constexpr double g = 9.81, spacing = 0.02, cell = 2 * spacing;

struct Place {
  double across, up;  ///< [cells] that the grid is off the tank
};
void PrintTo(const Place& place, std::ostream* stream) { *stream << place.across << ", " << place.up; }

/// A box from (x, y, z) to (x, y, z) in spacings, moved by a place.
std::string box(const char* name, const Point3& low, const Point3& high, const Place& place,
                const char* more = "") {
  const auto point = [&](const Point3& p) {
    const double x = place.across * cell, z = place.up * cell;
    return "[" + std::to_string(p[0] * spacing + x) + ", " + std::to_string(p[1] * spacing + x) + ", " +
           std::to_string(p[2] * spacing + z) + "]";
  };
  return std::string(R"({"name": ")") + name + R"(", "shape": "box", "start": )" + point(low) +
         R"(, "end": )" + point(high) + more + "}";
}

/// A cube of 600 kg/m^3 that lies six tenths deep in still water, wherever the grid lies: nothing accelerates
/// it (Archimedes), to 2 % of g, the weight of a seventh of a spacing of water on its face.
class CubeAfloat : public testing::TestWithParam<Place> {};
TEST_P(CubeAfloat, StaysAtRest) {
  const Place place = GetParam();
  const double near = 8, edge = 10, far = near + edge, width = 26, depth = 16, bottom = depth - 6;
  const std::string pools = box("left", {0, 0, 0}, {near, width, depth}, place) + ", " +
                            box("right", {far, 0, 0}, {width, width, depth}, place) + ", " +
                            box("front", {near, 0, 0}, {far, near, depth}, place) + ", " +
                            box("back", {near, far, 0}, {far, width, depth}, place) + ", " +
                            box("below", {near, near, 0}, {far, far, bottom}, place);
  const double x = place.across * cell, z = place.up * cell;
  const std::string tank = R"({"shape": "box", "low": [)" + std::to_string(x) + ", " + std::to_string(x) +
                           ", " + std::to_string(z) + R"(], "high": [)" +
                           std::to_string(width * spacing + x) + ", " + std::to_string(width * spacing + x) +
                           ", 3]}";
  const double dt = 0.01;
  Played run(played_scene(
      R"("particleRadius": 0.01, "endTime": 1, "timeStepSize": 0.01)",
      R"({"name": "bodies", "type": "rigid", "bodies": [)" +
          box("cube", {near, near, bottom}, {far, far, bottom + edge}, place, R"(, "density0": 600)") +
          R"(]}, {"name": "water", "type": "flip", "coupledTo": ["bodies"], "bodies": [)" + pools + "]}",
      tank));
  run.until(dt);
  const FrameData frame = run.simulation->frame();
  Point3 mean{0, 0, 0};
  int count = 0;
  for (size_t i = 0; i < frame.position.size(); ++i) {
    if (frame.system[i] != 0) continue;
    ++count;
    for (size_t a = 0; a < 3; ++a) mean[a] += double(frame.velocity[i][a]) / (dt * g);
  }
  ASSERT_EQ(count, 1000);
  note("%g %g cells: %.4f %.4f %.4f g\n", place.across, place.up, mean[0] / count, mean[1] / count,
       mean[2] / count);
  for (size_t a = 0; a < 3; ++a) EXPECT_NEAR(mean[a] / count, 0, 0.02) << a;
}
INSTANTIATE_TEST_SUITE_P(Places, CubeAfloat,
                         testing::Values(Place{0, 0}, Place{0.25, 0}, Place{0.5, 0.25}, Place{0, 0.5},
                                         Place{0.25, 0.75}));

/// A held cube is lifted by the weight of the water that it displaces, wherever the grid lies. Before
/// pressure on held particles was measured the probe read 0.
class HeldCube : public testing::TestWithParam<Place> {};
TEST_P(HeldCube, FeelsItsLift) {
  const Place place = GetParam();
  const double near = 6, edge = 8, far = near + edge, width = 20, depth = 18, bottom = 5, top = bottom + edge;
  const std::string pools = box("left", {0, 0, 0}, {near, width, depth}, place) + ", " +
                            box("right", {far, 0, 0}, {width, width, depth}, place) + ", " +
                            box("front", {near, 0, 0}, {far, near, depth}, place) + ", " +
                            box("back", {near, far, 0}, {far, width, depth}, place) + ", " +
                            box("below", {near, near, 0}, {far, far, bottom}, place) + ", " +
                            box("above", {near, near, top}, {far, far, depth}, place);
  const double x = place.across * cell, z = place.up * cell;
  const std::string tank = R"({"shape": "box", "low": [)" + std::to_string(x) + ", " + std::to_string(x) +
                           ", " + std::to_string(z) + R"(], "high": [)" +
                           std::to_string(width * spacing + x) + ", " + std::to_string(width * spacing + x) +
                           R"(, 3]}], "probes": [{"type": "force", "name": "cube", "body": "cube"})";
  Played run(played_scene(
      R"("particleRadius": 0.01, "endTime": 1, "maxTimeStepSize": 0.005)",
      R"({"name": "bodies", "type": "rigid", "bodies": [)" +
          box("cube", {near, near, bottom}, {far, far, top}, place,
              R"(, "density0": 600, "kinematic": true)") +
          R"(]}, {"name": "water", "type": "flip", "coupledTo": ["bodies"], "bodies": [)" + pools + "]}",
      tank));
  double lift = 0, across = 0, time = 0;
  run.until(1, [&](const StepStatistics& row) {
    if (row.time < 0.4) return;
    lift += row.dt * row["cube_force_z"];
    across += row.dt * row["cube_force_x"];
    time += row.dt;
  });
  const double weight = 1000 * g * std::pow(edge * spacing, 3);
  note("%g %g cells: %.4f up, %.4f across\n", place.across, place.up, lift / time / weight,
       across / time / weight);
  EXPECT_NEAR(lift / time / weight, 1, 0.01);
  EXPECT_NEAR(across / time / weight, 0, 0.02);
}
INSTANTIATE_TEST_SUITE_P(Places, HeldCube, testing::Values(Place{0, 0}, Place{0.25, 0.75}, Place{0.5, 0.25}));

/// A ball of water hits a cube of half its density off its middle: their momentum stays. By pressures alone
/// it went down to 0.79 and up to 1.07.
TEST(FlipHitsACube, AndKeepsMomentum) {
  Played run(played_scene(R"("particleRadius": 0.005, "gravitation": [0, 0, 0], "endTime": 0.15)",
                          R"({"name": "bodies", "type": "rigid", "bodies": [{"name": "cube", "shape": "box",
      "start": [-0.07, -0.09, -0.1], "end": [0.13, 0.11, 0.1], "density0": 500}]},
      {"name": "water", "type": "flip", "coupledTo": ["bodies"], "bodies": [{"name": "blob",
      "shape": "sphere", "centre": [0, 0, 0.23], "radius": 0.1, "velocity": [0, 0, -2]}]})",
                          R"(], "coupling": {"method": "none"}, "probes": [)"));
  double momentum = 0, energy = 1e300, rises = 0, least = 1, most = 1;
  run.until(0.15, [&](const StepStatistics& row) {
    if (momentum == 0) momentum = row["momentum_z"];
    least = std::min(least, row["momentum_z"] / momentum),
    most = std::max(most, row["momentum_z"] / momentum);
    rises = std::max(rises, row["kinetic_energy"] / energy - 1);
    energy = std::min(energy, row["kinetic_energy"]);
  });
  note("momentum %.4f to %.4f, %.4f in the end, energy rises by %.4f at most\n", least, most,
       run.last["momentum_z"] / momentum, rises);
  EXPECT_GT(least, 0.98);
  EXPECT_LT(most, 1.03);
  EXPECT_LT(rises, 0.03);
}

}  // namespace flip_bodies_test
MERGANSER_END
