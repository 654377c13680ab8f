/// Probes of pressure and density in a FLIP fluid, whose pressure is that of its grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/launch_order.h"
#include "host/output/statistics.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/flip/flip_parameters.h"
#include "tests/support/note.h"
#include "tests/support/probe_scene.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace flip_probes_test {

using namespace test;

constexpr double spacing = 0.01, g = 9.81;

ProbeParameters probe_at(const std::string& type, const std::string& name, const Point3& point,
                         double rate = 0) {
  ProbeParameters made;
  made.type = type;
  made.name = name;
  made.point = point;
  made.rate = rate;
  return made;
}

/// nx x ny x nz particles on the floor of a tank that is `length` [m] long, in its corner.
InitialState flip_tank(int nx, int ny, int nz, double length) {
  const InitialState block = block_of_water(spacing, nx, ny, nz);
  InitialState state = block;
  state.gravity = {0, 0, -g};
  state.systems = {new_system("flip")};
  SystemState& water = state.systems[0];
  water.name = "water";
  water.fluid.particle_radius = spacing / 2;
  for (const Float3& x : block.systems[0].position)
    add_particle(water, x, {0, 0, 0}, 1000 * std::pow(spacing, 3), spacing / 2, false, 0);
  state.walls.push_back({.shape = WallShape::box, .low = {0, 0, 0}, .high = {length, ny * spacing, 2}});
  return state;
}

/// p = rho g depth to 2 %: the grid's surface lies 2/3 of a spacing below the box of particles, 1.6 % of the
/// least depth here. Between two depths that cancels, and the lattice is an exact discrete state of rest: the
/// difference is that of closed form to the solver's tolerance. No place on the grid is special.
TEST(FlipProbes, PressureInATankAtRest) {
  const int layers = 80;
  const double depths[] = {0.42, 0.5717, 0.77};
  InitialState state = flip_tank(8, 8, layers, 0.08);
  for (const double depth : depths) {
    const std::string name = std::to_string(state.probes.size());
    state.probes.push_back(probe_at("pressure", "p" + name, {0.041, 0.033, layers * spacing - depth}));
  }
  state.probes.push_back(probe_at("density", "rho", {0.041, 0.033, 0.2}));
  state.probes.push_back(probe_at("pressure", "wall", {0.08, 0.033, layers * spacing - depths[1]}));
  state.probes.push_back(probe_at("pressure", "floor", {0.041, 0.033, 0}));
  state.probes.push_back(probe_at("pressure", "air", {0.041, 0.033, 1.2}));
  state.probes.push_back(probe_at("density", "nowhere", {1e7, -1e7, 1e12}));
  const auto simulation = make_simulation(state);
  for (int k = 0; k < 40; ++k) {
    const StepStatistics row = simulation->advance(1e9, false);
    const auto p = [&](int d) { return row["p" + std::to_string(d) + "_pressure"]; };
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(p(d), 1000 * g * depths[d], 0.02 * 1000 * g * depths[d]);
    for (int d = 1; d < 3; ++d)
      EXPECT_NEAR(p(d) - p(0), 1000 * g * (depths[d] - depths[0]), 1e-3 * p(0)) << k;
    EXPECT_NEAR(row["rho_density"], 1000, 1);
    // In the plane of a wall: of the cells beside it, half a cell, one spacing, before the floor.
    EXPECT_NEAR(row["wall_pressure"], p(1), 1e-3 * p(1));
    EXPECT_NEAR(row["floor_pressure"] - p(2), 1000 * g * ((layers - 1) * spacing - depths[2]), 1e-3 * p(2));
    EXPECT_TRUE(std::isnan(row["air_pressure"]));
    EXPECT_TRUE(std::isnan(row["nowhere_density"]));
    if (k == 39) note("%.2f %.2f %.2f Pa, %.3f kg/m^3\n", p(0), p(1), p(2), row["rho_density"]);
  }
}

/// A dam that breaks: the grid follows the fluid, and the gate at the far wall is in the air at first.
InitialState breaking_dam() {
  InitialState state = flip_tank(16, 8, 20, 0.36);
  state.systems[0].parameters.of<FlipParameters>().reseeding = true;
  state.probes = {probe_at("pressure", "every", {0.1, 0.037, 0.02}),
                  probe_at("pressure", "rare", {0.1, 0.037, 0.05}, 150),
                  probe_at("density", "rho", {0.051, 0.037, 0.05}, 70),
                  probe_at("pressure", "far", {0.36, 0.04, 0.01})};
  return state;
}

