/// Reports of merganser check on scenes.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/scene/scene_report.h"
#include "solvers/core/start_notes.h"
#include "tests/support/scene_files.h"
#include "tests/support/scene_states.h"

namespace merganser {
namespace scene_report_test {

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

/// What a run says of them: the key that turns a tank into an obstacle, the bodies and how many pairs.
TEST_F(SceneFile, ARunSaysWhatStartsBehindWallsAndOverlaps) {
  const auto sunk = file_with("\"start\": [0, 0, 0.1], \"end\": [1, 1, 0.5]",
                              "\"start\": [0, 0, -0.05], \"end\": [1, 1, 0.35]");
  const auto said = [&](const std::string& wall, const std::string& method) {
    return notes_on_start(state_of(sunk, overrides([&](SceneOverrides& o) {
                                     o.set = {"walls=[" + wall + "]", "coupling.method=" + method};
                                   })));
  };
  const std::string plane =
      R"({"shape": "plane", "point": [0, 0, 0.15], "normal": [0, 0, 1], "name": "floor"})";
  const std::string of_plane = said(plane, "mergingAndSplitting");
  EXPECT_TRUE(
      of_plane.starts_with("321 particles start behind walls.0 ('floor'); the first step puts back "
                           "those that are not held\nbodies 'sheet' and 'beam' overlap at the start: "))
      << of_plane;
  const std::string of_tank = said(R"({"shape": "box", "low": [0, 0, 0.15], "high": [1, 1, 2]})", "none");
  EXPECT_TRUE(of_tank.ends_with("; if bodies are to stay outside of it, set walls.0.inside to false"))
      << of_tank;
  EXPECT_EQ(said("", "none"), "");
}

/// Without contacts bodies in each other are a note where one pressure solve counts both, and no others.
TEST_F(SceneFile, OverlapsInAPressureSolveAreSaidWithoutContacts) {
  const auto said = [&](const std::string& fluid, const std::string& solid) {
    return notes_on_start(state_of(
        file(R"({"simulation": {"particleRadius": 0.025}, "coupling": {"method": "none"}, "systems": [
            {"name": "water", "type": )" +
             fluid +
             R"(, "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.5, 0.5, 0.5]}]},
            {"name": "solid", "type": )" +
             solid + R"(, "bodies": [{"name": "stone", "shape": "box", "start": [0.1, 0.1, 0.1],
             "end": [0.3, 0.3, 0.3], "density0": 3000}]}]})")));
  };
  const std::string overlap = "bodies 'stone' and 'pool' overlap at the start: ";
  for (const char* fluid : {"dfsph", "flip"}) {
    const std::string alone = '"' + std::string(fluid) + '"';
    test::expect_says(said(alone + R"(, "coupledTo": ["solid"])", R"("rigid")"), {overlap});
    EXPECT_EQ(said(alone, R"("rigid")").find(overlap), std::string::npos) << fluid;
  }
}

/// A wall puts particles on its surface in one step: a solid that starts far behind it would be torn. Held
/// particles stay where they are.
TEST_F(SceneFile, SolidsFarBehindAWallAreRefused) {
  const auto started = [&](double z, const std::string& pinned) {
    const InitialState initial = state_of(file(), overrides([&](SceneOverrides& o) {
                                            o.set = {R"(walls=[{"shape": "plane", "point": [0, 0, )" +
                                                         std::to_string(z) + R"(], "normal": [0, 0, 1]}])",
                                                     "systems.cloth.bodies.sheet.pinned=" + pinned,
                                                     "systems.water.bodies.beam.translation=[0, 0, 6]"};
                                          }));
    expect_sound_start(initial);
  };
  const std::string all = R"([{"box": [[-9, -9, -9], [9, 9, 9]]}])";
  EXPECT_NO_THROW(started(0.5, "none"));
  EXPECT_THROW(started(5, "none"), InputError);
  EXPECT_NO_THROW(started(5, all));
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
    EXPECT_EQ(notes_on_emitters(state), std::vector<std::string>{});
    EXPECT_EQ(notes_on_kill_boxes(state), std::vector<std::string>{});
    EXPECT_EQ(notes_on_meeting_fluids(state), std::vector<std::string>{});
    EXPECT_EQ(notes_on_sliding_walls(state), std::vector<std::string>{});
    EXPECT_EQ(notes_on_walls_in_walls(state), std::vector<std::string>{});
    EXPECT_EQ(notes_of_methods(state), std::vector<std::string>{});
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

/// An explicit body's own bound: cfl horizon sqrt(rho / (18 K)), K = 2 E / 3 for nu = 1/4.
TEST_F(SceneFile, CheckSaysWhereAFixedStepIsNotStable) {
  const auto note = [&](const std::string& integration, double step, double damping = 0) {
    return note_on_fixed_step(build_initial_state(load_scene(file(R"({
      "simulation": {"particleRadius": 0.05, "timeStepSize": )" + std::to_string(step) +
                                                                  R"(, "gravitation": [0, 0, 0]},
      "systems": [{"name": "glass", "type": "peridynamics", "integration": ")" +
                                                                  integration + R"(", "damping": )" +
                                                                  std::to_string(damping) + R"(, "bodies": [
        {"name": "pane", "shape": "box", "start": [0, 0, 0], "end": [0.4, 0.4, 0.4], "density0": 1000,
         "youngsModulus": 1e7}]}]})"))));
  };
  const double bound = 0.8 * 3.015 * 0.1 * std::sqrt(1000 / (18 * 1e7 * 2 / 3));
  const std::string said = note("explicit", 2 * bound);
  const size_t at = said.find("above about ");
  ASSERT_NE(at, said.npos) << said;
  EXPECT_NEAR(std::stod(said.substr(at + 12)), bound, 1e-3 * bound) << said;
  EXPECT_NE(said.find("stiffness of pane"), said.npos) << said;
  EXPECT_EQ(note("explicit", 0.5 * bound), "");
  const double z = 0.001 / (bound / 0.8), damped = bound * (std::sqrt(1 + z * z) - z);
  EXPECT_NE(note("explicit", 1.1 * damped, 0.001).find("stiffness and damping of pane"), said.npos);
  EXPECT_EQ(note("explicit", 0.9 * damped, 0.001), "");
  EXPECT_EQ(note("implicit", 2 * bound), "");
}

}  // namespace scene_report_test
}  // namespace merganser
