#include "device/timers.h"

#include <chrono>
#include <deque>
#include <mutex>
#include <string_view>

#include "device/kernel_profile.h"

MERGANSER_BEGIN

namespace {
/// Never destroyed: arrays and kernels may still be used while the process exits.
struct Registry {
  std::mutex mutex;
  std::deque<KernelCounters> kernels;
};
Registry& registry() {
  static Registry& created = *new Registry;
  return created;
}
std::atomic<bool> kernel_timing_on{false}, launch_graphs_on{true};
}  // namespace

KernelCounters& kernel_counters(const char* name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (KernelCounters& kernel : all.kernels)
    if (std::string_view(kernel.name) == name) return kernel;
  return all.kernels.emplace_back(name);
}

long long now_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::map<std::string, KernelTime> kernel_profile() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::map<std::string, KernelTime> profile;
  for (const KernelCounters& kernel : all.kernels)
    if (kernel.launches > 0)
      profile[kernel.name] = {kernel.launches, 1e-6 * static_cast<double>(kernel.nanoseconds)};
  return profile;
}

void reset_kernel_profile() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (KernelCounters& kernel : all.kernels) {
    kernel.launches = 0;
    kernel.nanoseconds = 0;
  }
}

void set_kernel_timing(bool on) { kernel_timing_on = on; }
bool kernel_timing() { return kernel_timing_on.load(std::memory_order_relaxed); }
void set_launch_graphs(bool on) { launch_graphs_on = on; }
bool launch_graphs() { return launch_graphs_on.load(std::memory_order_relaxed); }

TrafficCounters& traffic_counters() {
  static TrafficCounters& created = *new TrafficCounters;
  return created;
}
DeviceTraffic device_traffic() {
  const TrafficCounters& counted = traffic_counters();
  return {counted.kernels, counted.graphs, counted.copies, counted.reads, counted.writes, counted.recordings};
}

StageTimer::StageTimer(std::map<std::string, double>& stages, std::string stage)
    : stages_(stages), stage_(std::move(stage)), start_(1e-6 * static_cast<double>(now_nanoseconds())) {}

void StageTimer::stop() {
  if (!running_) return;
  running_ = false;
  stages_[stage_] += 1e-6 * static_cast<double>(now_nanoseconds()) - start_;
}

MERGANSER_END
