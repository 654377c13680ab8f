#pragma once
/// Reductions over a fixed tree: the same bits from run to run and for any number of threads.
///
/// A reduction functor has `static constexpr const char* name`, `using Value` (trivially copyable),
/// `Value operator()(int i) const`, `static Value identity()` and `static Value combine(const Value&, const
/// Value&)`. Indices are taken in chunks of 1,024; within a chunk and over the chunks the order is fixed per
/// backend (one after the other on the CPU, 128 lanes and a binary tree on the GPU), so the two backends
/// agree to rounding. Sums over particles use a Value of doubles. A functor may have a method
/// `void finish(const Value& result) const`, which runs once, after everything else of the reduction, and
/// writes what follows from the result.
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
  /// Where the partial results lie: a launch graph with a reduction in it depends on that.
  const void* scratch() const { return partial_.data(); }

 private:
  Array<Value> partial_;
  Array<Value> result_;
};

/// Combines indices [begin, end) one after the other.
template <class Functor>
MERGANSER_FN typename Functor::Value reduce_range(const Functor& functor, int begin, int end) {
  typename Functor::Value sum = Functor::identity();
  for (int i = begin; i < end; ++i) sum = Functor::combine(sum, functor(i));
  return sum;
}

#if MERGANSER_COMPILED_BY_NVCC
template <class Functor>
__global__ void __launch_bounds__(128)
    reduce_chunks(int count, const __grid_constant__ Functor functor, typename Functor::Value* partial) {
  using Value = typename Functor::Value;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Value* lane = reinterpret_cast<Value*>(shared_bytes);
  const int begin = blockIdx.x * reduction_chunk;
  const int end = begin + min(count - begin, reduction_chunk);
  Value sum = Functor::identity();
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) sum = Functor::combine(sum, functor(i));
  lane[threadIdx.x] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width)
      lane[threadIdx.x] = Functor::combine(lane[threadIdx.x], lane[threadIdx.x + width]);
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = lane[0];
}
template <class Functor>
__global__ void __launch_bounds__(128)
    reduce_partials(int count, const __grid_constant__ Functor functor,
                    const typename Functor::Value* partial, typename Functor::Value* result) {
  using Value = typename Functor::Value;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Value* lane = reinterpret_cast<Value*>(shared_bytes);
  Value sum = Functor::identity();
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum = Functor::combine(sum, partial[i]);
  lane[threadIdx.x] = sum;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width)
      lane[threadIdx.x] = Functor::combine(lane[threadIdx.x], lane[threadIdx.x + width]);
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  *result = lane[0];
  if constexpr (requires { functor.finish(lane[0]); }) functor.finish(lane[0]);
}

template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = count > 0 ? (count - 1) / reduction_chunk + 1 : 0;
  partial_.resize(chunks);
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  if (chunks > 0)
    reduce_chunks<<<chunks, 128, 128 * sizeof(Value), stream()>>>(count, functor, partial_.data());
  reduce_partials<Functor>
      <<<1, 128, 128 * sizeof(Value), stream()>>>(chunks, functor, partial_.data(), result_.data());
  after_launch(kernel, chunks > 0 ? 2 : 1);
}
#elif MERGANSER_GPU_HALF
template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = count > 0 ? (count - 1) / reduction_chunk + 1 : 0;
  partial_.resize(chunks);
  launch_reduction(count, chunks, reduction_chunk, functor, partial_.data(), result_.data());
}
#else
template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = count > 0 ? (count - 1) / reduction_chunk + 1 : 0;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  const long long start = now_nanoseconds();
  const int threads = worthwhile_threads(count, kernel);
  partial_.resize(chunks);
  Value* partial = partial_.data();
  const IndexOrder order(chunks);
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads) if (threads > 1)
  for (int k = 0; k < chunks; ++k) {
    const int c = order(k), begin = c * reduction_chunk;
    partial[c] = reduce_range(functor, begin, begin + std::min(count - begin, reduction_chunk));
  }
  Value sum = Functor::identity();
  for (int c = 0; c < chunks; ++c) sum = Functor::combine(sum, partial[c]);
  result_.data()[0] = sum;
  if constexpr (requires { functor.finish(sum); }) functor.finish(sum);
  const long long spent = now_nanoseconds() - start;
  kernel.add(spent);
  if (count > 0) learn_index_cost(kernel, count, threads, spent);
}
#endif

MERGANSER_END
