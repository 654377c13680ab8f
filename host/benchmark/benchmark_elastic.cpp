/// [ES] Tables 1 and 2: a soft body whose lowest slice moves, solved in our ways and by its baseline.
#include <malloc.h>

#include <array>
#include <chrono>
#include <cmath>
#include <fstream>

#include "host/benchmark/benchmark_steps.h"
#include "host/scene/scene.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"

namespace merganser {

namespace {

constexpr double particles_at_resolution_1 = 32000;
/// [s] Every case is measured from rest over this simulated time.
constexpr double window = 0.4;

/// [MB] greatest resident memory since the last call of forget_peak(); 0 where the system does not tell.
double peak_resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024e-6;
    }
  return 0;
}
/// Gives back what earlier cases left behind, too.
void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

struct ElasticCase {
  double particles;
  double youngs_modulus, time_step;  ///< [Pa], [s]
  const char* solve;
  bool half_factor = false;  ///< the preconditioner's in half precision
};

/// A body of the scene, and its motion, to and fro, in a quarter of the scene's time.
SceneOverrides overrides_of(const ElasticCase& what) {
  SceneOverrides overrides;
  overrides.resolution = std::cbrt(what.particles / particles_at_resolution_1);
  const std::string body = "systems.solid.bodies.bunny.";
  const auto moves = [&](int part, double start, double end) {
    const std::string key = body + "prescribed." + std::to_string(part);
    overrides.set.push_back(key + ".startTime=" + std::to_string(start));
    overrides.set.push_back(key + ".endTime=" + std::to_string(end));
  };
  overrides.set = {"simulation.timeStepSize=" + std::to_string(what.time_step),
                   "systems.solid.solve=" + std::string(what.solve), "systems.solid.maxIterations=10000",
                   body + "youngsModulus=" + std::to_string(what.youngs_modulus)};
  moves(0, 0, 0.25 * window), moves(1, 0.25 * window, 0.75 * window), moves(2, 0.75 * window, window);
  return overrides;
}

BenchmarkResult run(const Device& device, const char* name, const ElasticCase& what,
                    const SceneOverrides& overrides) {
  const Scene scene = load_scene(scenes_folder() / "elastic_sph" / "fig02_moving_bunny.json", overrides);
  InitialState initial = build_initial_state(scene);
  for (SystemState& system : initial.systems)
    system.parameters.of<ElasticSphParameters>().half_factor = what.half_factor;
  forget_peak();
  const auto start = std::chrono::steady_clock::now();
  const auto simulation = simulation_on(device, initial);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Averages averages;
  BenchmarkResult result = measure_window(*simulation, device, by_size(window, 2 * what.time_step), averages);
  result.name = name;
  char text[160];
  std::snprintf(text, sizeof text, "%s%s: %lld particles, E = %g MPa, step %g ms", what.solve,
                what.half_factor ? ", factor in half precision" : "", result.particles,
                1e-6 * what.youngs_modulus, 1e3 * what.time_step);
  result.case_name = text;
  auto figures = simulation->setup_metrics();
  figures.insert(figures.begin(), {{"iterations", averages.iterations[0]},
                                   {"steps_with_unmet_tolerance", averages.unmet_tolerances},
                                   {"elastic_solve_ms", averages.milliseconds["integrate_1"]},
                                   {"set_up_seconds", seconds},
                                   {"peak_resident_MB", peak_resident_megabytes()}});
  result.figures.insert(result.figures.begin(), figures.begin(), figures.end());
  return result;
}

/// A box of particles, two layers of which move to and fro across it.
struct Regime {
  const char* name;
  std::array<int, 3> cells;
  double jitter;     ///< of the rest positions, fraction of the spacing
  double stiffness;  ///< E dt^2 / (rho d^2): the square of the spacings that sound travels in a step
};

