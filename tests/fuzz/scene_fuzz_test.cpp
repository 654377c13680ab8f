/// Wrong scenes: whatever a file says, the answer is a scene that runs or a message that names the file.
#include <gtest/gtest.h>

#include "device/errors.h"
#include "host/check.h"
#include "host/json_reader.h"
#include "host/simulation.h"
#include "tests/fuzz/json_changes.h"
#include "tests/support/scene_files.h"
#include "tests/support/source_folder.h"

namespace merganser {
namespace {

using fuzz::Case;

/// Every scene that ships, at about a thousand particles and with all its keys, and the small one of the tests.
std::vector<std::string> whole_scenes() {
  std::vector<std::string> scenes;
  SceneOverrides overrides;
  overrides.resolution = 0.14;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() / "scenes"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) scenes.push_back(load_scene(file, overrides).resolved_json);
  scenes.push_back(parse_json(test::small_scene, "small_scene").dump());
  return scenes;
}

size_t particles_of(const InitialState& initial) {
  size_t count = 0;
  for (const SystemState& system : initial.systems) count += system.mass.size();
  return count;
}

/// Everything that `merganser check` does, and a run's first two steps.
void check_and_start(Case& c, const std::filesystem::path& file) {
  const Scene scene = load_scene(file);
  const InitialState initial = build_initial_state(scene);
  const std::filesystem::path again = c.folder / "resolved.json";
  test::write_text(again, scene.resolved_json);
  if (load_scene(again).resolved_json != scene.resolved_json)
    c.fail("the scene with its defaults filled in is another one when it is read again");
  if (!nlohmann::json::accept(check_report(scene, initial, true))) c.fail("the report is no JSON");
  check_report(scene, initial, false);
  if (particles_of(initial) > 4000) return;
  try {
    const auto simulation = cpu::make_simulation(initial);
    for (int step = 0; step < 2; ++step) simulation->step(scene.end_time);
  } catch (const DivergenceError&) {  // absurd, but well-formed
  }
}

void one_scene(Case& c, const std::vector<std::string>& scenes) {
  const size_t which = c.draw.below(scenes.size());
  c.note("scene " + std::to_string(which));
  std::string text = fuzz::changed_scene(c, nlohmann::ordered_json::parse(scenes[which]));
  if (c.draw.one_in(5)) {
    c.note("bytes");
    fuzz::change_bytes(c.draw, text);
  }
  const std::filesystem::path file = c.folder / "scene.json";
  test::write_text(file, text);
  fuzz::done_or_refused(c, "scene.json", [&] { check_and_start(c, file); });
}

TEST(SceneFuzz, AnyFileIsASceneOrAMessage) {
  const auto scenes = whole_scenes();
  fuzz::run_cases(800, [&](Case& c) { one_scene(c, scenes); });
}
TEST(SceneFuzzSlow, AnyFileIsASceneOrAMessage) {
  const auto scenes = whole_scenes();
  fuzz::run_cases_for_long([&](Case& c) { one_scene(c, scenes); });
}

/// Values of --set on the scene as it stands.
void one_setting(Case& c, const std::vector<std::string>& scenes) {
  const std::string& text = c.draw.of(scenes);
  std::vector<std::string> paths;
  const auto flat = nlohmann::ordered_json::parse(text).flatten();
  for (const auto& [pointer, ignored] : flat.items()) {
    std::string path = pointer.substr(1);
    std::replace(path.begin(), path.end(), '/', '.');
    paths.push_back(path);
  }
  SceneOverrides overrides;
  for (size_t k = 0, count = 1 + c.draw.below(3); k < count; ++k) {
    std::string path = c.draw.of(paths);
    for (size_t up = c.draw.below(3); up > 0 && path.find('.') != path.npos; --up)
      path.resize(path.rfind('.'));
    if (c.draw.one_in(10)) fuzz::change_bytes(c.draw, path);
    overrides.set.push_back(path + (c.draw.one_in(50) ? "" : "=") + fuzz::any_value(c.draw));
    c.note("--set " + fuzz::shortened(overrides.set.back()));
  }
  const std::filesystem::path file = c.folder / "scene.json";
  test::write_text(file, text);
  fuzz::done_or_refused(c, "", [&] { build_initial_state(load_scene(file, overrides)); });
}

TEST(SettingFuzz, AnySettingIsTakenOrRefused) {
  const auto scenes = whole_scenes();
  fuzz::run_cases(1000, [&](Case& c) { one_setting(c, scenes); });
}
TEST(SettingFuzzSlow, AnySettingIsTakenOrRefused) {
  const auto scenes = whole_scenes();
  fuzz::run_cases_for_long([&](Case& c) { one_setting(c, scenes); });
}

}  // namespace
}  // namespace merganser
