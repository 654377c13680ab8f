#pragma once
/// Small results that kernels leave for the host: sums, extrema, counts. On the GPU all of them lie side by
/// side, so that the host gets whatever it wants to know at the end of a step by one copy and one wait.
///
/// A DeviceResult is written by kernels through view(); whoever launches such a kernel says so with
/// written(). read() waits for this one alone; fetch_results() waits once for all, and fetched() is the
/// value at that time. A value that was written since is an error there. On the CPU nothing is copied.
#include <cstring>

#include "device/array.h"

MERGANSER_BEGIN

/// Brings all results to the host: one blocking read.
void fetch_results();

#if MERGANSER_GPU_HALF
/// A place among the results: zero at first, never moved, used again once its owner is gone.
class ResultSlot {
 public:
  explicit ResultSlot(size_t bytes);
  ResultSlot(ResultSlot&& other) noexcept { swap(other); }
  ResultSlot& operator=(ResultSlot&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ResultSlot();

  void* device() const { return device_; }
  void written();
  /// The host's copy. Throws DeviceError where written() was called since the last fetch_results().
  const void* fetched() const;

 private:
  void swap(ResultSlot& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(host_, other.host_);
    std::swap(bytes_, other.bytes_);
    std::swap(written_, other.written_);
  }
  unsigned char *device_ = nullptr, *host_ = nullptr;
  size_t bytes_ = 0;
  long long written_ = -1;  ///< fetches before that
};

/// Memory that lives until the process ends: of the GPU, and of the host for copies of it.
struct ResultMemory {
  unsigned char *device, *host;
};
ResultMemory allocate_result_memory(size_t bytes);
/// Queues a copy to the host; the caller waits.
void queue_copy_to_host(void* host, const void* device, size_t bytes);

template <class Value>
class DeviceResult {
  static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= 16);

 public:
  DeviceResult() : slot_(sizeof(Value)) {}
  View<Value> view() { return {static_cast<Value*>(slot_.device()), 1}; }
  View<const Value> const_view() const { return {static_cast<const Value*>(slot_.device()), 1}; }
  void written() { slot_.written(); }
  Value read() const { return read_back(const_view(), 0); }
  Value fetched() const {
    Value value;
    std::memcpy(static_cast<void*>(&value), slot_.fetched(), sizeof value);
    return value;
  }

 private:
  ResultSlot slot_;
};
#else
template <class Value>
class DeviceResult {
 public:
  DeviceResult() : value_(1) {}
  View<Value> view() { return value_.view(); }
  View<const Value> const_view() const { return value_.view(); }
  void written() {}
  Value read() const { return value_.data()[0]; }
  Value fetched() const { return value_.data()[0]; }

 private:
  Array<Value> value_;
};
#endif

MERGANSER_END
