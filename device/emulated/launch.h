#pragma once
/// launch() on the emulated GPU: as on a card it only queues the kernel, which runs when the host waits, one
/// index at a time in any order (launch_order.h) and with no memory but the GPU's to write to.
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "device/backend.h"
#include "device/kernel_profile.h"
#include "device/launch_order.h"

MERGANSER_BEGIN

/// An entry of the stream: a kernel, a copy, a fill or a free.
struct StreamWork {
  const char* name;  ///< for messages
  std::function<void()> run;
  std::vector<unsigned char> arguments = {};  ///< of a kernel, while a launch graph is recorded
};
/// The launches that a graph replays.
struct Recording {
  std::vector<StreamWork> work;
};

/// Adds to the stream, or to the launch graph that is being recorded.
void enqueue(StreamWork work);
/// The same for a kernel: counts it but while recording, and times it while kernel timing is on. `kernels`:
/// of how many it consists on a GPU.
void enqueue_kernel(KernelCounters& kernel, StreamWork work, int kernels = 1);
/// True while a launch graph is being recorded.
bool recording();
void begin_recording();
/// The launches since begin_recording(). Throws DeviceError where something was done meanwhile that a
/// recording does not allow.
Recording end_recording();
/// Drops what was recorded.
void abandon_recording() noexcept;

/// Bytes of a kernel's count and functor; those between its members are zero.
template <class Functor>
std::vector<unsigned char> argument_bytes(int count, Functor functor) {
  __builtin_clear_padding(&functor);
  std::vector<unsigned char> bytes(sizeof count + sizeof functor);
  std::memcpy(bytes.data(), &count, sizeof count);
  std::memcpy(bytes.data() + sizeof count, static_cast<const void*>(&functor), sizeof functor);
  return bytes;
}

/// f(i) for i in [0, count) in the order of launches, by several threads from `worth_threads` indices on.
template <class Function>
void for_each_index(int count, const Function& f, int worth_threads = 2048) {
  const IndexOrder order(count);
#pragma omp parallel for schedule(static) if (count >= worth_threads)
  for (int k = 0; k < count; ++k) f(order(k));
}

template <class Functor>
void launch(int count, const Functor& functor) {
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's arguments are copied as bytes");
  if (count <= 0) return;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  StreamWork work{Functor::name, [count, functor] { for_each_index(count, functor); }};
  if (recording()) work.arguments = argument_bytes(count, functor);
  enqueue_kernel(kernel, std::move(work));
}

/// Combines value(i) over i in [begin, end) as a warp or block of the GPU does: by lanes and a binary tree.
template <class Reducer, int lanes = 128, class Function>
typename Reducer::Value reduce_lanes(int begin, int end, const Function& value) {
  typename Reducer::Value lane[lanes];
  const IndexOrder order(lanes);
  for (int k = 0; k < lanes; ++k) {
    typename Reducer::Value& sum = lane[order(k)];
    sum = Reducer::identity();
    for (int i = begin + order(k); i < end; i += lanes) sum = Reducer::combine(sum, value(i));
  }
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) lane[k] = Reducer::combine(lane[k], lane[k + width]);
  return lane[0];
}

/// Reduction::run. `partial` has one value a chunk.
template <class Functor, class Value>
void launch_reduction(int count, int chunks, int chunk, const Functor& functor, Value* partial,
                      Value* result) {
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's arguments are copied as bytes");
  static KernelCounters& kernel = kernel_counters(Functor::name);
  StreamWork work{Functor::name, [=] {
                    for_each_index(
                        chunks,
                        [&](int c) {
                          const int begin = c * chunk, end = begin + std::min(count - begin, chunk);
                          partial[c] = reduce_lanes<Functor>(begin, end, functor);
                        },
                        4);
                    *result = reduce_lanes<Functor>(0, chunks, [&](int c) { return partial[c]; });
                    if constexpr (requires { functor.finish(*result); }) functor.finish(*result);
                  }};
  if (recording()) {
    work.arguments = argument_bytes(count, functor);
    for (Value* address : {partial, result}) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(&address);
      work.arguments.insert(work.arguments.end(), bytes, bytes + sizeof address);
    }
  }
  enqueue_kernel(kernel, std::move(work));
}

MERGANSER_END
