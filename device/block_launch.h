#pragma once
/// Kernels whose threads work together: launch_blocks(blocks, kernel) gives every block of threads memory
/// that they share, and phases after each of which all of them wait for each other.
///
/// A block goes through `rounds(block)` rounds of `phases` phases. A thread may read what its block wrote in
/// earlier phases, to shared or to the device's memory, but not what another thread writes in the same phase.
/// Blocks are as independent of each other as the indices of launch(). A kernel has
///   static constexpr const char* name;
///   static constexpr int threads, phases;                     threads: of a block, a multiple of 32
///   struct Shared;                                            undefined at first, at most 48 KiB
///   struct Thread;                                            what a thread keeps between phases; registers
///   int rounds(int block) const;                              the same for all threads
///   template <int phase> void run(BlockPlace, Shared&, Thread&) const;
/// Elsewhere than on a GPU the same functions run thread after thread, phase by phase, in the order of
/// launches (launch_order.h): the same sums in the same order.
#include <utility>

#include "device/launch.h"
#if !MERGANSER_COMPILED_BY_NVCC
#include <cstring>
#include <memory>

#include "device/launch_order.h"
#endif

MERGANSER_BEGIN

/// Place of a thread of a block kernel.
struct BlockPlace {
  int block, round, thread;
};

#if MERGANSER_COMPILED_BY_NVCC

template <class Kernel, int... phase>
__device__ inline void run_phases(const Kernel& kernel, const BlockPlace& at, typename Kernel::Shared& shared,
                                  typename Kernel::Thread& own, std::integer_sequence<int, phase...>) {
  ((kernel.template run<phase>(at, shared, own), __syncthreads()), ...);
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads) run_blocks(const __grid_constant__ Kernel kernel) {
  __shared__ typename Kernel::Shared shared;
  typename Kernel::Thread own;
  const int block = static_cast<int>(blockIdx.x), rounds = kernel.rounds(block);
  for (int round = 0; round < rounds; ++round)
    run_phases(kernel, {block, round, static_cast<int>(threadIdx.x)}, shared, own,
               std::make_integer_sequence<int, Kernel::phases>());
}

template <class Kernel>
void launch_blocks(int blocks, const Kernel& kernel) {
  if (blocks <= 0) return;
  static KernelCounters& counters = kernel_counters(Kernel::name);
  before_launch();
  run_blocks<<<blocks, Kernel::threads, 0, stream()>>>(kernel);
  after_launch(counters);
}

#else

/// A block as one index of launch().
template <class Kernel>
struct BlockByIndex {
  static constexpr const char* name = Kernel::name;
  Kernel kernel;

  void operator()(int block) const {
    const auto shared = undefined<typename Kernel::Shared>(1);
    const auto own = undefined<typename Kernel::Thread>(Kernel::threads);
    const IndexOrder order(Kernel::threads);
    for (int round = 0; round < kernel.rounds(block); ++round)
      run_phases({block, round, 0}, order, shared[0], own.get(),
                 std::make_integer_sequence<int, Kernel::phases>());
  }

 private:
  /// Filled so that a number read before it was written is not a number.
  template <class Value>
  static std::unique_ptr<Value[]> undefined(int count) {
    static_assert(std::is_trivially_copyable_v<Value>);
    auto values = std::make_unique<Value[]>(size_t(count));
    std::memset(static_cast<void*>(values.get()), 0xff, sizeof(Value) * size_t(count));
    return values;
  }
  template <int... phase>
  void run_phases(BlockPlace at, const IndexOrder& order, typename Kernel::Shared& shared,
                  typename Kernel::Thread* own, std::integer_sequence<int, phase...>) const {
    const auto all_threads = [&](auto p) {
      for (int k = 0; k < Kernel::threads; ++k) {
        at.thread = order(k);
        kernel.template run<p()>(at, shared, own[at.thread]);
      }
    };
    (all_threads(std::integral_constant<int, phase>()), ...);
  }
};

template <class Kernel>
void launch_blocks(int blocks, const Kernel& kernel) {
  launch(blocks, BlockByIndex<Kernel>{kernel});
}

#endif

MERGANSER_END
