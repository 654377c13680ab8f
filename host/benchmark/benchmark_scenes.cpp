/// Whole simulations: warm-up, the median of several batches of steps, then where the time went.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

#include "device/errors.h"
#include "host/benchmark/benchmark_steps.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "solvers/benchmarks/primitive_benchmarks.h"

namespace merganser {

namespace {

constexpr int batches = 5;

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Averages average(const std::vector<StepStatistics>& rows) {
  Averages averages;
  const double steps = double(rows.size());
  for (const StepStatistics& row : rows) {
    for (const auto& [stage, milliseconds] : row.stage_milliseconds) {
      if (averages.milliseconds.count(stage) == 0) averages.order.push_back(stage);
      averages.milliseconds[stage] += milliseconds / steps;
    }
    for (int stage = 0; stage < 2; ++stage)
      averages.iterations[stage] += row[stage == 0 ? "iterations_1" : "iterations_2"] / steps;
    averages.unmet_tolerances += row.tolerance_met ? 0.0 : 1.0 / steps;
    averages.contacts += row["contacts"] / steps;
    averages.groups += row["groups"] / steps;
    averages.second_stages += row["second_stage"] / steps;
  }
  return averages;
}

/// Runs `steps` steps one by one, as a run does, and averages what they report.
Averages average_steps(Simulation& simulation, int steps) {
  std::vector<StepStatistics> rows;
  for (int s = 0; s < steps; ++s) rows.push_back(simulation.step(no_end));
  return average(rows);
}

/// With what the simulation takes, and the traffic of its steps since `before`.
BenchmarkResult result_of(Simulation& simulation, const Device& device, const DeviceTraffic& before,
                          long long steps) {
  BenchmarkResult result;
  result.particles = simulation.particle_count();
  result.steps = steps;
  result.bytes_per_particle = static_cast<double>(simulation.device_bytes()) /
                              static_cast<double>(std::max(1, simulation.particle_count()));
  if (device.backend == Backend::cuda)
    result.figures = traffic_a_step(before, simulation.traffic(), double(steps));
  return result;
}

/// The five kernels that take longest, in ms a step.
std::vector<std::pair<std::string, double>> slowest_kernels(Simulation& simulation, int steps, bool cuda) {
  if (cuda) gpu::time_kernels(true);
  const auto before = simulation.kernel_times();
  for (int s = 0; s < steps; ++s) simulation.step(no_end);
  if (cuda) gpu::time_kernels(false);
  std::vector<std::pair<double, std::string>> kernels;
  for (const auto& [name, time] : simulation.kernel_times()) {
    const auto earlier = before.find(name);
    kernels.emplace_back((time.second - (earlier == before.end() ? 0 : earlier->second.second)) / steps,
                         name);
  }
  std::sort(kernels.rbegin(), kernels.rend());
  std::vector<std::pair<std::string, double>> slowest;
  for (size_t k = 0; k < std::min<size_t>(5, kernels.size()); ++k)
    slowest.emplace_back("kernel '" + kernels[k].second + "' ms", kernels[k].first);
  return slowest;
}

}  // namespace

std::vector<std::pair<std::string, double>> traffic_a_step(const DeviceTraffic& before,
                                                           const DeviceTraffic& after, double steps) {
  return {{"kernels_per_step", double(after.kernels - before.kernels) / steps},
          {"graphs_per_step", double(after.graphs - before.graphs) / steps},
          {"graphs_recorded_per_step", double(after.recordings - before.recordings) / steps},
          {"copies_on_device_per_step", double(after.copies - before.copies) / steps},
          {"blocking_reads_per_step", double(after.reads - before.reads) / steps},
          {"writes_per_step", double(after.writes - before.writes) / steps}};
}

BenchmarkResult measure_steps(Simulation& simulation, const Device& device, Averages& averages,
                              BenchmarkReport& report) {
  const bool cuda = device.backend == Backend::cuda;
  const double start = now_milliseconds();
  const int warm_up = by_size(5, 1);
  for (int s = 0; s < warm_up; ++s) simulation.step(no_end);
  const double estimate = (now_milliseconds() - start) / warm_up;
  const int steps = by_size(std::clamp(static_cast<int>(1000 / estimate), 10, 200), 1);
  std::vector<double> per_step;
  const DeviceTraffic traffic_before = simulation.traffic();
  for (int batch = 0; batch < batches; ++batch) {
    report.at(double(batch) / (batches + 1));  // the averages below are one batch more
    const double begin = now_milliseconds();
    for (int s = 0; s < steps; ++s) simulation.step(no_end);  // ends with a read-back, so the time is whole
    per_step.push_back((now_milliseconds() - begin) / steps);
  }
  std::sort(per_step.begin(), per_step.end());
  BenchmarkResult result =
      result_of(simulation, device, traffic_before, static_cast<long long>(steps) * batches);
  result.ms_per_step = per_step[batches / 2];
  result.figures.insert(result.figures.begin(), {{"fastest_batch_ms_per_step", per_step.front()},
                                                 {"slowest_batch_ms_per_step", per_step.back()}});
  report.at(double(batches) / (batches + 1));
  averages = average_steps(simulation, steps);
  for (const std::string& stage : averages.order)
    result.stages.emplace_back(stage, averages.milliseconds[stage]);
  for (auto& kernel : slowest_kernels(simulation, std::max(1, steps / 5), cuda))
    result.figures.push_back(std::move(kernel));
  return result;
}

BenchmarkResult measure_window(Simulation& simulation, const Device& device, double end, Averages& averages,
                               BenchmarkReport& report) {
  std::vector<StepStatistics> rows;
  std::vector<double> per_step;
  const DeviceTraffic traffic_before = simulation.traffic();
  while (simulation.time() < end * (1 - 1e-9)) {
    report.at(simulation.time() / end);
    const double begin = now_milliseconds();
    rows.push_back(simulation.step(no_end));
    per_step.push_back(now_milliseconds() - begin);
  }
  BenchmarkResult result =
      result_of(simulation, device, traffic_before, static_cast<long long>(per_step.size()));
  result.ms_per_step =
      std::accumulate(per_step.begin(), per_step.end(), 0.0) / static_cast<double>(per_step.size());
  std::sort(per_step.begin(), per_step.end());
  result.figures.insert(result.figures.begin(), {"median_step_ms", per_step[per_step.size() / 2]});
  averages = average(rows);
  for (const std::string& stage : averages.order)
    result.stages.emplace_back(stage, averages.milliseconds[stage]);
  return result;
}

std::unique_ptr<Simulation> simulation_on(const Device& device, const InitialState& initial) {
  return device.backend == Backend::cuda ? gpu::make_simulation(initial) : cpu::make_simulation(initial);
}

std::filesystem::path scenes_folder() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& base : {std::filesystem::current_path(), executable.parent_path(),
                           executable.parent_path().parent_path().parent_path()})
    if (std::filesystem::is_directory(base / "scenes" / "merging_and_splitting")) return base / "scenes";
  throw InputError(
      "benchmark of a scene: no folder 'scenes' here or beside the executable; run it in the source folder");
}

