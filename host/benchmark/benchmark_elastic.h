#pragma once
/// Shared parts of the benchmarks of elastic SPH.
#include <functional>

#include "host/benchmark/benchmark_cases.h"
#include "host/scene/scene.h"

namespace merganser {

/// [s] Cases move to and fro once over this simulated time.
constexpr double elastic_window = 0.4;

struct ElasticCase {
  double particles;
  double youngs_modulus, time_step;  ///< [Pa], [s]
  const char* solve;
  bool half_factor = false;     ///< the preconditioner's in half precision
  double end = elastic_window;  ///< [s] measured from rest up to here
};

/// The scene fig02_moving_bunny.json of scenes/elastic_sph; the report hears of every step.
BenchmarkResult run_elastic(const Device& device, const char* name, const ElasticCase& what,
                            const SceneOverrides& overrides, BenchmarkReport& report);

/// One solve of a set, and what it is expected to cost beside the others: particles x steps x iterations.
struct ElasticRun {
  std::string words;
  double cost = 1;
  std::function<BenchmarkResult()> run;
};
/// Runs sets of solves of one body each; the first of a set is the baseline, and the others say how many
/// times faster they are.
void run_elastic_sets(BenchmarkReport& report, const std::vector<std::vector<ElasticRun>>& sets);

/// Iterations of block Jacobi and of the factored matrix, roughly: what costs are expected from.
/// `stiffness` = E dt^2 / (rho d^2).
double expected_iterations(const std::string& solve, double stiffness);

}  // namespace merganser