void append_steps(Simulation& simulation, TableFile& file, int steps) {
  for (int k = 0; k < steps; ++k) {
    const StepStatistics row = simulation.advance(1e9, false);
    if (file.has_values(row)) file.append(row);
  }
}

/// The table with any number of threads, after a resume at any step and in any order of indices is the same
/// to the byte: a row is made of the pressures of its own step.
TEST(FlipProbes, TablesAreTheSameToTheByte) {
  const TemporaryFolder folder;
  const InitialState initial = breaking_dam();
  constexpr int steps = 60;
  const auto table = [&](int threads, int stop) {
    return with_threads(threads, [&] {
      const auto file = folder / ("probes" + std::to_string(threads) + "_" + std::to_string(stop) + ".csv");
      const auto first = make_simulation(initial), second = make_simulation(initial);
      {
        TableFile rows(file, Column::probes, first->columns(), 0, 0);
        append_steps(*first, rows, stop);
      }
      second->load(first->save());
      TableFile rows(file, Column::probes, second->columns(), stop, stop);
      append_steps(*second, rows, steps - stop);
      return text_of(file);
    });
  };
  const std::string whole = table(1, steps);
  EXPECT_TRUE(whole.starts_with("step,time,every_pressure,rare_pressure,rho_density,far_pressure\n1,"));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), steps + 1);
  EXPECT_TRUE(table(2, steps) == whole);
  for (int stop : {1, 7, 23, 40}) EXPECT_TRUE(table(1, stop) == whole) << stop;
#if !MERGANSER_COMPILED_BY_NVCC
  set_launch_order("shuffled:1");
  EXPECT_TRUE(table(2, steps) == whole);
  set_launch_order("ascending");
#endif
  note("%s", whole.c_str());
}

/// Pressures come with the results of the step: probes that are due in every step wait for nothing.
TEST(FlipProbes, CostNoWait) {
  const InitialState with = breaking_dam();
  InitialState without = with;
  without.probes.clear();
  const auto reads_of = [](const InitialState& initial) {
    const auto simulation = make_simulation(initial);
    for (int k = 0; k < 5; ++k) simulation->advance(1e9, false);
    const DeviceTraffic before = simulation->traffic();
    for (int k = 0; k < 10; ++k) simulation->advance(1e9, false);
    const DeviceTraffic after = simulation->traffic();
    return after.reads + after.writes - before.reads - before.writes;
  };
  EXPECT_EQ(reads_of(with), reads_of(without));
}

/// All particles slide out of a kill box, faster than the block's rear runs back, 2 sqrt(g h) = 1.5 m/s: from
/// then on there is neither pressure nor weight on the floor, not the last one for ever.
TEST(FlipProbes, NothingIsLeftOfAFluidThatIsGone) {
  InitialState state = flip_tank(6, 6, 6, 0.06);
  for (Float3& v : state.systems[0].velocity) v = {4, 0, 0};
  state.walls.clear();
  state.walls.push_back(
      {.shape = WallShape::plane, .name = "floor", .point = {0, 0, 0}, .direction = {0, 0, 1}});
  state.systems[0].fluid.kill_box.boxes = {{{Point3{-1, -1, -1}, Point3{0.2, 1, 1}}}};  // they stay in it
  state.probes = {probe_at("pressure", "p", {0.035, 0.03, 0.01}),
                  probe_at("density", "rho", {0.035, 0.03, 0.01})};
  const auto simulation = make_simulation(state);
  const StepStatistics first = simulation->advance(1e9, true);
  EXPECT_GT(first["p_pressure"], 0);
  EXPECT_NEAR(first["rho_density"], 1000, 10);
  EXPECT_LT(first["wall_floor_force_z"], 0);
  StepStatistics last = first;
  while (simulation->time() < 0.5) last = simulation->advance(0.5, true);
  ASSERT_EQ(simulation->frame().position.size(), 0u);
  EXPECT_TRUE(std::isnan(last["p_pressure"]));
  EXPECT_TRUE(std::isnan(last["rho_density"]));
  EXPECT_EQ(last["wall_floor_force_z"], 0);
}

}  // namespace flip_probes_test
MERGANSER_END
