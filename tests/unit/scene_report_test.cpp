/// What merganser check reports of scenes.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/scene/scene_report.h"
#include "tests/support/scene_files.h"
#include "tests/support/scene_states.h"

namespace merganser {
namespace {

using test::overrides;
using test::SceneFile;
using test::scenes_folder;

/// A box of fluid half a spacing into the cloth: the lowest layer lies on the cloth's plane, shifted by half
/// a spacing in x and y.
TEST_F(SceneFile, CheckFindsOverlapsAndParticlesBehindWalls) {
  const auto sunk = file_with("\"start\": [0, 0, 0.1], \"end\": [1, 1, 0.5]",
                              "\"start\": [0, 0, -0.05], \"end\": [1, 1, 0.35]");
  const InitialState state =
      state_of(sunk, overrides([](SceneOverrides& o) { o.set = {"walls.0.point=[0,0,0.15]"}; }));
  long long pairs = 0;
  double deepest = 0;
  for (const Float3& a : state.systems[0].position)
    for (const Float3& b : state.systems[1].position) {
      const double depth = 0.1 - std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]);
      pairs += depth > 1e-4;
      deepest = std::max(deepest, depth);
    }
  const std::vector<BodyOverlap> overlaps = find_overlaps(state);
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].pairs, pairs);
  EXPECT_GT(pairs, 300);
  EXPECT_NEAR(overlaps[0].deepest, deepest, 1e-6);
  EXPECT_EQ(count_behind_walls(state)[0], 321);  // the cloth and the layers at z = 0 and 0.1
}

TEST_F(SceneFile, EverySceneOfTheRepositoryIsFine) {
  int scenes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes_folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path());
    const InitialState state =
        state_of(entry.path(), overrides([](SceneOverrides& o) { o.resolution = 0.15; }));
    EXPECT_TRUE(find_overlaps(state).empty());
    for (long long behind : count_behind_walls(state)) EXPECT_EQ(behind, 0);
    ++scenes;
  }
  EXPECT_GE(scenes, 11);
}

TEST_F(SceneFile, CheckReportIsJsonWhereAsked) {
  const Scene scene = load_scene(file());
  const auto report = nlohmann::json::parse(check_report(scene, build_initial_state(scene), true));
  EXPECT_EQ(report["particles"], 521);
  EXPECT_EQ(report["frames"], 21);
  EXPECT_EQ(report["systems"][0]["bodies"][0]["held"], 40);
  EXPECT_TRUE(report["overlaps"].empty());
  EXPECT_GT(report["steps"], 1000);
  EXPECT_NE(check_report(scene, build_initial_state(scene), false).find("beam: 400 particles"),
            std::string::npos);
}

/// A fixed step in which particles move further than their radius: the value, the bound and what to do.
TEST_F(SceneFile, CheckSaysWhereAFixedStepIsTooLong) {
  for (const double step : {0.5, 1e-5}) {
    SceneOverrides overrides;
    overrides.set = {"simulation.timeStepSize=" + std::to_string(step)};
    const Scene scene = load_scene(file(), overrides);
    const InitialState initial = build_initial_state(scene);
    const std::string text = check_report(scene, initial, false), note = note_on_fixed_step(initial);
    const auto report = nlohmann::json::parse(check_report(scene, initial, true));
    EXPECT_EQ(report["time_step_note"], note);
    EXPECT_EQ(text.find("simulation.timeStepSize is 0.5 s") != text.npos, step == 0.5) << text;
    EXPECT_EQ(note.empty(), step < 0.1);
    if (note.empty()) continue;
    EXPECT_NE(note.find("or to 0"), note.npos);
    const double bound = 0.05 / report["largest_speed"].get<double>();
    const size_t at = note.find("above ");
    ASSERT_NE(at, note.npos);
    EXPECT_NEAR(std::stod(note.substr(at + 6)), bound, 1e-2 * bound) << note;
  }
}

}  // namespace
}  // namespace merganser
