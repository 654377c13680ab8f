/// Scenes with relaxed bodies: a resumed run makes the particles again and goes on to the bit.
#include <gtest/gtest.h>

#include <map>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/scene_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/threads.h"

MERGANSER_BEGIN
namespace relaxed_bodies_test {

constexpr const char* falling_bodies = R"({
  "simulation": {"particleRadius": 0.05, "gravitation": [0, 0, -9.81]},
  "walls": [{"shape": "plane", "point": [0, 0, -0.4], "normal": [0, 0, 1]}],
  "systems": [
    {"name": "soft", "type": "elasticSph", "bodies": [
      {"name": "ball", "shape": "sphere", "centre": [0, 0, 0], "radius": 0.35, "sampling": "relaxed",
       "density0": 1000, "youngsModulus": 2e5, "pinned": [{"box": [[-1, -1, 0.2], [1, 1, 1]]}]}]},
    {"name": "hard", "type": "peridynamics", "bodies": [
      {"name": "ring", "shape": "torus", "centre": [1.5, 0, 0], "majorRadius": 0.3, "minorRadius": 0.14,
       "sampling": "relaxed", "density0": 1000, "youngsModulus": 1e6}]}]
})";

std::map<std::string, std::vector<char>> state_of(const Simulation& simulation) {
  std::map<std::string, std::vector<char>> arrays;
  const StateArchive archive = simulation.save();
  for (const NamedArray& array : archive.arrays()) arrays[array.name] = array.bytes;
  return arrays;
}

TEST(RelaxedBodies, ResumeToTheBit) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "scene.json", falling_bodies);
  const Scene scene = load_scene(folder / "scene.json");
  const auto whole = make_simulation(build_initial_state(scene));
  const auto first = make_simulation(with_threads(2, [&] { return build_initial_state(scene); }));
  const auto resumed = make_simulation(with_threads(1, [&] { return build_initial_state(scene); }));
  for (int k = 0; k < 5; ++k) first->step(1e9);
  resumed->load(first->save());
  for (int k = 0; k < 5; ++k) resumed->step(1e9);
  for (int k = 0; k < 10; ++k) whole->step(1e9);
  EXPECT_EQ(resumed->step_count(), 10);
  EXPECT_EQ(state_of(*resumed), state_of(*whole));
}

}  // namespace relaxed_bodies_test
MERGANSER_END
