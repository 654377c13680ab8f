#pragma once
/// Whole simulations of scenes that a test writes, step by step.
#include <functional>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/initial_mass.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN

struct Played {
  Scene scene;
  std::unique_ptr<Simulation> simulation;
  StepStatistics last;
  explicit Played(const std::string& text) {
    test::TemporaryFolder folder;
    test::write_text(folder / "scene.json", text);
    scene = load_scene(folder / "scene.json", {});
    simulation = make_simulation(build_initial_state(scene));
  }
  void until(double end, const std::function<void(const StepStatistics&)>& each = {}) {
    while (simulation->time() < end * (1 - 1e-12)) {
      last = simulation->step(end);
      if (each) each(last);
    }
  }
};

inline std::string played_scene(const std::string& simulation, const std::string& system,
                                const std::string& walls) {
  return R"({"title": "played", "simulation": {)" + simulation + R"(}, "systems": [)" + system +
         R"(], "walls": [)" + walls + "]}";
}

/// [kg] of all particles at the start.
inline double mass_of(const Played& run) { return test::mass_of(build_initial_state(run.scene)); }

/// Time means of columns over [from, to] s, weighted by the steps.
inline std::vector<double> mean_columns(Played& run, double from, double to,
                                        const std::vector<std::string>& columns) {
  run.until(from);
  std::vector<double> sum(columns.size(), 0);
  run.until(to, [&](const StepStatistics& row) {
    for (size_t c = 0; c < columns.size(); ++c) sum[c] += row.dt * row[columns[c]] / (to - from);
  });
  return sum;
}

MERGANSER_END
