#pragma once
/// Kernels of one block: phases one after the other in a single launch, each with all that the phases before
/// it wrote. Where there are only some thousand indices a launch takes longer than the work of most phases.
///
/// A phased functor has `static constexpr const char* name` and
///   template <class Phases> MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const
/// which calls phases.run(count, functor), functor(i) for i in [0, count), and phases.scan(in, out), the
/// exclusive prefix sum of scan.h. All threads of the block do what stands between the phases, so it may only
/// read memory (nothing that the next phase writes) and decide how to go on.
///
/// Launches has the same two functions as launches of their own, for sequences that are written once for
/// both.
#include "device/launch.h"
#include "device/scan.h"

/// MERGANSER_EITHER_SIDE stands before a function template that takes a Block on the device or Launches on
/// the host.
#if MERGANSER_COMPILED_BY_NVCC
#define MERGANSER_BLOCK_METHOD __device__
#define MERGANSER_EITHER_SIDE _Pragma("nv_exec_check_disable")
#else
#define MERGANSER_BLOCK_METHOD
#define MERGANSER_EITHER_SIDE
#endif

MERGANSER_BEGIN

/// Every phase is a launch.
struct Launches {
  Scratch& scratch;
  template <class Functor>
  void run(int count, const Functor& functor) {
    launch(count, functor);
  }
  void scan(View<const int> in, View<int> out) { exclusive_scan(in, out, scratch); }
};

#if MERGANSER_COMPILED_BY_NVCC
inline constexpr int threads_of_block = 1024;

/// Every phase is a loop of one block's threads.
class Block {
 public:
  template <class Functor>
  __device__ void run(int count, const Functor& functor) {
    for (int i = threadIdx.x; i < count; i += threads_of_block) functor(i);
    __syncthreads();
  }
  /// Tile by tile: sums within warps, then over the warps.
  __device__ void scan(View<const int> in, View<int> out) {
    __shared__ int of_warp[32];
    constexpr unsigned all = 0xffffffffu;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int before = 0;
    for (int tile = 0; tile < out.count; tile += threads_of_block) {
      const int i = tile + threadIdx.x, value = i < in.count ? in[i] : 0;
      int sum = value;
      for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(all, sum, distance);
        if (lane >= distance) sum += other;
      }
      if (lane == 31) of_warp[warp] = sum;
      __syncthreads();
      if (warp == 0) {
        int sum_of_warps = of_warp[lane];
        for (int distance = 1; distance < 32; distance *= 2) {
          const int other = __shfl_up_sync(all, sum_of_warps, distance);
          if (lane >= distance) sum_of_warps += other;
        }
        of_warp[lane] = sum_of_warps;
      }
      __syncthreads();
      if (i < out.count) out[i] = before + (warp > 0 ? of_warp[warp - 1] : 0) + sum - value;
      before += of_warp[31];
      __syncthreads();  // before the next tile's sums
    }
  }
};

template <class Functor>
__global__ void __launch_bounds__(threads_of_block, 1) run_in_block(const __grid_constant__ Functor functor) {
  Block block;
  functor(block);
}

template <class Functor>
void launch_block(const Functor& functor) {
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  run_in_block<<<1, threads_of_block, 0, stream()>>>(functor);
  after_launch(kernel);
}
#else
class Block {
 public:
  template <class Functor>
  void run(int count, const Functor& functor) {
    const IndexOrder order(count);
    for (int k = 0; k < count; ++k) functor(order(k));
  }
  void scan(View<const int> in, View<int> out) {
    int sum = 0;
    for (int i = 0; i < out.count; ++i) {
      const int value = i < in.count ? in[i] : 0;
      out[i] = sum;
      sum += value;
    }
  }
};

#if MERGANSER_GPU_HALF
template <class Functor>
void launch_block(const Functor& functor) {
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's arguments are copied as bytes");
  static KernelCounters& kernel = kernel_counters(Functor::name);
  StreamWork work{Functor::name, [functor] {
                    Block block;
                    functor(block);
                  }};
  if (recording()) work.arguments = argument_bytes(1, functor);
  enqueue_kernel(kernel, std::move(work));
}
#else
template <class Functor>
void launch_block(const Functor& functor) {
  static KernelCounters& kernel = kernel_counters(Functor::name);
  const LaunchClock clock(kernel);
  Block block;
  functor(block);
}
#endif
#endif

/// On the GPU so few indices are worth one block's time.
inline constexpr int indices_of_a_block = 8192;

/// A phased functor that also runs on the host's side, as one launch where `count` indices are few.
template <class Functor>
void launch_phases(int count, const Functor& functor, Scratch& scratch) {
  if (MERGANSER_GPU_HALF && count <= indices_of_a_block) return launch_block(functor);
  Launches launches{scratch};
  functor(launches);
}

/// exclusive_scan() of few elements on the GPU.
struct ScanInBlock {
  static constexpr const char* name = "exclusive scan";
  View<const int> in;
  View<int> out;
  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const {
    phases.scan(in, out);
  }
};
MERGANSER_END
