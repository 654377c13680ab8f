/// CPU memory, timers, scan and sort.
#include <omp.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "device/launch.h"
#include "device/scan.h"
#include "device/sort.h"
#include "device/timers.h"

MERGANSER_BEGIN

namespace {
std::atomic<size_t> bytes_held{0};
constexpr size_t header = 64;  // keeps the data aligned to a cache line; holds the size

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
std::map<std::string, KernelTime>& profile() {
  static std::map<std::string, KernelTime> times;
  return times;
}
}  // namespace

void* allocate_bytes(size_t bytes) {
  const size_t whole = (bytes + 2 * header - 1) / header * header;
  void* block = std::aligned_alloc(header, whole);
  if (!block)
    throw DeviceError("out of memory: " + std::to_string(bytes >> 20) + " MiB more asked for, " +
                      std::to_string(allocated_bytes() >> 20) + " MiB held; use a lower --resolution");
  std::memset(block, 0, whole);
  *static_cast<size_t*>(block) = bytes;
  bytes_held += bytes;
  return static_cast<char*>(block) + header;
}
void free_bytes(void* pointer) noexcept {
  if (!pointer) return;
  void* block = static_cast<char*>(pointer) - header;
  bytes_held -= *static_cast<size_t*>(block);
  std::free(block);
}
void copy_to_device(void* device, const void* host, size_t bytes) { std::memcpy(device, host, bytes); }
void copy_to_host(void* host, const void* device, size_t bytes) { std::memcpy(host, device, bytes); }
void copy_on_device(void* to, const void* from, size_t bytes) { std::memmove(to, from, bytes); }
void fill_zero(void* device, size_t bytes) { std::memset(device, 0, bytes); }
void synchronize() {}
size_t allocated_bytes() { return bytes_held; }

#if defined(MERGANSER_CHECKED_VIEWS)
void view_index_error(long long index, long long count) {
  std::fprintf(stderr, "index %lld outside a view of %lld elements\n", index, count);
  std::abort();
}
#endif

const std::map<std::string, KernelTime>& kernel_profile() { return profile(); }
void reset_kernel_profile() { profile().clear(); }
void set_profiling(bool) {}

LaunchClock::LaunchClock(const char* name) : name_(name), start_(now_milliseconds()) {}
LaunchClock::~LaunchClock() {
  KernelTime& time = profile()[name_];
  ++time.launches;
  time.milliseconds += now_milliseconds() - start_;
}

StageTimer::StageTimer(std::map<std::string, double>& stages, std::string stage)
    : stages_(stages), stage_(std::move(stage)), start_(now_milliseconds()) {}
void StageTimer::stop() {
  if (!running_) return;
  running_ = false;
  stages_[stage_] += now_milliseconds() - start_;
}

void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch) {
  LaunchClock clock("exclusive scan");
  constexpr int chunk = 16384;
  const int count = in.count;
  const int chunks = (count + chunk - 1) / chunk;
  scratch.bytes.resize(static_cast<int>(sizeof(int)) * (chunks + 1));
  int* chunk_sum = reinterpret_cast<int*>(scratch.bytes.data());
#pragma omp parallel for schedule(dynamic, 1) if (chunks > 2)
  for (int c = 0; c < chunks; ++c) {
    int sum = 0;
    for (int i = c * chunk, end = std::min(count, i + chunk); i < end; ++i) sum += in.data[i];
    chunk_sum[c] = sum;
  }
  int total = 0;
  for (int c = 0; c < chunks; ++c) {
    const int sum = chunk_sum[c];
    chunk_sum[c] = total;
    total += sum;
  }
#pragma omp parallel for schedule(dynamic, 1) if (chunks > 2)
  for (int c = 0; c < chunks; ++c) {
    int sum = chunk_sum[c];
    for (int i = c * chunk, end = std::min(count, i + chunk); i < end; ++i) {
      const int value = in.data[i];
      out.data[i] = sum;
      sum += value;
    }
  }
  if (out.count > count) out[count] = total;
}

void stable_sort_by_key(View<Word64> keys, View<int> values, Scratch&, int) {
  LaunchClock clock("stable sort");
  thrust::stable_sort_by_key(thrust::omp::par, keys.data, keys.data + keys.count, values.data);
}
void stable_sort_by_key(View<unsigned> keys, View<int> values, Scratch&, int) {
  LaunchClock clock("stable sort");
  thrust::stable_sort_by_key(thrust::omp::par, keys.data, keys.data + keys.count, values.data);
}

MERGANSER_END
