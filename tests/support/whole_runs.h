#pragma once
/// Runs of scenes that ship, with their checks.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "host/checks/run_checks.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/initial_mass.h"
#include "tests/support/note.h"
#include "tests/support/shipped_scenes.h"

MERGANSER_BEGIN
namespace scene_test {

/// Runs a scene until `end_time` [s] or for `steps` steps and returns the results of its checks.
inline std::vector<CheckResult> run_checks(const std::string& file, double resolution, double end_time,
                                           long long steps, StepStatistics& last,
                                           const std::vector<std::string>& changes = {}) {
  SceneOverrides overrides;
  overrides.set = changes;
  overrides.resolution = resolution;
  const Scene scene = load_scene(source_folder() / "scenes" / file, overrides);
  const InitialState initial = build_initial_state(scene);
  RunChecks checks(scene.checks, test::mass_of(initial));
  const auto simulation = make_simulation(initial);
  end_time = std::min(end_time, scene.end_time);
  while (simulation->time() < end_time && simulation->step_count() < steps) {
    last = simulation->step(end_time);
    checks.observe(last);
  }
  return checks.results();
}

/// A scene that runs to its end, or to a time when its checks must hold.
struct WholeRun {
  const char* file;
  double resolution, end_time;  ///< end_time [s], 0 = the scene's
};
inline void PrintTo(const WholeRun& run, std::ostream* stream) {
  *stream << run.file << " at " << run.resolution;
}

/// Without its folder.
inline std::string name_of_scene(const testing::TestParamInfo<WholeRun>& info) {
  const std::string file = info.param.file;
  return file.substr(file.find('/') + 1);
}

/// Runs it, and all checks pass.
inline void expect_checks(const WholeRun& run) {
  StepStatistics last;
  for (const CheckResult& result : run_checks(std::string(run.file) + ".json", run.resolution,
                                              run.end_time > 0 ? run.end_time : 1e9, 1 << 30, last)) {
    note("%s\n", RunChecks::describe(result).c_str());
    EXPECT_TRUE(result.passed) << RunChecks::describe(result);
  }
  EXPECT_TRUE(last.tolerance_met);
}

}  // namespace scene_test
MERGANSER_END
