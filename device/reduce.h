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
///
/// The host gets a result by read(), which waits for it, or by fetched() after fetch_results() has waited
/// once for all results (results.h).
#include "device/launch.h"
#include "device/results.h"

MERGANSER_BEGIN

inline constexpr int reduction_chunk = 1024;
/// On the GPU there is a chunk even for none, for somebody has to write the result.
constexpr int reduction_chunks(int count) {
  constexpr int least = MERGANSER_GPU_HALF;
  return count > 0 ? (count - 1) / reduction_chunk + 1 : least;
}

/// Holds the partial results and the result of reductions with one Value type; reused step after step.
template <class Value>
class Reduction {
 public:
  /// result()[0] = combination of functor(i) over i in [0, count); identity() for count 0. One launch.
  template <class Functor>
  void run(int count, const Functor& functor);
  /// The result, on the device; zeros before the first run().
  View<const Value> result() const { return result_.const_view(); }
  /// The result, copied to the host (blocking).
  Value read() const { return result_.read(); }
  /// The result as of the last fetch_results(); an error where run() came after it.
  Value fetched() const { return result_.fetched(); }
  /// Address of the partial results: a launch graph with a reduction in it depends on that.
  const void* scratch() const { return partial_.data(); }

 private:
  Array<Value> partial_;
  DeviceResult<Value> result_;
#if MERGANSER_COMPILED_BY_NVCC
  DeviceResult<unsigned> arrived_;  ///< blocks of the launch that have written their partial result
#endif
};

/// Results of two reductions over the same indices.
template <class A, class B>
struct Both {
  A first;
  B second;
};
/// Two reductions as one: one launch, one look at what they share.
template <class A, class B>
struct Together {
  static constexpr const char* name = A::name;
  using Value = Both<typename A::Value, typename B::Value>;
  A a;
  B b;
  MERGANSER_METHOD Value operator()(int i) const { return {a(i), b(i)}; }
  MERGANSER_METHOD static Value identity() { return {A::identity(), B::identity()}; }
  MERGANSER_METHOD static Value combine(const Value& x, const Value& y) {
    return {A::combine(x.first, y.first), B::combine(x.second, y.second)};
  }
};
template <class A, class B>
Together<A, B> together(const A& a, const B& b) {
  return {a, b};
}

/// Combines indices [begin, end) one after the other.
template <class Functor>
MERGANSER_FN typename Functor::Value reduce_range(const Functor& functor, int begin, int end) {
  typename Functor::Value sum = Functor::identity();
  for (int i = begin; i < end; ++i) sum = Functor::combine(sum, functor(i));
  return sum;
}

#if MERGANSER_COMPILED_BY_NVCC
/// Combines what the block's lanes hold by a binary tree; the result is lane[0].
template <class Functor>
__device__ void combine_lanes(typename Functor::Value* lane, const typename Functor::Value& own) {
  lane[threadIdx.x] = own;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width)
      lane[threadIdx.x] = Functor::combine(lane[threadIdx.x], lane[threadIdx.x + width]);
    __syncthreads();
  }
}

/// One block a chunk. The block that comes last, whichever it is, combines the partial results in their
/// order.
template <class Functor>
__global__ void __launch_bounds__(128)
    reduce_all(int count, const __grid_constant__ Functor functor, typename Functor::Value* partial,
               unsigned* arrived, typename Functor::Value* result) {
  using Value = typename Functor::Value;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Value* lane = reinterpret_cast<Value*>(shared_bytes);
  __shared__ bool last;
  const int begin = blockIdx.x * reduction_chunk;
  const int end = begin + min(count - begin, reduction_chunk);
  Value sum = Functor::identity();
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) sum = Functor::combine(sum, functor(i));
  combine_lanes<Functor>(lane, sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = lane[0];
    __threadfence();  // the partial result is seen before the count
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __threadfence();  // and so are those of all that counted before
  }
  __syncthreads();
  if (!last) return;
  sum = Functor::identity();
  for (int c = threadIdx.x; c < gridDim.x; c += blockDim.x) sum = Functor::combine(sum, partial[c]);
  combine_lanes<Functor>(lane, sum);
  if (threadIdx.x != 0) return;
  *result = lane[0];
  *arrived = 0;  // for the next launch
  if constexpr (requires { functor.finish(lane[0]); }) functor.finish(lane[0]);
}

template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = reduction_chunks(count);
  partial_.reserve(size_t(chunks));
  result_.written();
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  reduce_all<<<chunks, 128, 128 * sizeof(Value), stream()>>>(count, functor, partial_.data(),
                                                             arrived_.view().data, result_.view().data);
  after_launch(kernel);
}
#elif MERGANSER_GPU_HALF
template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = reduction_chunks(count);
  partial_.reserve(size_t(chunks));
  result_.written();
  launch_reduction(count, chunks, reduction_chunk, functor, partial_.data(), result_.view().data);
}
#else
template <class Value>
template <class Functor>
void Reduction<Value>::run(int count, const Functor& functor) {
  const int chunks = reduction_chunks(count);
  static KernelCounters& kernel = kernel_counters(Functor::name);
  const long long start = now_nanoseconds();
  const int threads = worthwhile_threads(count, kernel);
  partial_.reserve(size_t(chunks));
  Value* partial = partial_.data();
  const IndexOrder order(chunks);
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads) if (threads > 1)
  for (int k = 0; k < chunks; ++k) {
    const int c = order(k), begin = c * reduction_chunk;
    const Functor own = functor;  // see launch()
    partial[c] = reduce_range(own, begin, begin + std::min(count - begin, reduction_chunk));
  }
  Value sum = Functor::identity();
  for (int c = 0; c < chunks; ++c) sum = Functor::combine(sum, partial[c]);
  result_.view()[0] = sum;
  if constexpr (requires { functor.finish(sum); }) functor.finish(sum);
  const long long spent = now_nanoseconds() - start;
  kernel.add(spent);
  if (count > 0) learn_index_cost(kernel, count, threads, spent);
}
#endif

MERGANSER_END
