/// Viscous DFSPH flows that fill their vessel: nothing determines the level of their pressures. And lattices
/// that do not fit into theirs.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace dfsph_channels_test {

struct Flow {
  double fastest;   ///< [m/s]
  double pressure;  ///< [Pa] mean over the particles
};
/// With g = 1 m/s^2 along z, periodic with 0.08 m, particles 1 cm apart, after `end` [s] in steps of `dt`.
Flow flow_after(double end, const std::string& dt, const std::string& periodic_y, const std::string& fluid,
                const std::string& walls) {
  Played run(played_scene(R"("particleRadius": 0.005, "endTime": 1, "timeStepSize": )" + dt +
                              R"(, "gravitation": [0, 0, 1], "periodic": {"length": [0, )" + periodic_y +
                              ", 0.08]}",
                          fluid, walls));
  Flow flow{0, 0};
  run.until(end, [&](const StepStatistics& row) { flow.fastest = row["max_speed"]; });
  const FrameData frame = run.simulation->frame();
  for (const auto& [name, values] : frame.fields)
    if (name == "pressure")
      for (const float p : values) flow.pressure += p / double(values.size());
  return flow;
}

/// Hagen-Poiseuille in a pipe of radius R = 7 spacings: g R^2/(4 nu) on the axis within 5 % (measured: -3 %;
/// a third of it where the level is kept, for then the particles rub against each other). The mean of three
/// steps: what is left of the lattice differs from run to run.
TEST(DfsphChannels, Pipe) {
  const double theory = 0.07 * 0.07 / (4 * 0.01);
  double mean = 0;
  for (const char* dt : {"0.0008", "0.001", "0.0012"}) {
    const Flow flow =
        flow_after(0.3, dt, "0", R"({"name": "water", "type": "dfsph", "viscosity": 0.01, "bodies": [
      {"name": "pipe", "shape": "cylinder", "start": [0, 0, 0], "end": [0, 0, 0.08], "radius": 0.07}]})",
                   R"({"shape": "cylinder", "point": [0, 0, 0], "axis": [0, 0, 1], "radius": 0.07,
                                   "noSlip": true})");
    note("axis %.4f m/s of %.4f, pressure %.0f Pa\n", flow.fastest, theory, flow.pressure);
    mean += flow.fastest / 3;
  }
  EXPECT_NEAR(mean / theory, 1, 0.05);
}

/// The flow between planes that are 0.16 m apart, after 0.5 s.
Flow flow_between_planes(const std::string& wall_pressure) {
  return flow_after(
      0.5, "0.001", "0.08",
      R"({"name": "water", "type": "dfsph", "viscosity": 0.02, "wallPressure": ")" + wall_pressure + R"(",
      "bodies": [{"name": "channel", "shape": "box", "start": [0, 0, 0], "end": [0.16, 0.08, 0.08]}]})",
      R"({"shape": "plane", "point": [0, 0, 0], "normal": [1, 0, 0], "noSlip": true},
         {"shape": "plane", "point": [0.16, 0, 0], "normal": [-1, 0, 0], "noSlip": true})");
}
/// Poiseuille with conservative walls: g H^2/(8 nu) in the middle within 3 % (measured: 1.5
/// %), and pressures stay as low as they began (measured: 10 Pa; 385 Pa, and growing with the
/// time, where the level is kept).
TEST(DfsphChannels, PressuresOfAFullChannelDoNotGrow) {
  const Flow flow = flow_between_planes("conservative");
  const double theory = 0.16 * 0.16 / (8 * 0.02);
  note("middle %.4f m/s of %.4f, pressure %.1f Pa\n", flow.fastest, theory, flow.pressure);
  EXPECT_NEAR(flow.fastest / theory, 1, 0.03);
  EXPECT_LT(flow.pressure, 50);
}
/// With images within 2 % of what the flow has reached by then, g H^2/(8 nu) (1 - 32/pi^3 exp(-pi^2 nu
/// t/H^2)) (measured: -1 %, 7 Pa; -4 % and 500 Pa with mirrored walls).
TEST(DfsphChannels, PoiseuilleBetweenImages) {
  const Flow flow = flow_between_planes("images");
  const double pi = 3.14159265, still = 32 / (pi * pi * pi) * std::exp(-pi * pi * 0.02 * 0.5 / (0.16 * 0.16));
  const double theory = 0.16 * 0.16 / (8 * 0.02) * (1 - still);
  note("middle %.4f m/s of %.4f, pressure %.1f Pa\n", flow.fastest, theory, flow.pressure);
  EXPECT_NEAR(flow.fastest / theory, 1, 0.02);
  EXPECT_LT(flow.pressure, 50);
}

/// A column in a round tank holds 3 % more lattice places than it has room for, up to a fifth next to the
/// wall. It comes to rest all the same (measured: 0.004 % of m g H after 0.3 s; 7 % where the first step
/// takes away all of it).
TEST(DfsphRoundTank, ComesToRest) {
  Played run(played_scene(R"("particleRadius": 0.005, "gravitation": [0, 0, -9.81], "endTime": 1)",
                          R"({"name": "water", "type": "dfsph", "viscosity": 0.01, "bodies": [
      {"name": "column", "shape": "cylinder", "start": [0, 0, 0], "end": [0, 0, 0.2], "radius": 0.08}]})",
                          R"({"shape": "cylinder", "point": [0, 0, 0], "axis": [0, 0, 1], "radius": 0.08},
                             {"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]})"));
  run.until(0.3);
  const double depth = 0.2, weight = 1000 * 3.14159 * 0.08 * 0.08 * depth * 9.81;
  note("kinetic energy %.5f of m g H\n", run.last["kinetic_energy"] / (weight * depth));
  EXPECT_LT(run.last["kinetic_energy"], 0.002 * weight * depth);
}

}  // namespace dfsph_channels_test
MERGANSER_END
