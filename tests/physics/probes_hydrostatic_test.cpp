/// Probes in a tank of still water: p = rho g (h - z), and its level.
#include <gtest/gtest.h>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/probe_scene.h"

MERGANSER_BEGIN
namespace probes_hydrostatic_test {

/// The tank of SphHydrostatic, half as deep, so that it comes to rest four times as fast: the column rings
/// with 1 % of its weight after 0.6 s. The pressures of particles keep to 2 % of rho g h there: so do those
/// of probes, and they scatter by less than the column rings. The surface is half a spacing above the top
/// layer; the level is there to a tenth of a spacing.
TEST(ProbesHydrostatic, ColumnInATank) {
  const int n = 8, layers = 10;
  const double spacing = 0.01, g = 9.81, rho = 1000, height = layers * spacing;
  InitialState state = test::block_of_water(spacing, n, n, layers);
  state.gravity = {0, 0, -g};
  SphParameters& water = state.systems[0].parameters.of<SphParameters>();
  water.viscosity_model = ViscosityModel::laminar;
  water.viscosity = 0.07;
  state.walls.push_back(
      {.shape = WallShape::box, .name = "tank", .low = {0, 0, 0}, .high = {n * spacing, n * spacing, 1}});
  const double depths[] = {0.03, 0.05, 0.07};
  std::vector<std::string> columns;
  for (const double depth : depths) {
    ProbeParameters probe;
    probe.type = "pressure";
    probe.name = "p" + std::to_string(columns.size());
    probe.point = {0.041, 0.039, height - depth};
    columns.push_back(probe.name + "_pressure");
    state.probes.push_back(probe);
  }
  ProbeParameters level;
  level.type = "waterLevel";
  level.name = "h";
  level.start = {0.041, 0.039, 0};
  level.end = {0.041, 0.039, 0.2};
  state.probes.push_back(level);
  columns.push_back("h_level");
  ProbeParameters force;
  force.type = "force";
  force.name = "f";
  force.wall = "tank";
  force.point = {0, n * spacing / 2, 0};
  state.probes.push_back(force);
  for (const char* column : {"f_force_x", "f_force_y", "f_force_z", "f_torque_x", "f_torque_y"})
    columns.push_back(column);
  const auto simulation = make_simulation(state);
  while (simulation->time() < 0.6) simulation->advance(0.6, false);
  const auto rows = test::probe_rows(*simulation, columns, 0.64);
  const FrameData frame = simulation->frame();
  double top = 0, layer = 0;
  for (const Float3& x : frame.position) top = std::max(top, double(x[2]));
  for (const Float3& x : frame.position) layer += x[2] > top - spacing / 2 ? x[2] / (n * n) : 0;
  const double surface = layer + spacing / 2;
  ASSERT_GT(rows.size(), 100u);
  for (size_t k = 0; k < 3; ++k) {
    double mean = 0, square = 0;
    for (const test::ProbeRow& row : rows) mean += row.values[k] / double(rows.size());
    for (const test::ProbeRow& row : rows) square += std::pow(row.values[k] - mean, 2) / double(rows.size());
    const double expected = rho * g * (surface - (height - depths[k]));
    EXPECT_NEAR(mean, expected, 0.02 * rho * g * height);
    EXPECT_LT(std::sqrt(square), 0.01 * rho * g * height);
    note("%.0f Pa, %.0f expected, standard deviation %.2f Pa\n", mean, expected, std::sqrt(square));
  }
  // All walls together carry the weight, in the middle of the floor.
  const double weight = n * n * layers * rho * std::pow(spacing, 3) * g, half = n * spacing / 2;
  double mean[5] = {};
  for (const test::ProbeRow& row : rows)
    for (size_t k = 0; k < 5; ++k) mean[k] += row.values[4 + k] / double(rows.size());
  EXPECT_NEAR(mean[0], 0, 0.01 * weight);
  EXPECT_NEAR(mean[1], 0, 0.01 * weight);
  EXPECT_NEAR(mean[2], -weight, 0.01 * weight);
  EXPECT_NEAR(mean[3], 0, 0.02 * weight * half);
  EXPECT_NEAR(mean[4], weight * half, 0.02 * weight * half);
  note("force %.4f %.4f %.4f N, weight %.4f N, torque %.5f %.5f of %.5f N m\n", mean[0], mean[1], mean[2],
       weight, mean[3], mean[4], weight * half);
  EXPECT_NEAR(rows.back().values[3], surface, 0.1 * spacing);
  note("level %.5f, surface %.5f m\n", rows.back().values[3], surface);
}

/// On the lattice itself: whatever the place of the line, the level is that of the box of particles.
TEST(ProbesHydrostatic, LevelOfALattice) {
  const double spacing = 0.02;
  InitialState state = test::block_of_water(spacing, 14, 14, 12);
  std::vector<std::string> columns;
  for (const double offset : {0.0, 0.003, 0.006, 0.01}) {
    ProbeParameters level;
    level.type = "waterLevel";
    level.name = "h" + std::to_string(columns.size());
    level.start = {0.14 + offset, 0.14 + 0.5 * offset, 0.02 - offset};
    level.end = {0.14 + offset, 0.14 + 0.5 * offset, 0.52 - offset};
    state.probes.push_back(level);
    columns.push_back(level.name + "_level");
  }
  const auto simulation = make_simulation(state);
  const StepStatistics row = simulation->advance(1e-6, false);
  for (size_t k = 0; k < columns.size(); ++k) {
    const double found = row[columns[k]] + state.probes[k].start[2];
    EXPECT_NEAR(found, 12 * spacing, 0.1 * spacing);
    note("%s %.5f of %.5f m\n", columns[k].c_str(), found, 12 * spacing);
  }
}

}  // namespace probes_hydrostatic_test
MERGANSER_END
