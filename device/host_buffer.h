#pragma once
/// Host memory for copies of device arrays that others read while kernels go on.
#include <cstdlib>
#include <new>

#include "device/array.h"
#include "device/results.h"

MERGANSER_BEGIN

#if MERGANSER_GPU_HALF
/// Page-locked: the GPU copies there by itself, at the full speed of the bus. Throws DeviceError.
void* allocate_host_bytes(size_t bytes);
void free_host_bytes(void* pointer) noexcept;
#else
inline void* allocate_host_bytes(size_t bytes) {
  void* block = std::malloc(bytes);
  if (!block) throw std::bad_alloc();
  return block;
}
inline void free_host_bytes(void* pointer) noexcept { std::free(pointer); }
inline void queue_copy_to_host(void* host, const void* device, size_t bytes) {
  copy_to_host(host, device, bytes);
}
#endif

/// Keeps its room from copy to copy: to lock pages costs more than to fill them.
template <class T>
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() { free_host_bytes(data_); }

  /// Queues a copy; the values are there after synchronize().
  void queue(View<const T> from) {
    const size_t count = static_cast<size_t>(from.count);
    if (count > capacity_) {
      free_host_bytes(data_);
      data_ = nullptr;
      capacity_ = 0;
      data_ = static_cast<T*>(allocate_host_bytes(sizeof(T) * count));
      capacity_ = count;
    }
    count_ = count;
    if (count > 0) queue_copy_to_host(data_, from.data, sizeof(T) * count);
  }
  size_t size() const { return count_; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t count_ = 0, capacity_ = 0;
};

MERGANSER_END
