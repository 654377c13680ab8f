/// GPU memory, stream, timers, scan and sort.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "device/block_phases.h"
#include "device/host_buffer.h"
#include "device/results.h"
#include "device/scan.h"
#include "device/sort.h"
#include "device/timers.h"

MERGANSER_BEGIN

namespace {
std::atomic<size_t> bytes_held{0};
cudaEvent_t event_begin = nullptr, event_end = nullptr;

/// Keeps freed memory in the pool: by default it goes back to the driver at every wait of the host.
void keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t threshold = UINT64_MAX;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
             "cudaMemPoolSetAttribute");
}

/// MERGANSER_WAIT_AFTER_LAUNCH=1: an error is then that of the kernel it is reported with.
bool waits_after_launch() {
  static const bool waits = [] {
    const char* value = std::getenv("MERGANSER_WAIT_AFTER_LAUNCH");
    return value && std::string(value) == "1";
  }();
  return waits;
}

bool recording_now = false;
}  // namespace

bool recording() { return recording_now; }
void set_recording(bool on) { recording_now = on; }

cudaStream_t stream() {
  static const cudaStream_t created = [] {
    cudaStream_t s = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
    keep_freed_memory();
    return s;
  }();
  return created;
}
void check_cuda(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw DeviceError(std::string("CUDA error in ") + what + ": " + cudaGetErrorString(result) +
                    "; MERGANSER_WAIT_AFTER_LAUNCH=1 waits after each kernel and names the one at fault");
}

void* allocate_bytes(size_t bytes) {
  if (recording()) throw DeviceError("memory was requested while a launch graph is recorded");
  void* block = nullptr;
  const cudaError_t result = cudaMallocAsync(&block, bytes, stream());
  if (result == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw DeviceError("out of GPU memory: " + std::to_string(bytes >> 20) + " MiB more requested, " +
                      std::to_string(allocated_bytes() >> 20) +
                      " MiB allocated; use a lower --resolution or another --device");
  }
  check_cuda(result, "cudaMallocAsync or a kernel before it");
  bytes_held += bytes;
  return block;
}
void free_bytes(void* pointer, size_t bytes) noexcept {
  if (!pointer) return;
  bytes_held -= bytes;
  (void)cudaFreeAsync(pointer,
                      stream());  // fails harmlessly where the process ends and the driver is gone already
}
void copy_to_device(void* device, const void* host, size_t bytes) {
  check_cuda(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream()), "copy to the GPU");
  count_one(traffic_counters().writes);
  synchronize();
}
void copy_to_host(void* host, const void* device, size_t bytes) {
  check_cuda(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream()), "copy from the GPU");
  count_one(traffic_counters().reads);
  synchronize();
}
ResultMemory allocate_result_memory(size_t bytes) {
  if (recording()) throw DeviceError("memory for results was requested while a launch graph is recorded");
  void *device = nullptr, *host = nullptr;
  check_cuda(cudaMalloc(&device, bytes), "cudaMalloc of results");
  check_cuda(cudaMallocHost(&host, bytes), "cudaMallocHost of results");
  return {static_cast<unsigned char*>(device), static_cast<unsigned char*>(host)};
}
void* allocate_host_bytes(size_t bytes) {
  void* block = nullptr;
  check_cuda(cudaMallocHost(&block, bytes), "cudaMallocHost of a copy for the host");
  return block;
}
void free_host_bytes(void* pointer) noexcept { (void)cudaFreeHost(pointer); }
void queue_copy_to_host(void* host, const void* device, size_t bytes) {
  check_cuda(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream()), "copy from the GPU");
}
void copy_on_device(void* to, const void* from, size_t bytes) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "copy on the GPU");
  if (!recording()) count_one(traffic_counters().copies);
}
void fill_zero(void* device, size_t bytes) {
  check_cuda(cudaMemsetAsync(device, 0, bytes, stream()), "cudaMemset");
  if (!recording()) count_one(traffic_counters().copies);
}
void synchronize() { check_cuda(cudaStreamSynchronize(stream()), "a kernel"); }
size_t allocated_bytes() { return bytes_held; }

