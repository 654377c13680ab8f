/// Boxes of soft particles, two layers of which move to and fro: other shapes, stiffnesses and sizes than
/// those of [ES].
#include <array>
#include <cstdio>

#include "host/benchmark/benchmark_elastic.h"
#include "host/benchmark/benchmark_steps.h"

namespace merganser {

namespace {

/// A box of particles, two layers of which move to and fro across it.
struct Regime {
  const char* name;
  std::array<int, 3> cells;
  double jitter;     ///< of the rest positions, fraction of the spacing
  double stiffness;  ///< E dt^2 / (rho d^2): the square of the spacings that sound travels in a step
};

struct Solve {
  const char* solve;
  int parts = 0;           ///< factorParts
  const char* words = "";  ///< what is said of them
  double steps = 200;
};

constexpr double spacing = 0.0254, density = 1000, step = 2e-3;  // the scene's at resolution 1

std::string words_of(const Regime& regime, const Solve& solve) {
  char text[200];
  std::snprintf(text, sizeof text, "%s%s, E dt^2 / (rho d^2) = %g: %s%s", regime.name,
                regime.jitter > 0 ? ", irregular" : "", regime.stiffness, solve.solve, solve.words);
  return text;
}

BenchmarkResult run(const Device& device, const char* name, const Regime& regime, const Solve& solve,
                    BenchmarkReport& report) {
  const double modulus = regime.stiffness * density * spacing * spacing / (step * step);
  char text[400];
  std::string moves;
  const double times[] = {0, 0.25 * elastic_window, 0.75 * elastic_window, elastic_window};
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
                   "systems.solid.solve=" + std::string(solve.solve), "systems.solid.maxIterations=10000"};
  overrides.set.push_back("systems.solid.factorParts=" + std::to_string(solve.parts));
  BenchmarkResult result = run_elastic(
      device, name, {0, modulus, step, solve.solve, false, solve.steps * step}, overrides, report);
  result.case_name = words_of(regime, solve);
  return result;
}

ElasticRun run_of(const Device& device, const char* name, const Regime& regime, const Solve& solve,
                  BenchmarkReport& report) {
  const double particles = double(regime.cells[0]) * regime.cells[1] * regime.cells[2];
  double cost = particles * solve.steps * expected_iterations(solve.solve, regime.stiffness);
  // A whole factor of a cube takes a time that grows with the square of its particles.
  if (solve.parts == 1) cost += 7.5e-3 * particles * particles;
  return {words_of(regime, solve), cost,
          [=, &device, &report] { return run(device, name, regime, solve, report); }};
}

}  // namespace

void benchmark_elastic_regimes(const Device& device, BenchmarkReport& report) {
  std::vector<Regime> regimes{{"beam of 8 x 3 x 3", {8, 3, 3}, 0, 60}};
  if (!quick_benchmarks()) regimes.clear();
  for (const double stiffness : by_size<std::vector<double>>({6, 60, 600}, {})) {
    regimes.push_back({"rod of 120 x 4 x 4", {120, 4, 4}, 0, stiffness});
    regimes.push_back({"beam of 50 x 10 x 10", {50, 10, 10}, 0, stiffness});
    regimes.push_back({"beam of 50 x 10 x 10", {50, 10, 10}, 0.3, stiffness});
    regimes.push_back({"shell of 50 x 50 x 2", {50, 50, 2}, 0, stiffness});
    regimes.push_back({"cube of 17 x 17 x 17", {17, 17, 17}, 0, stiffness});
  }
  std::vector<std::vector<ElasticRun>> sets;
  for (const Regime& regime : regimes) {
    auto& set = sets.emplace_back();
    for (const char* solve : {"conjugateGradient", "auto", "preconditioned"})
      set.push_back(run_of(device, "elastic_regimes", regime, {solve}, report));
  }
  run_elastic_sets(report, sets);
}

void benchmark_elastic_large(const Device& device, BenchmarkReport& report) {
  std::vector<Regime> boxes{{"beam of 16 x 5 x 5", {16, 5, 5}, 0, 60}};
  if (!quick_benchmarks()) boxes.clear();
  const auto edges = by_size<std::vector<int>>({40, 50, 63, 79, 100}, {});
  for (const int edge : edges)
    for (const double stiffness : {6, 60, 600}) boxes.push_back({"cube", {edge, edge, edge}, 0, stiffness});
  std::vector<std::vector<ElasticRun>> sets;
  for (const Regime& box : boxes) {
    std::vector<Solve> solves{{"conjugateGradient", 0, "", 20},
                              {"preconditioned", 0, ", automatic parts", 20}};
    // Beyond that a whole factor takes minutes and gigabytes.
    if (box.cells[0] <= 50) solves.push_back({"preconditioned", 1, ", factored whole", 20});
    auto& set = sets.emplace_back();
    for (const Solve& solve : solves) set.push_back(run_of(device, "elastic_large", box, solve, report));
  }
  run_elastic_sets(report, sets);
}

}  // namespace merganser
