#pragma once
/// Times of a primitive's stages.
#include <algorithm>
#include <functional>

#include "device/launch.h"
#include "device/timers.h"
#include "solvers/benchmarks/primitive_benchmarks.h"

MERGANSER_BEGIN

/// A named piece of work; `measured` = false: preparation, repeated but not timed.
struct Stage {
  std::string name;
  std::function<void()> work;
  bool measured = true;
};

/// Two warm-up repetitions, then the median of each stage.
inline PrimitiveTiming time_stages_of(const std::vector<Stage>& stages, int count) {
  constexpr int repetitions = 15;
  std::map<std::string, std::vector<double>> samples;
  for (int repetition = -2; repetition < repetitions; ++repetition)
    for (const Stage& stage : stages) {
      synchronize();
      const long long start = now_nanoseconds();
      stage.work();
      synchronize();
      if (repetition >= 0 && stage.measured)
        samples[stage.name].push_back(1e-6 * static_cast<double>(now_nanoseconds() - start));
    }
  PrimitiveTiming timing;
  timing.repetitions = repetitions;
  timing.bytes_per_element = static_cast<double>(allocated_bytes()) / count;
  for (auto& [name, times] : samples) {
    std::sort(times.begin(), times.end());
    timing.stage_milliseconds[name] = times[times.size() / 2];
    timing.milliseconds += times[times.size() / 2];
  }
  return timing;
}

MERGANSER_END
