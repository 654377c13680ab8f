#pragma once
/// Runs of scenes that ship, with their checks.
#include <cmath>

#include "device/backend.h"
#include "host/checks/run_checks.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/sph/sph_parameters.h"
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
  double mass = 0;
  for (const SystemState& system : initial.systems)
    for (float m : system.mass) mass += m;
  RunChecks checks(scene.checks, mass);
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

}  // namespace scene_test
MERGANSER_END
