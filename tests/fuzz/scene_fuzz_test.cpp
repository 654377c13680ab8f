/// Wrong scenes: whatever a file says, the answer is a scene that runs or a message that names the file.
#include <gtest/gtest.h>

#include "device/errors.h"
#include "host/scene/estimate.h"
#include "host/scene/json_reader.h"
#include "host/simulation/simulation.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "tests/fuzz/json_changes.h"
#include "tests/fuzz/program.h"
#include "tests/support/inputs.h"
#include "tests/support/scene_files.h"
#include "tests/support/source_folder.h"

namespace merganser {
namespace scene_fuzz_test {

using fuzz::Case;

/// Large walls of meshes on grids four times as coarse: their tables take most of the start.
std::string quick(const std::string& text) {
  auto scene = nlohmann::ordered_json::parse(text);
  const double spacing =
      2 * double(scene["simulation"]["particleRadius"]) / double(scene["simulation"]["resolution"]);
  for (auto& wall : scene["walls"])
    if (wall["shape"] == "mesh") wall["cellSize"] = 2 * spacing;
  return scene.dump();
}

/// Every scene that ships, at about a thousand particles and with all its keys, those of tests/inputs, and
/// the small one of the tests.
std::vector<std::string> whole_scenes() {
  std::vector<std::string> scenes;
  SceneOverrides overrides;
  overrides.resolution = 0.14;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / "scenes"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : test::inputs("scenes/taken")) files.push_back(file);
  for (const auto& file : files) scenes.push_back(quick(load_scene(file, overrides).resolved_json));
  scenes.push_back(parse_json(test::small_scene, "small_scene").dump());
  return scenes;
}

/// With a layer of every emitter: the first step emits it, and it can be larger than all bodies.
double particles_of_first_step(const Scene& scene, const InitialState& initial) {
  double count = 0;
  for (const SystemState& system : initial.systems) count += double(system.mass.size());
  for (const SystemEstimate& system : SceneEstimator(scene).estimate().systems) count += system.layer;
  return count;
}

/// Cells of the greatest grid around a mesh: distances and shares are found one by one, at any cell size that
/// fits into memory.
double cells_of_meshes(const InitialState& initial) {
  double most = 0;
  for (const WallParameters& wall : initial.walls) {
    if (!wall.mesh) continue;
    const auto& box = wall.mesh->tree.nodes[0];
    double cells = 1;
    for (int axis = 0; axis < 3; ++axis)
      cells *= (double(box.high[axis]) - double(box.low[axis]) + 2 * wall.mesh->field.reach) /
               wall.mesh->field.cell;
    most = std::max(most, cells);
  }
  return most;
}

/// What a run does until its second step.
void start(Case& c, const std::filesystem::path& file) {
  const Scene scene = load_scene(file);
  const InitialState initial = build_initial_state(scene);
  const std::filesystem::path again = c.folder / "resolved.json";
  test::write_text(again, scene.resolved_json);
  if (load_scene(again).resolved_json != scene.resolved_json)
    c.fail("the scene with its defaults filled in is another one when it is read again");
  if (particles_of_first_step(scene, initial) > 4000 || cells_of_meshes(initial) > 1e5) return;
  try {
    const auto simulation = cpu::make_simulation(initial);
    for (int step = 0; step < 2; ++step) simulation->step(scene.end_time);
  } catch (const DivergenceError&) {  // absurd, but well-formed
  }
}

bool one_scene(Case& c, const std::vector<std::string>& scenes) {
  const size_t which = c.draw.below(scenes.size());
  c.note("scene " + std::to_string(which));
  std::string text = fuzz::changed_scene(c, nlohmann::ordered_json::parse(scenes[which]));
  if (c.draw.one_in(5)) {
    c.note("bytes");
    fuzz::change_bytes(c.draw, text);
  }
  const std::filesystem::path file = c.folder / "scene.json";
  test::write_text(file, text);
  try {
    return fuzz::done_or_refused(c, "scene.json", [&] { start(c, file); });
  } catch (const std::bad_alloc&) {  // the commands estimate the memory before they come to this
    return false;
  }
}

TEST(SceneFuzz, AnyFileIsASceneOrAMessage) {
  const auto scenes = whole_scenes();
  fuzz::run_cases(800, [&](Case& c) { return one_scene(c, scenes); });
}
TEST(SceneFuzzSlow, AnyFileIsASceneOrAMessage) {
  const auto scenes = whole_scenes();
  fuzz::run_cases_for_long([&](Case& c) { return one_scene(c, scenes); });
}

/// Not of exit code 3: memory can only be estimated.
void require_one_verdict(Case& c, const test::Finished& checked, const test::Finished& run) {
  if ((checked.exit_code == 2) != (run.exit_code == 2))
    c.fail("check ends with " + std::to_string(checked.exit_code) + ", run with " +
           std::to_string(run.exit_code) + ": " + fuzz::shortened(checked.err + run.err));
}

/// Both of a scene, through the program.
bool one_use(Case& c, const std::string& scene) {
  test::write_text(c.folder / "scene.json", scene);
  const test::Finished checked = fuzz::finish(c, "merganser", {"check", "scene.json"}),
                       run = fuzz::finish(c, "merganser", {"run", "scene.json", "--steps", "0", "-o", "a"},
                                          fuzz::Ends::by_itself);
  fuzz::require_table(c, checked, "scene.json");
  fuzz::require_table(c, run, "scene.json");
  require_one_verdict(c, checked, run);
  return checked.exit_code == 0;
}
bool one_changed_use(Case& c, const std::vector<std::string>& scenes) {
  const size_t which = c.draw.below(scenes.size());
  c.note("scene " + std::to_string(which));
  return one_use(c, fuzz::changed_scene(c, nlohmann::ordered_json::parse(scenes[which])));
}

TEST(SceneUseFuzz, CheckAndRunAgree) {
  const auto scenes = whole_scenes();
  fuzz::run_cases(
      60, [&](Case& c) { return one_changed_use(c, scenes); }, fuzz::program_limits);
}
TEST(SceneUseFuzzSlow, CheckAndRunAgree) {
  const auto scenes = whole_scenes();
  for (const std::string& scene : scenes)
    fuzz::run_cases(
        1, [&](Case& c) { return one_use(c, scene); }, fuzz::program_limits);
  fuzz::run_cases_for_long([&](Case& c) { return one_changed_use(c, scenes); }, fuzz::program_limits);
}

/// Values of --set on the scene as it stands, through the program: `merganser check` takes what can be run,
/// and nothing else.
bool one_setting(Case& c, const std::vector<std::string>& scenes) {
  const std::string& text = c.draw.of(scenes);
  const auto scene = nlohmann::ordered_json::parse(text);
  std::vector<std::string> pointers;
  const auto flat = scene.flatten();
  for (const auto& [pointer, ignored] : flat.items()) pointers.push_back(pointer);
  std::vector<std::string> arguments{"check", "scene.json"};
  for (size_t k = 0, count = 1 + c.draw.below(3); k < count; ++k) {
    auto pointer = nlohmann::ordered_json::json_pointer(c.draw.of(pointers));
    const auto& found = scene[pointer];
    const std::string value =
        found.is_number() && !c.draw.one_in(3) ? fuzz::scaled(c.draw, found).dump() : fuzz::any_value(c.draw);
    if (!found.is_number())
      for (size_t up = c.draw.below(3); up > 0 && !pointer.parent_pointer().empty(); --up) pointer.pop_back();
    std::string path = pointer.to_string().substr(1);
    std::replace(path.begin(), path.end(), '/', '.');
    if (c.draw.one_in(10)) fuzz::change_bytes(c.draw, path);
    std::string setting = path + (c.draw.one_in(50) ? "" : "=") + value;
    setting = setting.substr(0, setting.find('\0')).substr(0, 100000);  // of one argument of a program
    arguments.insert(arguments.end(), {"--set", setting});
    c.note("--set " + fuzz::shortened(setting));
  }
  test::write_text(c.folder / "scene.json", text);
  const test::Finished checked = fuzz::finish(c, "merganser", arguments);
  fuzz::require_table(c, checked);
  const bool taken = checked.exit_code == 0;
  arguments[0] = "run";
  arguments.insert(arguments.end(), {"-o", "run", "--steps", taken ? "2" : "0"});
  const test::Finished run = fuzz::finish(c, "merganser", arguments);
  fuzz::require_table(c, run);
  require_one_verdict(c, checked, run);
  return taken;
}

TEST(SettingFuzz, AnySettingIsTakenOrRefused) {
  const auto scenes = whole_scenes();
  fuzz::run_cases(
      250, [&](Case& c) { return one_setting(c, scenes); }, fuzz::program_limits);
}
TEST(SettingFuzzSlow, AnySettingIsTakenOrRefused) {
  const auto scenes = whole_scenes();
  fuzz::run_cases_for_long([&](Case& c) { return one_setting(c, scenes); }, fuzz::program_limits);
}

}  // namespace scene_fuzz_test
}  // namespace merganser
