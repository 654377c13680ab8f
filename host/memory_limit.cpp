#include "host/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "device/errors.h"
#include "device/gpu_devices.h"
#include "host/control_groups.h"

namespace merganser {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

/// The number after a word in a text of lines "word number", `otherwise` where it is not there.
double number_after(const std::string& text, const std::string& word, double otherwise) {
  std::istringstream words(text);
  double number = otherwise;
  for (std::string found; words >> found;)
    if (found == word && words >> number) return number;
  return otherwise;
}

/// A file that holds one number; "max" and the like are no limit.
double number_in(const std::filesystem::path& file) {
  double number = none;
  return std::istringstream(system_text(file)) >> number ? number : none;
}

double left_in_group(const std::filesystem::path& folder, bool second_version) {
  const double limit = number_in(folder / (second_version ? "memory.max" : "memory.limit_in_bytes"));
  const double used = number_in(folder / (second_version ? "memory.current" : "memory.usage_in_bytes"));
  if (limit > 1e18 || !std::isfinite(used)) return none;
  const double files = number_after(system_text(folder / "memory.stat"),
                                    second_version ? "inactive_file" : "total_inactive_file", 0);
  return std::max(0.0, limit - used + files);
}

/// What ulimit -v leaves; the program's own pages are counted.
double left_of_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return none;
  const double pages = number_in("/proc/self/statm");  // the first number: of the address space
  const double used = std::isfinite(pages) ? pages * double(sysconf(_SC_PAGESIZE)) : 0;
  return std::max(0.0, double(limit.rlim_cur) - used);
}

/// MERGANSER_MEMORY_LIMIT; negative where it is not set.
double limit_of_environment() {
  const char* text = std::getenv("MERGANSER_MEMORY_LIMIT");
  if (!text || !*text) return -1;
  char* end = nullptr;
  const double bytes = std::strtod(text, &end);
  if (*end || !std::isfinite(bytes) || !(bytes > 0))
    throw InputError(fmt::format("MERGANSER_MEMORY_LIMIT is '{:.40}', but must be a positive number of bytes",
                                 std::string(text)));
  return bytes;
}

}  // namespace

double memory_left_in_groups(const std::filesystem::path& root, const std::string& membership) {
  double least = none;
  for_each_control_group(root, membership, "memory",
                         [&](const std::filesystem::path& group, bool second_version) {
                           least = std::min(least, left_in_group(group, second_version));
                         });
  return least;
}

MemoryLimit host_memory() {
  if (const double bytes = limit_of_environment(); bytes > 0) return {bytes, "MERGANSER_MEMORY_LIMIT"};
  const MemoryLimit limits[] = {{1024 * number_after(system_text("/proc/meminfo"), "MemAvailable:", none),
                                 "this machine's free memory"},
                                {memory_left_in_groups("/sys/fs/cgroup", system_text("/proc/self/cgroup")),
                                 "the memory limit of the control group"},
                                {left_of_address_space(), "the limit of the address space, ulimit -v"}};
  return *std::min_element(std::begin(limits), std::end(limits),
                           [](const MemoryLimit& a, const MemoryLimit& b) { return a.bytes < b.bytes; });
}

MemoryLimit device_memory(const Device& device) {
  if (device.backend == Backend::cpu) return host_memory();
  MemoryLimit limit{none, fmt::format("the free memory of cuda:{}", device.index)};
  if (const size_t free = gpu::free_memory(device.index); free > 0) limit.bytes = double(free);
  if (const double bytes = limit_of_environment(); bytes > 0 && bytes < limit.bytes)
    return {bytes, "MERGANSER_MEMORY_LIMIT"};
  return limit;
}

std::string bytes_text(double bytes) {
  for (const auto& [size, unit] : {std::pair(1e15, "PB"), {1e12, "TB"}, {1e9, "GB"}})
    if (bytes >= size) return fmt::format("{:.{}f} {}", bytes / size, bytes < 1e18 ? 1 : 0, unit);
  return fmt::format("{:.0f} MB", bytes / 1e6);
}

}  // namespace merganser
