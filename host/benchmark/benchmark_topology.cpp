/// Cost of topological neighborhoods beside the simulation that uses them.
#include <algorithm>
#include <chrono>

#include "host/benchmark/benchmark_steps.h"
#include "host/scene/scene.h"
#include "solvers/benchmarks/primitive_benchmarks.h"

namespace merganser {

namespace {

using KernelTimes = std::map<std::string, std::pair<long long, double>>;

/// The update's own kernels and the grid, scans and sorting that only it uses in this scene.
bool of_update(const std::string& kernel) {
  for (const char* start : {"topology", "grid", "exclusive scan", "permute"})
    if (kernel.rfind(start, 0) == 0) return true;
  return false;
}

std::pair<long long, double> since(const KernelTimes& before, const KernelTimes& now,
                                   const std::string& name) {
  const auto earlier = before.find(name), later = now.find(name);
  if (later == now.end()) return {0, 0};
  if (earlier == before.end()) return later->second;
  return {later->second.first - earlier->second.first, later->second.second - earlier->second.second};
}

}  // namespace

BenchmarkResult benchmark_topology(const Device& device, BenchmarkReport& report) {
  const double begin = by_size(0.02, 0.0);  // [s]; the drop touches at about 0.035 s
  const int frames = by_size(4, 1);
  SceneOverrides overrides;
  overrides.resolution = by_size(1.0, 0.3);
  const Scene scene = load_scene(scenes_folder() / "topology" / "fig10_splash.json", overrides);
  const auto simulation = simulation_on(device, build_initial_state(scene));
  report.begin_case(scene.title);
  while (simulation->time() < begin) {
    report.at(simulation->time() / (begin + frames / scene.frame_rate));
    simulation->step(begin);
  }
  const bool cuda = device.backend == Backend::cuda;
  const long long first_step = simulation->step_count();
  const StateArchive at_begin = simulation->save();
  const auto run_frames = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int frame = 1; frame <= frames; ++frame) {
      const double end = begin + frame / scene.frame_rate;
      while (simulation->time() < end) simulation->step(end);
      report.at((begin + frame / scene.frame_rate) / (begin + frames / scene.frame_rate));
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  KernelTimes before = simulation->kernel_times();
  const double whole = run_frames();
  if (cuda) {  // kernels are timed in a second run, for on the GPU each is then waited for
    simulation->load(at_begin);
    gpu::time_kernels(true);
    before = simulation->kernel_times();
    run_frames();
    gpu::time_kernels(false);
  }
  const KernelTimes after = simulation->kernel_times();

  BenchmarkResult result;
  result.name = "topology";
  result.case_name = scene.title + ", " + std::to_string(frames) + " frames of 0.01 s";
  result.particles = simulation->particle_count();
  result.steps = simulation->step_count() - first_step;
  result.ms_per_step = whole / double(result.steps);
  result.bytes_per_particle = double(simulation->device_bytes()) / double(result.particles);
  double update = 0;
  std::vector<std::pair<double, std::string>> kernels;
  for (const auto& [name, time] : after) {
    if (!of_update(name)) continue;
    const double milliseconds = since(before, after, name).second;
    update += milliseconds;
    kernels.emplace_back(milliseconds, name);
  }
  const double updates = double(std::max(1LL, since(before, after, "topology carry links over").first));
  std::sort(kernels.rbegin(), kernels.rend());
  for (size_t k = 0; k < std::min<size_t>(8, kernels.size()); ++k)
    result.stages.emplace_back(kernels[k].second, kernels[k].first / double(result.steps));
  result.figures = {{"update_ms", update / updates},
                    {"updates_per_frame", updates / frames},
                    {"frame_ms", whole / frames},
                    {"update_ms_per_frame", update / frames},
                    {"updates_over_rest_of_frame", update / std::max(whole - update, 1e-30)}};
  return result;
}

}  // namespace merganser
