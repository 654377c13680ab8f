/// Boxes of soft particles, two layers of which move to and fro: other shapes, stiffnesses and sizes than
/// those of [ES].
#include <array>
#include <cstdio>

#include "host/benchmark/benchmark_elastic.h"
#include "host/benchmark/benchmark_steps.h"

namespace merganser {

namespace {

enum class Load {
  driven,   ///< two layers of every box move to and fro across it
  meeting,  ///< two boxes meet at 2 m/s, half a spacing apart at the start
  falling,  ///< a box falls at 2 m/s onto a floor, half a spacing below it
};

/// Boxes of particles.
struct Regime {
  const char* name;
  std::array<int, 3> cells;
  double jitter;     ///< of the rest positions, fraction of the spacing
  double stiffness;  ///< E dt^2 / (rho d^2): the square of the spacings that sound travels in a step
  int boxes = 1;     ///< side by side, a fifth of their width apart
  Load load = Load::driven;
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

/// The keys of prescribed motion of two layers, to and fro.
std::string driven_layers() {
  std::string moves;
  const double times[] = {0, 0.25 * elastic_window, 0.75 * elastic_window, elastic_window};
  for (int k = 0; k < 3; ++k) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        R"({"box": [[-1, -1, -1], [%g, 99, 9]], "velocity": [0, 0, %g], "startTime": %g, "endTime": %g})",
        2 * spacing, k == 1 ? -0.4 : 0.4, times[k], times[k + 1]);
    moves += (k > 0 ? ", " : "") + std::string(text);
  }
  return ", \"prescribed\": [" + moves + "]";
}

/// The k-th box as a body of the scene: beside the one before, or above it where they meet.
std::string box_of(const Regime& regime, double modulus, int k) {
  const bool meeting = regime.load == Load::meeting;
  const std::array<double, 3> size{regime.cells[0] * spacing, regime.cells[1] * spacing,
                                   regime.cells[2] * spacing};
  const double y = meeting ? 0 : 1.2 * k * size[1], z = meeting ? k * (size[2] + 0.5 * spacing) : 0;
  const double speed = regime.load == Load::driven ? 0 : meeting ? (k == 0 ? 1 : -1) : -2;
  char text[400];
  std::snprintf(
      text, sizeof text,
      R"({"name": "box%d", "shape": "box", "start": [0, %.9g, %.9g], "end": [%.9g, %.9g, %.9g], )"
      R"("density0": %g, "youngsModulus": %.9g, "poissonRatio": 0.33, "jitter": %g, "velocity": [0, 0, %g])",
      k, y, z, size[0], y + size[1], z + size[2], density, modulus, regime.jitter, speed);
  return text + (regime.load == Load::driven ? driven_layers() : std::string()) + "}";
}

BenchmarkResult run(const Device& device, const char* name, const Regime& regime, const Solve& solve,
                    BenchmarkReport& report) {
  const double modulus = regime.stiffness * density * spacing * spacing / (step * step);
  std::string boxes;
  for (int k = 0; k < regime.boxes; ++k) boxes += (k > 0 ? ", " : "") + box_of(regime, modulus, k);
  SceneOverrides overrides;
  overrides.set = {"checks=[]", "systems.solid.bodies=[" + boxes + "]",
                   "simulation.timeStepSize=" + std::to_string(step),
                   "systems.solid.solve=" + std::string(solve.solve), "systems.solid.maxIterations=10000"};
  overrides.set.push_back("systems.solid.factorParts=" + std::to_string(solve.parts));
  if (regime.load == Load::meeting) overrides.set.push_back("systems.solid.selfContact=true");
  if (regime.load == Load::falling) {
    char text[160];
    std::snprintf(text, sizeof text,
                  R"(walls=[{"shape": "plane", "point": [0, 0, %g], "normal": [0, 0, 1]}])", -0.5 * spacing);
    overrides.set.push_back(text);
  }
  BenchmarkResult result = run_elastic(
      device, name, {0, modulus, step, solve.solve, false, solve.steps * step}, overrides, report);
  result.case_name = words_of(regime, solve);
  return result;
}

ElasticRun run_of(const Device& device, const char* name, const Regime& regime, const Solve& solve,
                  BenchmarkReport& report) {
  const double particles = double(regime.cells[0]) * regime.cells[1] * regime.cells[2] * regime.boxes;
  double cost = particles * solve.steps * expected_iterations(solve.solve, regime.stiffness);
  // A whole factor of a cube takes a time that grows with the square of its particles.
  if (solve.parts == 1) cost += 7.5e-3 * particles * particles;
  return {words_of(regime, solve), cost,
          [=, &device, &report] { return run(device, name, regime, solve, report); }};
}

}  // namespace

void benchmark_elastic_regimes(const Device& device, BenchmarkReport& report) {
  std::vector<Regime> regimes{{"beam of 8 x 3 x 3", {8, 3, 3}, 0, 60}};
  regimes.push_back({"two boxes of 5 x 5 x 4 that meet", {5, 5, 4}, 0, 60, 2, Load::meeting});
  regimes.push_back({"box of 5 x 5 x 4 that falls onto a floor", {5, 5, 4}, 0, 60, 1, Load::falling});
  regimes.push_back({"8 equal boxes of 5 x 3 x 3", {5, 3, 3}, 0, 60, 8});
  if (!quick_benchmarks()) regimes.clear();
  for (const double stiffness : by_size<std::vector<double>>({6, 60, 600}, {})) {
    regimes.push_back({"rod of 120 x 4 x 4", {120, 4, 4}, 0, stiffness});
    regimes.push_back({"beam of 50 x 10 x 10", {50, 10, 10}, 0, stiffness});
    regimes.push_back({"beam of 50 x 10 x 10", {50, 10, 10}, 0.3, stiffness});
    regimes.push_back({"shell of 50 x 50 x 2", {50, 50, 2}, 0, stiffness});
    regimes.push_back({"cube of 17 x 17 x 17", {17, 17, 17}, 0, stiffness});
    regimes.push_back({"two cubes of 13 x 13 x 13 that meet", {13, 13, 13}, 0, stiffness, 2, Load::meeting});
    regimes.push_back(
        {"cube of 17 x 17 x 17 that falls onto a floor", {17, 17, 17}, 0, stiffness, 1, Load::falling});
    for (const int boxes : {8, 27})
      regimes.push_back({boxes == 8 ? "8 equal beams of 20 x 6 x 6" : "27 equal beams of 20 x 6 x 6",
                         {20, 6, 6},
                         0,
                         stiffness,
                         boxes});
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
