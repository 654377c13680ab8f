#pragma once
/// Shared parts of the benchmarks of whole simulations.
#include <filesystem>
#include <memory>

#include "host/benchmark/benchmark_cases.h"
#include "host/simulation/simulation.h"

namespace merganser {

constexpr double no_end = 1e30;  ///< [s]

/// What one step counts on average; `milliseconds` by stage.
struct Averages {
  std::map<std::string, double> milliseconds;
  std::vector<std::string> order;
  double iterations[2] = {0, 0}, contacts = 0, groups = 0, second_stages = 0;
  double unmet_tolerances = 0;  ///< share of the steps
};

/// Five batches of steps, each of at least a second or 10 steps, whichever is more steps, but at most 200;
/// the median is what counts. The report hears of every step.
BenchmarkResult measure_steps(Simulation& simulation, const Device& device, Averages& averages,
                              BenchmarkReport& report);
/// Every step until the simulated time `end` [s]; times, iterations and stages are means over the same steps.
BenchmarkResult measure_window(Simulation& simulation, const Device& device, double end, Averages& averages,
                               BenchmarkReport& report);
/// Figures of what a step sent to the device.
std::vector<std::pair<std::string, double>> traffic_a_step(const DeviceTraffic& before,
                                                           const DeviceTraffic& after, double steps);
std::unique_ptr<Simulation> simulation_on(const Device& device, const InitialState& initial);
/// The folder `scenes`: of the working directory, of a package or of the source tree around the executable.
std::filesystem::path scenes_folder();

}  // namespace merganser
