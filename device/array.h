#pragma once
/// Device memory: owning arrays and the views that kernels take.
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "device/errors.h"

MERGANSER_BEGIN

/// Backend allocation, not initialised; throws DeviceError with the bytes asked for and the remedy.
void* allocate_bytes(size_t bytes);
/// `bytes` is what allocate_bytes was asked for; nullptr is allowed.
void free_bytes(void* pointer, size_t bytes) noexcept;
void copy_to_device(void* device, const void* host, size_t bytes);
void copy_to_host(void* host, const void* device, size_t bytes);
void copy_on_device(void* to, const void* from, size_t bytes);
void fill_zero(void* device, size_t bytes);
/// Waits until every kernel launched so far has ended (no-op on the CPU).
void synchronize();
/// Bytes held by all Arrays of this backend now.
size_t allocated_bytes();

#if defined(MERGANSER_CHECKED_VIEWS) && !MERGANSER_COMPILED_BY_NVCC
[[noreturn]] void view_index_error(long long index, long long count);
#endif

/// Pointer and count; copied into kernels by value. View<const T> is an input.
template <class T>
struct View {
  T* data = nullptr;
  int count = 0;

  View() = default;
  MERGANSER_METHOD View(T* pointer, int n) : data(pointer), count(n) {}
  /// View<T> converts to View<const T>.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>>>
  MERGANSER_METHOD View(const View<U>& other) : data(other.data), count(other.count) {}

  MERGANSER_METHOD T& operator[](int index) const {
#if defined(MERGANSER_CHECKED_VIEWS) && !MERGANSER_COMPILED_BY_NVCC
    if (index < 0 || index >= count) view_index_error(index, count);
#endif
    return data[index];
  }
  MERGANSER_METHOD bool empty() const { return count == 0; }
  /// Elements [first, first + n).
  MERGANSER_METHOD View subview(int first, int n) const {
#if defined(MERGANSER_CHECKED_VIEWS) && !MERGANSER_COMPILED_BY_NVCC
    if (first < 0 || n < 0 || n > count - first) view_index_error(static_cast<long long>(first) + n, count);
#endif
    return {data + first, n};
  }
};

/// Owning device array of trivially copyable elements. Capacity grows by half; new elements are zero. A size
/// is an int like every particle index; a capacity may be larger (raw scratch memory).
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(int count) { resize(count); }
  explicit Array(const std::vector<T>& host) { assign(host); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { free_bytes(data_, sizeof(T) * capacity_); }

  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  size_t capacity() const { return capacity_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  View<T> view() { return {data_, count_}; }
  View<const T> view() const { return {data_, count_}; }
  View<const T> const_view() const { return {data_, count_}; }

  /// Keeps the first min(old, new) elements; elements beyond the old size are zero. Throws DeviceError for a
  /// negative count, which is what an int sum of too many elements comes out as.
  void resize(int count) {
    if (count < 0) throw_too_many();
    reserve(static_cast<size_t>(count));
    if (count > count_) fill_zero(data_ + count_, sizeof(T) * size_t(count - count_));
    count_ = count;
  }
  /// Room for at least count elements without losing any.
  void reserve(size_t count) {
    if (count <= capacity_) return;
    const size_t wanted = std::max(count, capacity_ + capacity_ / 2);
    if (count_ == 0) release();  // nothing to carry over: never hold both blocks
    T* bigger = static_cast<T*>(allocate_bytes(sizeof(T) * wanted));
    if (count_ > 0) copy_on_device(bigger, data_, sizeof(T) * size_t(count_));
    free_bytes(data_, sizeof(T) * capacity_);
    data_ = bigger;
    capacity_ = wanted;
  }
  void clear() { count_ = 0; }
  /// Gives the memory back.
  void release() {
    free_bytes(data_, sizeof(T) * capacity_);
    data_ = nullptr;
    count_ = 0;
    capacity_ = 0;
  }
  void zero() {
    if (count_ > 0) fill_zero(data_, sizeof(T) * size_t(count_));
  }
  void assign(const std::vector<T>& host) {
    if (host.size() > size_t(most_elements)) throw_too_many();
    resize_uninitialised(static_cast<int>(host.size()));
    if (count_ > 0) copy_to_device(data_, host.data(), sizeof(T) * size_t(count_));
  }
  /// `other` must not lie in this array.
  void assign(View<const T> other) {
    resize_uninitialised(other.count);
    if (count_ > 0) copy_on_device(data_, other.data, sizeof(T) * size_t(count_));
  }
  /// Blocking copy to the host; for frames, checkpoints and tests, not inside a step.
  std::vector<T> to_host() const {
    std::vector<T> host(static_cast<size_t>(count_));
    if (count_ > 0) copy_to_host(host.data(), data_, sizeof(T) * size_t(count_));
    return host;
  }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr int most_elements = 0x7fffffff;

  void resize_uninitialised(int count) {
    if (size_t(count) > capacity_) count_ = 0;  // nothing to carry over
    reserve(static_cast<size_t>(count));
    count_ = count;
  }
  [[noreturn]] static void throw_too_many() {
    throw DeviceError("an array of more than 2,147,483,647 elements was asked for; use a lower --resolution");
  }

  T* data_ = nullptr;
  int count_ = 0;
  size_t capacity_ = 0;
};

/// Room for at least count elements, kept from step to step: an array that is cut and grows again is cleared
/// again.
template <class T>
void have_room(Array<T>& array, int count) {
  if (array.size() < count) array.resize(count);
}

/// One element copied to the host (blocking).
template <class T>
T read_back(View<const T> view, int index) {
  T value;
  copy_to_host(&value, view.data + index, sizeof(T));
  return value;
}
template <class T>
std::vector<T> to_host(View<const T> view) {
  std::vector<T> host(static_cast<size_t>(view.count));
  if (view.count > 0) copy_to_host(host.data(), view.data, sizeof(T) * host.size());
  return host;
}

MERGANSER_END
