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

std::string words_of(const ElasticCase& what, double particles) {
  char text[160];
  std::snprintf(text, sizeof text, "%s%s: %.0f particles, E = %g MPa, step %g ms", what.solve,
                what.half_factor ? ", factor in half precision" : "", particles, 1e-6 * what.youngs_modulus,
                1e3 * what.time_step);
  return text;
}

ElasticRun run_of(const Device& device, const char* name, const ElasticCase& what, BenchmarkReport& report) {
  const double spacing = 0.0254 * std::cbrt(particles_at_resolution_1 / what.particles),
               stiffness = what.youngs_modulus * what.time_step * what.time_step / (1000 * spacing * spacing);
  return {words_of(what, what.particles),
          what.particles * elastic_window / what.time_step * expected_iterations(what.solve, stiffness),
          [=, &device, &report] { return run_elastic(device, name, what, overrides_of(what), report); }};
}

}  // namespace

BenchmarkResult run_elastic(const Device& device, const char* name, const ElasticCase& what,
                            const SceneOverrides& overrides, BenchmarkReport& report) {
  const Scene scene = load_scene(scenes_folder() / "elastic_sph" / "fig02_moving_bunny.json", overrides);
  const InitialState initial = build_initial_state(scene);
  forget_peak();
  const auto start = std::chrono::steady_clock::now();
  const auto simulation = simulation_on(device, initial);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Averages averages;
  BenchmarkResult result =
      measure_window(*simulation, device, by_size(what.end, 2 * what.time_step), averages, report);
  result.name = name;
  result.case_name = words_of(what, double(result.particles));
  auto figures = simulation->setup_metrics();
  figures.insert(figures.begin(), {{"iterations", averages.iterations[0]},
                                   {"steps_with_unmet_tolerance", averages.unmet_tolerances},
                                   {"elastic_solve_ms", averages.milliseconds["integrate_1"]},
                                   {"set_up_seconds", seconds},
                                   {"peak_resident_MB", peak_resident_megabytes()}});
  result.figures.insert(result.figures.begin(), figures.begin(), figures.end());
  return result;
}

double expected_iterations(const std::string& solve, double stiffness) {
  return 5 + (solve == "conjugateGradient" ? 10 * std::sqrt(stiffness) : 10);
}

void run_elastic_sets(BenchmarkReport& report, const std::vector<std::vector<ElasticRun>>& sets) {
  std::vector<double> costs;
  for (const auto& set : sets)
    for (const ElasticRun& run : set) costs.push_back(run.cost);
  report.expect(costs);
  for (const auto& set : sets) {
    double baseline = 0;  // [ms]
    for (const ElasticRun& run : set) {
      report.begin_case(run.words);
      BenchmarkResult result = run.run();
      if (baseline > 0)
        result.figures.emplace_back("times_faster_than_baseline", baseline / result.ms_per_step);
      if (baseline == 0) baseline = result.ms_per_step;
      report.add(result);
    }
  }
}

void benchmark_elastic_sizes(const Device& device, BenchmarkReport& report) {
  std::vector<std::vector<ElasticRun>> sets;
  for (const double particles :
       by_size<std::vector<double>>({4208.0, 8208.0, 16193.0, 31749.0, 64055.0}, {300.0})) {
    auto& set = sets.emplace_back();
    for (const ElasticCase& what :
         {ElasticCase{particles, 1e6, 2e-3, "conjugateGradient"}, ElasticCase{particles, 1e6, 2e-3, "auto"},
          ElasticCase{particles, 1e6, 2e-3, "preconditioned"},
          ElasticCase{particles, 1e6, 2e-3, "preconditioned", true},
          ElasticCase{particles, 1e6, 2e-3, "split"}})
      set.push_back(run_of(device, "elastic_table1", what, report));
  }
  run_elastic_sets(report, sets);
}

void benchmark_elastic_stiffness(const Device& device, BenchmarkReport& report) {
  const double particles = by_size(device.backend == Backend::cuda ? 31749.0 : 8208.0, 300.0);
  std::vector<std::pair<double, double>> cases;
  for (double modulus : {0.1e6, 0.5e6, 1e6, 5e6, 10e6}) cases.emplace_back(modulus, 2e-3);
  for (double step : {1e-3, 5e-3, 10e-3, 15e-3}) cases.emplace_back(1e6, step);
  std::vector<std::vector<ElasticRun>> sets;
  for (const auto& [modulus, step] : cases) {
    auto& set = sets.emplace_back();
    for (const char* solve : {"conjugateGradient", "auto", "preconditioned"})
      set.push_back(run_of(device, "elastic_table2", {particles, modulus, step, solve}, report));
  }
  run_elastic_sets(report, sets);
}

}  // namespace merganser
