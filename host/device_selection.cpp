#include "host/device_selection.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "device/errors.h"
#include "device/gpu_devices.h"
#include "host/control_groups.h"

namespace merganser {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

std::string cpu_name() {
  std::istringstream lines(system_text("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name") && line.find(": ") != line.npos)
      return line.substr(line.find(": ") + 2);
  return "unknown processor";
}

double memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

Device cpu_device(int threads) {
  Device device;
  device.threads = thread_count(threads);
  device.description =
      fmt::format("cpu ({}, {} thread{})", cpu_name(), device.threads, device.threads == 1 ? "" : "s");
  return device;
}

Device cuda_device(const gpu::DeviceInfo& info, int threads) {
  gpu::select_device(info.index);
  Device device{Backend::cuda, info.index, thread_count(threads), "", ""};
  device.description = fmt::format("cuda:{} ({}, {:.1f} GiB)", info.index, info.name,
                                   static_cast<double>(info.memory_bytes) / gibibyte);
  return device;
}

/// Cores allowed by one folder of a control group, 0 = all.
int quota_of_folder(const std::filesystem::path& folder) {
  double quota = 0, period = 0;
  std::istringstream version_2(system_text(folder / "cpu.max"));  // "max 100000" or "150000 100000"
  if (!(version_2 >> quota >> period)) {
    std::istringstream(system_text(folder / "cpu.cfs_quota_us")) >> quota;
    std::istringstream(system_text(folder / "cpu.cfs_period_us")) >> period;
  }
  return quota > 0 && period > 0 ? static_cast<int>(std::ceil(quota / period)) : 0;
}

}  // namespace

int quota_cores(const std::filesystem::path& root, const std::string& membership) {
  int least = 0;
  for_each_control_group(root, membership, "cpu", [&](const std::filesystem::path& group, bool) {
    const int cores = quota_of_folder(group);
    if (cores > 0) least = least == 0 ? cores : std::min(least, cores);
  });
  return least;
}

int thread_count(int requested) {
  if (requested > 0) return requested;
  if (const char* variable = std::getenv("OMP_NUM_THREADS")) {
    int threads = 0;
    const std::string text = variable;
    std::from_chars(text.data(), text.data() + text.size(), threads);
    if (threads > 0) return threads;
  }
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) threads = CPU_COUNT(&allowed);
  const int quota = quota_cores("/sys/fs/cgroup", system_text("/proc/self/cgroup"));
  return quota > 0 ? std::min(threads, quota) : threads;
}

Device select_device(const std::string& request, int threads) {
  if (request == "cpu") return cpu_device(threads);
  int index = 0;
  const bool automatic = request == "auto";
  if (request.starts_with("cuda:")) {
    const char* end = request.data() + request.size();
    const auto result = std::from_chars(request.data() + 5, end, index);
    if (result.ec != std::errc() || result.ptr != end || index < 0)
      throw InputError("--device " + request +
                       ": what follows 'cuda:' must be a device number such as cuda:0");
  } else if (!automatic && request != "cuda") {
    throw InputError("--device " + request + ": allowed are auto, cuda, cuda:N and cpu");
  }
  const auto devices = gpu::list_devices();
  if (automatic && (devices.empty() || gpu::emulated())) {
    Device device = cpu_device(threads);
    device.note = "no GPU to use: " +
                  (gpu::emulated() ? "this build's is emulated, for --device cuda" : gpu::why_no_device());
    return device;
  }
  if (devices.empty())
    throw DeviceError("--device " + request + ": " + gpu::why_no_device() + "; use --device cpu");
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const gpu::DeviceInfo& d) { return d.index == index; });
  if (found == devices.end())
    throw DeviceError(
        fmt::format("--device {}: this machine has {} CUDA device{}; 'merganser devices' lists them", request,
                    devices.size(), devices.size() == 1 ? "" : "s"));
  Device device = cuda_device(*found, threads);
  if (automatic) device.note = "the first CUDA device";
  return device;
}

std::string device_report(bool json) {
  const auto devices = gpu::list_devices();
  const int threads = thread_count(0);
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& device : devices)
      list.push_back({{"device", fmt::format("cuda:{}", device.index)},
                      {"name", device.name},
                      {"compute_capability", device.compute_capability},
                      {"uuid", device.uuid},
                      {"memory_bytes", device.memory_bytes},
                      {"free_bytes", gpu::free_memory(device.index)}});
    list.push_back(
        {{"device", "cpu"}, {"name", cpu_name()}, {"threads", threads}, {"memory_bytes", memory_bytes()}});
    const nlohmann::ordered_json report{{"devices", list},
                                        {"auto", devices.empty() || gpu::emulated() ? "cpu" : "cuda:0"},
                                        {"cuda", gpu::backend_text()},
                                        {"driver", gpu::driver_version()},
                                        {"no_cuda_device", devices.empty() ? gpu::why_no_device() : ""}};
    return report.dump(2) + "\n";
  }
  std::string text;
  for (const auto& device : devices)
    text += fmt::format("cuda:{}  {}, {:.1f} GiB ({:.1f} GiB free), compute capability {}{}\n", device.index,
                        device.name, static_cast<double>(device.memory_bytes) / gibibyte,
                        static_cast<double>(gpu::free_memory(device.index)) / gibibyte,
                        device.compute_capability, device.uuid.empty() ? "" : ", " + device.uuid);
  text += fmt::format("cpu     {}, {} thread{}, {:.1f} GiB\n", cpu_name(), threads, threads == 1 ? "" : "s",
                      memory_bytes() / gibibyte);
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible && !devices.empty())
    text += fmt::format("(CUDA_VISIBLE_DEVICES={} chooses and numbers them)\n", visible);
  if (devices.empty()) text += "(no CUDA device: " + gpu::why_no_device() + ")\n";
  return text;
}

}  // namespace merganser