void before_launch() {
  if (!kernel_timing() || recording()) return;
  if (!event_begin) {
    check_cuda(cudaEventCreate(&event_begin), "cudaEventCreate");
    check_cuda(cudaEventCreate(&event_end), "cudaEventCreate");
  }
  check_cuda(cudaEventRecord(event_begin, stream()), "cudaEventRecord");
}
void after_launch(KernelCounters& kernel, int kernels) {
  check_cuda(cudaGetLastError(), kernel.name);
  if (recording()) return;
  count_one(traffic_counters().kernels, kernels);
  if (waits_after_launch()) check_cuda(cudaStreamSynchronize(stream()), kernel.name);
  if (!kernel_timing() || !event_begin) return kernel.add(0);
  check_cuda(cudaEventRecord(event_end, stream()), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(event_end), kernel.name);
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, event_begin, event_end), kernel.name);
  kernel.add(static_cast<long long>(1e6 * static_cast<double>(milliseconds)));
}

namespace {
/// Rounded up so that what follows in the same scratch memory is aligned.
size_t aligned_size(size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class Key>
void radix_sort(View<Key> keys, View<int> values, Scratch& scratch, int key_bits) {
  if (keys.count == 0) return;
  static KernelCounters& kernel = kernel_counters("stable sort");
  before_launch();
  // CUB goes to and fro between the caller's memory and these; what ends up here is copied back.
  const size_t key_bytes = sizeof(Key) * size_t(keys.count), value_bytes = sizeof(int) * size_t(keys.count);
  cub::DoubleBuffer<Key> key_buffers(keys.data, nullptr);
  cub::DoubleBuffer<int> value_buffers(values.data, nullptr);
  size_t cub_bytes = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, cub_bytes, key_buffers, value_buffers, keys.count, 0,
                                             key_bits, stream()),
             "radix sort");
  auto* base = static_cast<unsigned char*>(
      scratch.reserve(aligned_size(key_bytes) + aligned_size(value_bytes) + cub_bytes));
  key_buffers.d_buffers[1] = reinterpret_cast<Key*>(base);
  value_buffers.d_buffers[1] = reinterpret_cast<int*>(base + aligned_size(key_bytes));
  check_cuda(
      cub::DeviceRadixSort::SortPairs(base + aligned_size(key_bytes) + aligned_size(value_bytes), cub_bytes,
                                      key_buffers, value_buffers, keys.count, 0, key_bits, stream()),
      "radix sort");
  if (key_buffers.Current() != keys.data) copy_on_device(keys.data, key_buffers.Current(), key_bytes);
  if (value_buffers.Current() != values.data)
    copy_on_device(values.data, value_buffers.Current(), value_bytes);
  after_launch(kernel, 2 + (key_bits + 7) / 8);  // histogram, its prefix sum, a pass for eight bits
}

/// The input of a scan, with one more element so that the last output is the total.
struct ScanInput {
  View<const int> in;
  __host__ __device__ int operator()(int i) const { return i < in.count ? in.data[i] : 0; }
};
}  // namespace

void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch) {
  if (out.count == 0) return;
  if (out.count <= indices_of_a_block) return launch_block(ScanInBlock{in, out});
  // A tile is read before it is written, so in and out may be the same memory.
  const auto input = thrust::make_transform_iterator(thrust::make_counting_iterator(0), ScanInput{in});
  size_t cub_bytes = 0;
  check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, cub_bytes, input, out.data, out.count, stream()), "scan");
  void* bytes = scratch.reserve(cub_bytes);
  static KernelCounters& kernel = kernel_counters(ScanInBlock::name);
  before_launch();
  check_cuda(cub::DeviceScan::ExclusiveSum(bytes, cub_bytes, input, out.data, out.count, stream()), "scan");
  after_launch(kernel, 2);  // its state is set first
}

void stable_sort_by_key(View<Word64> keys, View<int> values, Scratch& scratch, int key_bits) {
  radix_sort(keys, values, scratch, key_bits);
}
void stable_sort_by_key(View<unsigned> keys, View<int> values, Scratch& scratch, int key_bits) {
  radix_sort(keys, values, scratch, key_bits);
}

MERGANSER_END
