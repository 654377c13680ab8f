/// A step of the CPU half and one of the GPU half from the same state, for every scene and so for every
/// solver and every way of coupling. From step to step the GPU half starts from where the CPU half is, for in
/// contacts rounding grows into another motion within tens of steps.
#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation.h"
#include "tests/support/shipped_scenes.h"

namespace merganser {
namespace {

double distance(const Float3& a, const Float3& b) {
  return std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]);
}

/// The greatest differences of steps, and how many of the steps took another discrete decision.
struct Differences {
  double position = 0;  ///< [m]
  double velocity = 0;  ///< [m/s]
  double largest_speed = 0, largest_dt = 0;
  int decisions = 0, contacts = 0;

  void add(const FrameData& a, const FrameData& b, const StepStatistics& on_cpu,
           const StepStatistics& on_gpu) {
    ASSERT_EQ(a.id, b.id);
    EXPECT_NEAR(on_cpu.dt, on_gpu.dt, 1e-5 * on_cpu.dt);
    contacts += on_cpu.contacts > 0;
    if (on_cpu.contacts != on_gpu.contacts || on_cpu.groups != on_gpu.groups ||
        on_cpu.broken_bonds != on_gpu.broken_bonds || a.int_fields != b.int_fields ||
        on_cpu.iterations[0] != on_gpu.iterations[0] || on_cpu.iterations[1] != on_gpu.iterations[1]) {
      ++decisions;
      if (!std::getenv("DIFF")) return;
    }
    largest_dt = std::max(largest_dt, on_cpu.dt);
    for (size_t i = 0; i < a.id.size(); ++i) {
      position = std::max(position, distance(a.position[i], b.position[i]));
      velocity = std::max(velocity, distance(a.velocity[i], b.velocity[i]));
      largest_speed = std::max(largest_speed, distance(a.velocity[i], {}));
    }
  }
};

Differences compare(const InitialState& initial, int steps) {
  const auto on_cpu = cpu::make_simulation(initial), on_gpu = gpu::make_simulation(initial);
  while (on_cpu->step_count() < 100 && on_cpu->step(1e9).contacts == 0) {
  }
  Differences found;
  for (int step = 0; step < steps; ++step) {
    on_gpu->load(on_cpu->save());
    const StepStatistics cpu_row = on_cpu->step(1e9), gpu_row = on_gpu->step(1e9);
    found.add(on_cpu->frame(), on_gpu->frame(), cpu_row, gpu_row);
  }
  return found;
}

class BackendsInScenes : public testing::TestWithParam<std::string> {};
TEST_P(BackendsInScenes, StepsAgree) {
  const Differences found = compare(test::small_initial_state(GetParam()), 100);
  std::printf("%s: dx %g m, dv %g m/s, speed %g, dt %g, contacts %d, decisions %d\n", GetParam().c_str(),
              found.position, found.velocity, found.largest_speed, found.largest_dt, found.contacts,
              found.decisions);
}
INSTANTIATE_TEST_SUITE_P(Scenes, BackendsInScenes, testing::ValuesIn(test::scene_files()), test::scene_name);

}  // namespace
}  // namespace merganser
