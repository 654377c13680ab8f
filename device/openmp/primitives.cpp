/// CPU memory, timers, scan and sort.
#include <omp.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "device/launch.h"
#include "device/scan.h"
#include "device/sort.h"

MERGANSER_BEGIN

namespace {
std::atomic<size_t> bytes_held{0};
constexpr size_t alignment = 64;   // a cache line
constexpr float wake_time = 7e3f;  // [ns] until sleeping threads have started and ended a parallel region
constexpr float least_work = 2 * wake_time;  // [ns] below which two threads are no faster than one
}  // namespace

void* allocate_bytes(size_t bytes) {
  void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!block)
    throw DeviceError("out of memory: " + std::to_string(bytes >> 20) + " MiB more requested, " +
                      std::to_string(allocated_bytes() >> 20) + " MiB allocated; use a lower --resolution");
  bytes_held += bytes;
  return block;
}
void free_bytes(void* pointer, size_t bytes) noexcept {
  if (!pointer) return;
  bytes_held -= bytes;
  std::free(pointer);
}
// Nothing may come from and go to nullptr, which the library's functions do not allow.
void copy_to_device(void* device, const void* host, size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}
void copy_to_host(void* host, const void* device, size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}
void copy_on_device(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}
void fill_zero(void* device, size_t bytes) {
  if (bytes > 0) std::memset(device, 0, bytes);
}
void synchronize() {}
size_t allocated_bytes() { return bytes_held; }

#if defined(MERGANSER_CHECKED_VIEWS)
void view_index_error(long long index, long long count) {
  std::fprintf(stderr, "index %lld outside a view of %lld elements\n", index, count);
  std::abort();
}
#endif

int worthwhile_threads(int count, const KernelCounters& kernel) {
  const float index_cost = kernel.index_cost.load(std::memory_order_relaxed);
  const bool small = index_cost > 0 ? index_cost * static_cast<float>(count) < least_work : count < 2048;
  return small
             ? 1
             : omp_get_max_threads();  // all or one: the runtime ends threads that a smaller team leaves out
}
void learn_index_cost(KernelCounters& kernel, int count, int threads, long long nanoseconds) {
  float work = static_cast<float>(nanoseconds);
  if (threads > 1) work = std::max(work - wake_time, 0.1f * work) * static_cast<float>(threads);
  const float cost = work / static_cast<float>(count);
  const float before = kernel.index_cost.load(std::memory_order_relaxed);
  // The lesser of both counts more: a launch that a foreign process held up says little about the kernel.
  const float weight = cost > before ? 0.05f : 0.5f;
  kernel.index_cost.store(before > 0 ? before + weight * (cost - before) : cost, std::memory_order_relaxed);
}

void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch) {
  LaunchClock clock("exclusive scan");
  constexpr int chunk = 16384;
  const int count = in.count;
  const int chunks = count > 0 ? (count - 1) / chunk + 1 : 0;
  int* chunk_sum = static_cast<int*>(scratch.reserve(sizeof(int) * size_t(chunks + 1)));
#pragma omp parallel for schedule(dynamic, 1) if (chunks > 2)
  for (int c = 0; c < chunks; ++c) {
    int sum = 0;
    for (int i = c * chunk, end = i + std::min(count - i, chunk); i < end; ++i) sum += in.data[i];
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
    for (int i = c * chunk, end = i + std::min(count - i, chunk); i < end; ++i) {
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
