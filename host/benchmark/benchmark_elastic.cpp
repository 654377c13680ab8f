/// [ES] Tables 1 and 2: a soft body whose lowest slice moves, solved in our ways and by its baseline.
#include <malloc.h>

#include <chrono>
#include <cmath>
#include <fstream>

#include "host/benchmark/benchmark_elastic.h"
#include "host/benchmark/benchmark_steps.h"

namespace merganser {

namespace {

constexpr double particles_at_resolution_1 = 32000;

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
                   body + "youngsModulus=" + std::to_string(what.youngs_modulus),
                   std::string("systems.solid.factorPrecision=") + (what.half_factor ? "half" : "single")};
  moves(0, 0, 0.25 * elastic_window), moves(1, 0.25 * elastic_window, 0.75 * elastic_window),
      moves(2, 0.75 * elastic_window, elastic_window);
  return overrides;
}

BenchmarkResult run(const Device& device, const char* name, const ElasticCase& what) {
  return run_elastic(device, name, what, overrides_of(what));
}

}  // namespace

BenchmarkResult run_elastic(const Device& device, const char* name, const ElasticCase& what,
                            const SceneOverrides& overrides) {
  const Scene scene = load_scene(scenes_folder() / "elastic_sph" / "fig02_moving_bunny.json", overrides);
  const InitialState initial = build_initial_state(scene);
  forget_peak();
  const auto start = std::chrono::steady_clock::now();
  const auto simulation = simulation_on(device, initial);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Averages averages;
  BenchmarkResult result =
      measure_window(*simulation, device, by_size(what.end, 2 * what.time_step), averages);
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

void compare_with_last(std::vector<BenchmarkResult>& results, size_t first) {
  for (size_t k = first; k + 1 < results.size(); ++k)
    results[k].figures.emplace_back("times_faster_than_baseline",
                                    results.back().ms_per_step / results[k].ms_per_step);
}

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
    compare_with_last(results, first);
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
    compare_with_last(results, first);
  }
  return results;
}

}  // namespace merganser
