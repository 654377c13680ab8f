/// Options of fluids at work in whole DFSPH runs: air, adhesion.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace dfsph_options_test {

constexpr double pi = 3.14159265358979;

/// A lone drop of one particle flies through still air. Its Reynolds number stays above 1000, so its drag is
/// k u^2 with k = 0.424 rho_air pi R^2/(2 m) (Liu, Mather, Reitz 1993): u = u0/(1 + u0 k t).
TEST(DfsphOptions, AirSlowsADrop) {
  const double speed = 8, time = 1;
  Played run(
      R"({"title": "drop", "simulation": {"particleRadius": 0.005, "gravitation": [0, 0, 0], "endTime": 2,
      "maxTimeStepSize": 0.002}, "systems": [{"name": "water", "type": "dfsph", "viscosity": 0, "airDrag": 1, "bodies": [
      {"name": "drop", "shape": "box", "start": [0, 0, 0], "end": [0.01, 0.01, 0.01], "velocity": [8, 0, 0]}]}]})");
  run.until(time);
  const double mass = mass_of(run), radius = std::cbrt(mass / 1000 * 3 / (4 * pi)),
               k = 0.424 * 1.2041 * pi * radius * radius / (2 * mass);
  note("speed %.5f of theory, which is %.4f of the start",
       run.last["momentum_x"] / mass * (1 + speed * k * time) / speed, 1 / (1 + speed * k * time));
  EXPECT_EQ(run.simulation->particle_count(), 1);
  EXPECT_NEAR(run.last["momentum_x"] / mass, speed / (1 + speed * k * time), 0.005 * speed);
}

/// [spacings] mean height of a drop that lay on a wall as a box, after 0.15 s.
double height_of_drop(double adhesion) {
  Played run(
      R"({"title": "drop", "simulation": {"particleRadius": 0.0005, "gravitation": [0, 0, -1], "endTime": 1,
      "maxTimeStepSize": 0.001}, "systems": [{"name": "water", "type": "dfsph", "viscosity": 0.001, "surfaceTension": 0.072,
      "adhesion": )" +
      std::to_string(adhesion) + R"(, "bodies": [{"name": "drop", "shape": "box", "start": [0, 0, 0],
      "end": [0.008, 0.008, 0.005]}]}], "walls": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}]})");
  run.until(0.15);
  double sum = 0;
  const auto positions = run.simulation->frame().position;
  for (const Float3& p : positions) sum += double(p[2]) / 0.001 / double(positions.size());
  return sum;
}

/// The more a wall attracts a drop, the flatter it lies: adhesion of nothing, of surfaceTension (which wets
/// in theory; a DFSPH drop has about 70 degrees) and of twice that.
TEST(DfsphOptions, AdhesionLetsADropWetAWall) {
  const double dry = height_of_drop(0), half = height_of_drop(0.072), wet = height_of_drop(0.144);
  note("mean heights %.3f, %.3f, %.3f spacings", dry, half, wet);
  EXPECT_LT(half, 0.85 * dry);
  EXPECT_LT(wet, 0.85 * half);
}

}  // namespace dfsph_options_test
MERGANSER_END
