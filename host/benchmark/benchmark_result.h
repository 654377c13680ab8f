#pragma once
/// Measurements of one benchmark case.
#include <string>
#include <utility>
#include <vector>

namespace merganser {

struct BenchmarkResult {
  std::string name;       ///< of the benchmark
  std::string case_name;  ///< what exactly was run
  long long particles = 0;
  long long steps = 0;  ///< measured, after warm-up
  double ms_per_step = 0;
  double bytes_per_particle = 0;                       ///< device memory; 0 = not stated
  std::vector<std::pair<std::string, double>> stages;  ///< ms per step
  std::vector<std::pair<std::string, double>>
      figures;  ///< whatever else the case is about; the name holds the unit
  double particle_steps_per_second() const {
    return ms_per_step > 0 ? 1e3 * static_cast<double>(particles) / ms_per_step : 0;
  }
};

}  // namespace merganser
