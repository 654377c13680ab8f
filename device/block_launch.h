#pragma once
/// launch_block(functor): one block of threads works through phases, each of which sees what those before it
/// wrote. For sequences of small kernels whose launches would take longer than their work.
///
/// A functor has `static constexpr const char* name` and
/// `template <class Block> MERGANSER_METHOD void operator()(const Block& block) const`, which calls
/// `block.for_each(count, f)` for every phase: f(i) for i in [0, count), in any order, as launch() would; no
/// thread goes on before all are done. Every thread runs the functor, so between phases it may only read.
#include <type_traits>

#include "device/launch.h"

MERGANSER_BEGIN

#if MERGANSER_COMPILED_BY_NVCC
inline constexpr int block_launch_threads = 512;

struct PhaseBlock {
  template <class Function>
  MERGANSER_METHOD void for_each([[maybe_unused]] int count, [[maybe_unused]] const Function& f) const {
#ifdef __CUDA_ARCH__
    for (int i = threadIdx.x; i < count; i += block_launch_threads) f(i);
    __syncthreads();
#endif
  }
};
template <class Functor>
__global__ void __launch_bounds__(block_launch_threads) run_block(const __grid_constant__ Functor functor) {
  functor(PhaseBlock{});
}
template <class Functor>
void launch_block(const Functor& functor) {
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  run_block<<<1, block_launch_threads, 0, stream()>>>(functor);
  after_launch(kernel);
}
#else
struct PhaseBlock {
  template <class Function>
  void for_each(int count, const Function& f) const {
    const IndexOrder order(count);
    for (int k = 0; k < count; ++k) f(order(k));
  }
};
#if MERGANSER_GPU_HALF
template <class Functor>
void launch_block(const Functor& functor) {
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's arguments are copied as bytes");
  static KernelCounters& kernel = kernel_counters(Functor::name);
  StreamWork work{Functor::name, [functor] { functor(PhaseBlock{}); }};
  if (recording()) work.arguments = argument_bytes(1, functor);
  enqueue_kernel(kernel, std::move(work));
}
#else
template <class Functor>
void launch_block(const Functor& functor) {
  const LaunchClock clock(kernel_counters(Functor::name));
  functor(PhaseBlock{});
}
#endif
#endif

MERGANSER_END