BenchmarkResult run(const Device& device, const Regime& regime, const char* solve) {
  constexpr double spacing = 0.0254, density = 1000, step = 2e-3;  // the scene's at resolution 1
  const double modulus = regime.stiffness * density * spacing * spacing / (step * step);
  char text[400];
  std::string moves;
  const double times[] = {0, 0.25 * window, 0.75 * window, window};
  for (int k = 0; k < 3; ++k) {
    std::snprintf(
        text, sizeof text,
        R"({"box": [[-1, -1, -1], [%g, 9, 9]], "velocity": [0, 0, %g], "startTime": %g, "endTime": %g})",
        2 * spacing, k == 1 ? -0.4 : 0.4, times[k], times[k + 1]);
    moves += (k > 0 ? ", " : "") + std::string(text);
  }
  std::snprintf(
      text, sizeof text,
      R"({"name": "box", "shape": "box", "start": [0, 0, 0], "end": [%.9g, %.9g, %.9g], )"
      R"("density0": %g, "youngsModulus": %.9g, "poissonRatio": 0.33, "jitter": %g, "prescribed": [)",
      regime.cells[0] * spacing, regime.cells[1] * spacing, regime.cells[2] * spacing, density, modulus,
      regime.jitter);
  SceneOverrides overrides;
  overrides.set = {"checks=[]", "systems.solid.bodies=[" + (text + moves) + "]}]",
                   "simulation.timeStepSize=" + std::to_string(step),
                   "systems.solid.solve=" + std::string(solve), "systems.solid.maxIterations=10000"};
  BenchmarkResult result = run(device, "elastic_regimes", {0, modulus, step, solve}, overrides);
  std::snprintf(text, sizeof text, "%s%s, E dt^2 / (rho d^2) = %g: %s", regime.name,
                regime.jitter > 0 ? ", irregular" : "", regime.stiffness, solve);
  result.case_name = text;
  return result;
}

BenchmarkResult run(const Device& device, const char* name, const ElasticCase& what) {
  return run(device, name, what, overrides_of(what));
}

/// Adds how many times faster each solve is than the last one, the baseline.
void compare(std::vector<BenchmarkResult>& results, size_t first) {
  for (size_t k = first; k + 1 < results.size(); ++k)
    results[k].figures.emplace_back("times_faster_than_baseline",
                                    results.back().ms_per_step / results[k].ms_per_step);
}

}  // namespace

std::vector<BenchmarkResult> benchmark_elastic_sizes(const Device& device) {
  std::vector<BenchmarkResult> results;
  for (double particles :
       by_size<std::vector<double>>({4208.0, 8208.0, 16193.0, 31749.0, 64055.0}, {300.0})) {
    const size_t first = results.size();
    results.push_back(run(device, "elastic_table1", {particles, 1e6, 2e-3, "auto"}));
    results.push_back(run(device, "elastic_table1", {particles, 1e6, 2e-3, "preconditioned"}));
    results.push_back(run(device, "elastic_table1", {particles, 1e6, 2e-3, "preconditioned", true}));
    for (const char* solve : {"split", "conjugateGradient"})
      results.push_back(run(device, "elastic_table1", {particles, 1e6, 2e-3, solve}));
    compare(results, first);
  }
  return results;
}

std::vector<BenchmarkResult> benchmark_elastic_stiffness(const Device& device) {
  const double particles = by_size(device.backend == Backend::cuda ? 31749.0 : 8208.0, 300.0);
  std::vector<std::pair<double, double>> cases;
  for (double modulus : {0.1e6, 0.5e6, 1e6, 5e6, 10e6}) cases.emplace_back(modulus, 2e-3);
  for (double step : {1e-3, 5e-3, 10e-3, 15e-3}) cases.emplace_back(1e6, step);
  std::vector<BenchmarkResult> results;
  for (const auto& [modulus, step] : cases) {
    const size_t first = results.size();
    for (const char* solve : {"auto", "preconditioned", "conjugateGradient"})
      results.push_back(run(device, "elastic_table2", {particles, modulus, step, solve}));
    compare(results, first);
  }
  return results;
}

std::vector<BenchmarkResult> benchmark_elastic_regimes(const Device& device) {
  std::vector<Regime> regimes{{"beam of 8 x 3 x 3", {8, 3, 3}, 0, 60}};
  if (!quick_benchmarks()) regimes.clear();
  for (const double stiffness : by_size<std::vector<double>>({6, 60, 600}, {})) {
    regimes.push_back({"rod of 120 x 4 x 4", {120, 4, 4}, 0, stiffness});
    regimes.push_back({"beam of 50 x 10 x 10", {50, 10, 10}, 0, stiffness});
    regimes.push_back({"beam of 50 x 10 x 10", {50, 10, 10}, 0.3, stiffness});
    regimes.push_back({"shell of 50 x 50 x 2", {50, 50, 2}, 0, stiffness});
    regimes.push_back({"cube of 17 x 17 x 17", {17, 17, 17}, 0, stiffness});
  }
  std::vector<BenchmarkResult> results;
  for (const Regime& regime : regimes) {
    const size_t first = results.size();
    for (const char* solve : {"auto", "preconditioned", "conjugateGradient"})
      results.push_back(run(device, regime, solve));
    compare(results, first);
  }
  return results;
}

}  // namespace merganser
