#pragma once
/// Reductions over a fixed tree: the same bits from run to run and for any number of threads.
///
/// A reduction functor has `static constexpr const char* name`, `using Value` (trivially copyable),
/// `Value operator()(int i) const`, `static Value identity()` and `static Value combine(const Value&, const Value&)`.
/// Indices are taken in chunks of 1,024; chunk results are combined in the order of the chunks. Sums over particles use a
/// Value of doubles.
#include "device/launch.h"

MERGANSER_BEGIN

inline constexpr int reduction_chunk = 1024;

/// Holds the partial results and the result of reductions with one Value type; reused step after step.
template <class Value>
class Reduction {
 public:
  Reduction() : result_(1) {}
  /// result()[0] = combination of functor(i) over i in [0, count); identity() for count 0.
  template <class Functor>
  void run(int count, const Functor& functor);
  /// The result, on the device.
  View<const Value> result() const { return result_.view(); }
  /// The result, copied to the host (blocking).
  Value read() const { return read_back(result_.const_view(), 0); }

 private:
  Array<Value> partial_;
  Array<Value> result_;
};

/// Combines one chunk serially, used by both backends' small cases and by the CPU.
template <class Functor>
MERGANSER_FN typename Functor::Value reduce_range(const Functor& functor, int begin, int end) {
  typename Functor::Value sum = Functor::identity();
  for (int i = begin; i < end; ++i) sum = Functor::combine(sum, functor(i));
  return sum;
}

#if MERGANSER_IS_GPU
template <class Functor>
__global__ void __launch_bounds__(128) reduce_chunks(int count, const __grid_constant__ Functor functor,
                                                    typename Functor::Value* partial) {
  using Value = typename Functor::Value;
  extern __shared__ unsigned char shared_bytes[];
  Value* lane = reinterpret_cast<Value*>(shared_bytes);
  const int begin = blockIdx.x * reduction_chunk;
  const int end = min(count, begin + reduction_chunk);
  Value sum = Functor::identity();
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) sum = Functor::combine(sum, functor(i));
  lane[threadIdx.x] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) lane[threadIdx.x] = Functor::combine(lane[threadIdx.x], lane[threadIdx.x + width]);
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = lane[0];
}
template <class Functor>
__global__ void __launch_bounds__(128) reduce_partials(int count, const typename Functor::Value* partial,
                                                      typename Functor::Value* result) {
  using Value = typename Functor::Value;
  extern __shared__ unsigned char shared_bytes[];
  Value* lane = reinterpret_cast<Value*>(shared_bytes);
  Value sum = Functor::identity();
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum = Functor::combine(sum, partial[i]);
  lane[threadIdx.x] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) lane[threadIdx.x] = Functor::combine(lane[threadIdx.x], lane[threadIdx.x + width]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = lane[0];
}

template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = (count + reduction_chunk - 1) / reduction_chunk;
  partial_.resize(chunks);
  before_launch(Functor::name);
  if (chunks > 0)
    reduce_chunks<<<chunks, 128, 128 * sizeof(Value), stream()>>>(count, functor, partial_.data());
  reduce_partials<Functor><<<1, 128, 128 * sizeof(Value), stream()>>>(chunks, partial_.data(), result_.data());
  after_launch(Functor::name);
}
#else
template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = (count + reduction_chunk - 1) / reduction_chunk;
  LaunchClock clock(Functor::name);
  if (chunks <= 1) {
    result_.data()[0] = reduce_range(functor, 0, count);
    return;
  }
  partial_.resize(chunks);
  Value* partial = partial_.data();
#pragma omp parallel for schedule(dynamic, 4) if (chunks > 4)
  for (int c = 0; c < chunks; ++c)
    partial[c] = reduce_range(functor, c * reduction_chunk, std::min(count, (c + 1) * reduction_chunk));
  Value sum = Functor::identity();
  for (int c = 0; c < chunks; ++c) sum = Functor::combine(sum, partial[c]);
  result_.data()[0] = sum;
}
#endif

MERGANSER_END
