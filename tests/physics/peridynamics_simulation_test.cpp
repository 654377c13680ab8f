/// Brittle bodies in whole simulations: they collide through merging-and-splitting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/simulation/simulation.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/peridynamics_driver.h"

MERGANSER_BEGIN
namespace peridynamics_simulation_test {

using test::BrittleBody;

constexpr auto implicit_euler = PeridynamicIntegration::implicit_euler;
constexpr auto explicit_verlet = PeridynamicIntegration::explicit_verlet;

BrittleBody block(PeridynamicIntegration integration, int body, float height, float speed) {
  BrittleBody state;
  state.parameters.of<PeridynamicsParameters>().integration = integration;
  state.parameters.of<PeridynamicsParameters>().materials.resize(
      size_t(body) + 1, state.parameters.of<PeridynamicsParameters>().materials[0]);
  for (int b = 0; b <= body; ++b) state.parameters.of<PeridynamicsParameters>().materials[size_t(b)].body = b;
  for (PeridynamicMaterial& m : state.parameters.of<PeridynamicsParameters>().materials)
    m.critical_stretch = 0.03;
  state.add_lattice(9, 7, 5, {0.003f * float(body), 0.004f * float(body), height}, body);
  for (Float3& v : state.velocity) v = {0, 0, speed};
  return state;
}
/// Two blocks in two systems, 5 mm apart, that approach each other without gravity.
InitialState colliding(PeridynamicIntegration below, PeridynamicIntegration above) {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.bodies = {{"below", 0}, {"above", 1}};
  state.systems = {block(below, 0, 0, 2), block(above, 1, 0.055f, -4)};
  state.max_time_step = 5e-4;
  return state;
}
double size(const Point3& p) { return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]); }

// Momentum is kept to the rounding of float velocities: 1e-5 of one block's, over 300 steps.
TEST(PeridynamicsSimulation, CollidingBlocksKeepTheirMomentumAndBreak) {
  for (auto below : {implicit_euler, explicit_verlet})
    for (auto above : {implicit_euler, explicit_verlet}) {
      const auto simulation = make_simulation(colliding(below, above));
      const Point3 before{0, 0, 315e-3 * (2 - 4)};
      StepStatistics row;
      long long merged = 0, most_broken = 0;
      for (int k = 0; k < 300; ++k) {
        row = simulation->step(1e9);
        merged += row["groups"] > 0;
        ASSERT_GE(row["broken_bonds"], most_broken);
        most_broken = row["broken_bonds"];
      }
      const Point3 drift{row.vector("momentum")[0] - before[0], row.vector("momentum")[1] - before[1],
                         row.vector("momentum")[2] - before[2]};
      EXPECT_LT(size(drift), 1e-5 * 315e-3 * 4);
      EXPECT_GT(merged, 3) << "the blocks never met";
      EXPECT_GT(row["broken_bonds"], 100);
      EXPECT_TRUE(std::isfinite(row["kinetic_energy"]));
    }
}

TEST(PeridynamicsSimulation, ResumesBitForBitFromACheckpoint) {
  const InitialState initial = colliding(implicit_euler, explicit_verlet);
  const auto whole = make_simulation(initial);
  for (int k = 0; k < 80; ++k) whole->step(1e9);
  const StateArchive archive = whole->save();
  for (int k = 0; k < 40; ++k) whole->step(1e9);
  const auto resumed = make_simulation(initial);
  resumed->load(archive);
  for (int k = 0; k < 40; ++k) resumed->step(1e9);
  const FrameData a = whole->frame(), b = resumed->frame();
  ASSERT_EQ(a.position, b.position);
  ASSERT_EQ(a.velocity, b.velocity);
  ASSERT_EQ(a.fields, b.fields);
  std::vector<std::string> names;
  for (const auto& [name, values] : a.fields) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"damage", "fragment"}));
  EXPECT_GT(*std::max_element(a.fields[0].second.begin(), a.fields[0].second.end()), 0);
}

/// A field of another length would be read beyond its end.
TEST(PeridynamicsSimulation, FieldsOfAnotherLengthAreRefused) {
  const InitialState initial = colliding(implicit_euler, explicit_verlet);
  const StateArchive good = make_simulation(initial)->save();
  int fields = 0;
  for (const NamedArray& damaged : good.arrays()) {
    if (!damaged.name.starts_with("particles/")) continue;
    StateArchive archive;
    for (NamedArray array : good.arrays()) {
      if (array.name == damaged.name) array.bytes.resize(array.bytes.size() / 2);
      archive.add(std::move(array));
    }
    EXPECT_THROW(make_simulation(initial)->load(archive), FileError) << damaged.name;
    ++fields;
  }
  EXPECT_GT(fields, 5);
}

}  // namespace peridynamics_simulation_test
MERGANSER_END
