/// GPU memory, stream, timers, scan and sort.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <atomic>
#include <chrono>
#include <unordered_map>

#include "device/launch.h"
#include "device/scan.h"
#include "device/sort.h"
#include "device/timers.h"

MERGANSER_BEGIN

namespace {
std::atomic<size_t> bytes_held{0};
std::unordered_map<void*, size_t>& block_sizes() {
  static std::unordered_map<void*, size_t> sizes;
  return sizes;
}
bool profiling = false;
cudaEvent_t event_begin = nullptr, event_end = nullptr;

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
std::map<std::string, KernelTime>& profile() {
  static std::map<std::string, KernelTime> times;
  return times;
}
}  // namespace

cudaStream_t stream() {
  static const cudaStream_t created = [] {
    cudaStream_t s = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
    return s;
  }();
  return created;
}
void check_cuda(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw DeviceError(std::string("CUDA error in ") + what + ": " + cudaGetErrorString(result));
}

void* allocate_bytes(size_t bytes) {
  void* block = nullptr;
  if (cudaMallocAsync(&block, bytes, stream()) != cudaSuccess) {
    (void)cudaGetLastError();
    throw DeviceError("out of GPU memory: " + std::to_string(bytes >> 20) + " MiB more asked for, " +
                      std::to_string(allocated_bytes() >> 20) + " MiB held; use a lower --resolution or another --device");
  }
  check_cuda(cudaMemsetAsync(block, 0, bytes, stream()), "cudaMemset");
  block_sizes()[block] = bytes;
  bytes_held += bytes;
  return block;
}
void free_bytes(void* pointer) noexcept {
  if (!pointer) return;
  bytes_held -= block_sizes()[pointer];
  block_sizes().erase(pointer);
  (void)cudaFreeAsync(pointer, stream());
}
void copy_to_device(void* device, const void* host, size_t bytes) {
  check_cuda(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream()), "copy to the GPU");
  synchronize();
}
void copy_to_host(void* host, const void* device, size_t bytes) {
  check_cuda(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream()), "copy from the GPU");
  synchronize();
}
void copy_on_device(void* to, const void* from, size_t bytes) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "copy on the GPU");
}
void fill_zero(void* device, size_t bytes) { check_cuda(cudaMemsetAsync(device, 0, bytes, stream()), "cudaMemset"); }
void synchronize() { check_cuda(cudaStreamSynchronize(stream()), "a kernel"); }
size_t allocated_bytes() { return bytes_held; }

const std::map<std::string, KernelTime>& kernel_profile() { return profile(); }
void reset_kernel_profile() { profile().clear(); }
void set_profiling(bool on) { profiling = on; }

void before_launch(const char*) {
  if (!profiling) return;
  if (!event_begin) {
    check_cuda(cudaEventCreate(&event_begin), "cudaEventCreate");
    check_cuda(cudaEventCreate(&event_end), "cudaEventCreate");
  }
  check_cuda(cudaEventRecord(event_begin, stream()), "cudaEventRecord");
}
void after_launch(const char* name) {
  check_cuda(cudaGetLastError(), name);
  KernelTime& time = profile()[name];
  ++time.launches;
  if (!profiling) return;
  check_cuda(cudaEventRecord(event_end, stream()), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(event_end), name);
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, event_begin, event_end), name);
  time.milliseconds += milliseconds;
}

StageTimer::StageTimer(std::map<std::string, double>& stages, std::string stage)
    : stages_(stages), stage_(std::move(stage)), start_(now_milliseconds()) {}
void StageTimer::stop() {
  if (!running_) return;
  running_ = false;
  if (profiling) synchronize();
  stages_[stage_] += now_milliseconds() - start_;
}

namespace {
void* reserve(Scratch& scratch, size_t bytes) {
  if (static_cast<size_t>(scratch.bytes.size()) < bytes) scratch.bytes.resize(static_cast<int>(bytes));
  return scratch.bytes.data();
}

template <class Key>
void radix_sort(View<Key> keys, View<int> values, Scratch& scratch, int key_bits) {
  if (keys.count == 0) return;
  before_launch("stable sort");
  // The pairs go to the front of the scratch memory and back, so that callers see an in-place sort.
  const size_t key_bytes = (sizeof(Key) * size_t(keys.count) + 255) / 256 * 256;
  const size_t value_bytes = (sizeof(int) * size_t(keys.count) + 255) / 256 * 256;
  size_t cub_bytes = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, cub_bytes, keys.data, keys.data, values.data, values.data, keys.count,
                                             0, key_bits, stream()),
             "radix sort");
  auto* base = static_cast<unsigned char*>(reserve(scratch, key_bytes + value_bytes + cub_bytes));
  Key* sorted_keys = reinterpret_cast<Key*>(base);
  int* sorted_values = reinterpret_cast<int*>(base + key_bytes);
  check_cuda(cub::DeviceRadixSort::SortPairs(base + key_bytes + value_bytes, cub_bytes, keys.data, sorted_keys, values.data,
                                             sorted_values, keys.count, 0, key_bits, stream()),
             "radix sort");
  copy_on_device(keys.data, sorted_keys, sizeof(Key) * size_t(keys.count));
  copy_on_device(values.data, sorted_values, sizeof(int) * size_t(keys.count));
  after_launch("stable sort");
}

struct LastOfScan {
  static constexpr const char* name = "scan total";
  View<int> out;
  View<int> last;  // the last input, kept before an in-place scan overwrote it
  int count;
  MERGANSER_METHOD void operator()(int) const { out[count] = count > 0 ? out[count - 1] + last[0] : 0; }
};
}  // namespace

void exclusive_scan(View<const int> in, View<int> out, Scratch& scratch) {
  size_t cub_bytes = 0;
  check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, cub_bytes, in.data, out.data, in.count, stream()), "scan");
  auto* base = static_cast<unsigned char*>(reserve(scratch, 256 + cub_bytes));
  int* last = reinterpret_cast<int*>(base);
  if (in.count > 0) {
    copy_on_device(last, in.data + in.count - 1, sizeof(int));
    before_launch("exclusive scan");
    check_cuda(cub::DeviceScan::ExclusiveSum(base + 256, cub_bytes, in.data, out.data, in.count, stream()), "scan");
    after_launch("exclusive scan");
  }
  if (out.count > in.count) launch(1, LastOfScan{out, View<int>(last, 1), in.count});
}

void stable_sort_by_key(View<Word64> keys, View<int> values, Scratch& scratch, int key_bits) {
  radix_sort(keys, values, scratch, key_bits);
}
void stable_sort_by_key(View<unsigned> keys, View<int> values, Scratch& scratch, int key_bits) {
  radix_sort(keys, values, scratch, key_bits);
}

MERGANSER_END