BenchmarkResult benchmark_scene(const Device& device, const SceneBenchmark& scene, BenchmarkReport& report) {
  SceneOverrides overrides;
  overrides.resolution = by_size(device.backend == Backend::cuda ? 1.0 : scene.resolution_cpu, 0.14);
  const Scene loaded = load_scene(scenes_folder() / (scene.file + ".json"), overrides);
  const auto simulation = simulation_on(device, build_initial_state(loaded));
  report.expect({3, 1});
  report.begin_case(loaded.title + ", up to the contact");
  for (const double begin = by_size(scene.begin, 0.0); simulation->time() < begin;) {
    report.at(simulation->time() / begin);
    simulation->step(begin);
  }
  report.begin_case(loaded.title);
  Averages averages;
  BenchmarkResult result = measure_steps(*simulation, device, averages, report);
  result.name = scene.name;
  char resolution[32];
  std::snprintf(resolution, sizeof resolution, "%g", *overrides.resolution);
  result.case_name = loaded.title + ", resolution " + resolution;
  double whole = 0;
  for (const auto& [stage, milliseconds] : result.stages) whole += milliseconds;
  auto& ms = averages.milliseconds;
  const double coupling = ms["contacts"] + ms["merge"] + ms["synchronize"] + ms["split"];
  result.figures.insert(
      result.figures.begin(),
      {{"share_of_detection_merge_split", whole > 0 ? coupling / whole : 0},
       {"first_stage_ms", ms["prepare"] + ms["integrate_1"]},
       {"second_stage_ms", ms["integrate_2"]},
       {"second_stage_over_first", ms["integrate_2"] / std::max(ms["prepare"] + ms["integrate_1"], 1e-30)},
       {"second_solve_over_first", ms["integrate_2"] / std::max(ms["integrate_1"], 1e-30)},
       {"steps_with_second_stage", averages.second_stages},
       {"first_stage_iterations", averages.iterations[0]},
       {"second_stage_iterations", averages.iterations[1]},
       {"contacts", averages.contacts},
       {"groups", averages.groups}});
  return result;
}

}  // namespace merganser
