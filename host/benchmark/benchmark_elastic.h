#pragma once
/// What benchmarks of elastic SPH share.
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

/// The scene fig02_moving_bunny.json of scenes/elastic_sph.
BenchmarkResult run_elastic(const Device& device, const char* name, const ElasticCase& what,
                            const SceneOverrides& overrides);
/// Adds how many times faster each solve from `first` on is than the last one, the baseline.
void compare_with_last(std::vector<BenchmarkResult>& results, size_t first);

}  // namespace merganser
