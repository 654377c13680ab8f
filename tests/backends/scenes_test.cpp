/// A step of the CPU half and one of the GPU half from the same state, for every scene and so for every
/// solver and every way of coupling. From step to step the GPU half starts from where the CPU half is, for in
/// contacts rounding grows into another motion within tens of steps.
#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation/simulation.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "tests/support/note.h"
#include "tests/support/shipped_scenes.h"

namespace merganser {
namespace scenes_test {

double distance(const Float3& a, const Float3& b) {
  return std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]);
}

/// What a hundred steps differ in.
struct Differences {
  double position = 0;  ///< [m] the greatest
  double velocity = 0;  ///< [m/s] the greatest
  double speed = 0;     ///< [m/s] the greatest
  double extent = 0;    ///< [m] the greatest coordinate
  int decisions = 0;    ///< steps with other contacts, groups or broken bonds, where the rest says nothing

  void add(const FrameData& a, const FrameData& b, const StepStatistics& on_cpu,
           const StepStatistics& on_gpu) {
    ASSERT_EQ(a.id, b.id);
    EXPECT_NEAR(on_cpu.dt, on_gpu.dt, 1e-5 * on_cpu.dt);
    EXPECT_EQ(std::isnan(on_cpu["deepest_overlap"]), std::isnan(on_gpu["deepest_overlap"]));  // nobody looked
    if (!std::isnan(on_cpu["deepest_overlap"])) {
      EXPECT_NEAR(on_cpu["deepest_overlap"], on_gpu["deepest_overlap"], 1e-4);
    }
    if (on_cpu["contacts"] != on_gpu["contacts"] || on_cpu["groups"] != on_gpu["groups"] ||
        on_cpu["broken_bonds"] != on_gpu["broken_bonds"] || a.int_fields != b.int_fields) {
      ++decisions;
      return;
    }
    const double energy =
        on_cpu["kinetic_energy"] + std::abs(on_cpu["potential_energy"]) + on_cpu["elastic_energy"];
    EXPECT_NEAR(on_cpu["kinetic_energy"], on_gpu["kinetic_energy"], 1e-4 * energy);
    EXPECT_NEAR(on_cpu["potential_energy"], on_gpu["potential_energy"], 1e-5 * energy);
    EXPECT_NEAR(on_cpu["elastic_energy"], on_gpu["elastic_energy"], 1e-4 * energy);
    EXPECT_NEAR(on_cpu["crossings"], on_gpu["crossings"], 2);
    for (const Column& column : on_cpu.columns())  // what checks ask for
      if (column.name.ends_with(')')) {
        EXPECT_NEAR(on_cpu[column.name], on_gpu[column.name], 1e-5 * (1 + on_cpu[column.name]))
            << column.name;
      }
    for (size_t i = 0; i < a.id.size(); ++i) {
      position = std::max(position, distance(a.position[i], b.position[i]));
      velocity = std::max(velocity, distance(a.velocity[i], b.velocity[i]));
      speed = std::max(speed, distance(a.velocity[i], {}));
      extent = std::max(extent, distance(a.position[i], {}));
    }
  }
};

Differences compare(const InitialState& initial, int steps) {
  const auto on_cpu = cpu::make_simulation(initial), on_gpu = gpu::make_simulation(initial);
  while (on_cpu->step_count() < 100 && on_cpu->step(1e9)["contacts"] == 0) {
  }
  Differences found;
  for (int step = 0; step < steps; ++step) {
    on_gpu->load(on_cpu->save());
    const StepStatistics cpu_row = on_cpu->step(1e9), gpu_row = on_gpu->step(1e9);
    found.add(on_cpu->frame(), on_gpu->frame(), cpu_row, gpu_row);
  }
  return found;
}

/// Cloth solved to a tenth of its default residual: the GPU half looks at it every eighth iteration alone, so
/// that the halves end with other parts of it left, 1e-5 to 6e-5 of the greatest speed.
InitialState with_small_residuals(InitialState initial) {
  for (SystemState& system : initial.systems)
    if (system.method == find_method("massSpring"))
      system.parameters.of<MassSpringParameters>().tolerance = 1e-6;
  return initial;
}

/// Positions are floats: a few roundings of the greatest coordinate. Velocities are sums over some tens of
/// neighbors in float and what iterations leave (7e-6 of the greatest speed at most, measured).
class BackendsInScenes : public testing::TestWithParam<std::string> {};
TEST_P(BackendsInScenes, StepsAgree) {
  const Differences found = compare(with_small_residuals(test::small_initial_state(GetParam())), 100);
  note("%s: velocities %.2g of the greatest, positions %.2g", GetParam().c_str(),
       found.velocity / found.speed, found.position / found.extent);
  EXPECT_LE(found.position, 5e-7 * found.extent);
  EXPECT_LE(found.velocity, 2e-5 * found.speed);
  EXPECT_LE(found.decisions, 5) << "steps in which rounding decided on a contact or a bond";
}
INSTANTIATE_TEST_SUITE_P(Scenes, BackendsInScenes, testing::ValuesIn(test::scene_files()), test::scene_name);

/// The contact methods beside merging-and-splitting, in full contact.
class BackendsWithContacts : public testing::TestWithParam<std::string> {};
TEST_P(BackendsWithContacts, StepsAgree) {
  const Differences found =
      compare(test::small_initial_state("merging_and_splitting/fig04_fluid_beam_on_cloth.json",
                                        {"coupling.method=" + GetParam()}),
              100);
  EXPECT_LE(found.position, 5e-7 * found.extent);
  EXPECT_LE(found.velocity, 5e-5 * found.speed);
  EXPECT_LE(found.decisions, 5);
}
INSTANTIATE_TEST_SUITE_P(Methods, BackendsWithContacts,
                         testing::Values(std::string("penalty"), std::string("sphForce"),
                                         std::string("impulses"), std::string("none")),
                         [](const auto& info) { return info.param; });

}  // namespace scenes_test
}  // namespace merganser
