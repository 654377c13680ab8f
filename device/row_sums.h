#pragma once
/// Sums over rows: one value a row from the entries of that row, such as the members of a group or the bonds
/// of a particle, where one thread a row would be too few or too slow.
///
/// A row functor has `static constexpr const char* name`, `using Value` (trivially copyable),
/// `int begin(int row) const` and `int end(int row) const` (its entries), `Value operator()(int row, int k)
/// const` (what entry k adds), `static Value identity()`, `static Value combine(const Value&, const Value&)`
/// and `void finish(int row, const Value& sum) const`, which writes the row's results.
///
/// The GPU takes `lanes` threads a row: lane l combines the entries begin + l, begin + l + lanes, ... and a
/// binary tree combines the lanes. The CPU combines the entries one after the other. Both orders depend on
/// the row alone, so the bits are the same in every run; the two agree to rounding.
#include <cstdint>

#include "device/launch.h"

MERGANSER_BEGIN

/// Entries [begin, end) of a row one after the other.
template <class Functor>
MERGANSER_FN typename Functor::Value combine_row(const Functor& functor, int row) {
  typename Functor::Value sum = Functor::identity();
  for (int k = functor.begin(row), end = functor.end(row); k < end; ++k)
    sum = Functor::combine(sum, functor(row, k));
  return sum;
}

#if MERGANSER_COMPILED_BY_NVCC
/// `value` of the lane that is `distance` further on, among `width` lanes of a warp.
template <int width, class Value>
__device__ Value value_of_lane_after(const Value& value, int distance) {
  static_assert(sizeof(Value) % sizeof(unsigned) == 0, "a warp exchanges words of four bytes");
  constexpr int words = sizeof(Value) / sizeof(unsigned);
  unsigned word[words];
  memcpy(word, &value, sizeof value);
  for (int w = 0; w < words; ++w) word[w] = __shfl_down_sync(0xffffffffu, word[w], distance, width);
  Value other;
  memcpy(&other, word, sizeof other);
  return other;
}

template <int lanes, class Functor>
__global__ void __launch_bounds__(128) sum_rows(int rows, const __grid_constant__ Functor functor) {
  using Value = typename Functor::Value;
  const int lane = threadIdx.x % lanes;
  const std::int64_t row64 = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
  const bool exists = row64 < rows;
  const int row = exists ? int(row64) : rows - 1;
  Value sum = Functor::identity();
  if (exists)  // all threads of the warp take part in the exchange below
    for (int k = functor.begin(row) + lane, end = functor.end(row); k < end; k += lanes)
      sum = Functor::combine(sum, functor(row, k));
  if constexpr (lanes <= 32) {
    for (int width = lanes / 2; width > 0; width /= 2)
      sum = Functor::combine(sum, value_of_lane_after<lanes>(sum, width));
  } else {
    static_assert(lanes <= 32 || lanes == 128, "a row is for a part of a warp or for a block");
    __shared__ __align__(16) unsigned char shared_bytes[lanes * sizeof(Value)];
    Value* of_lane = reinterpret_cast<Value*>(shared_bytes);
    of_lane[lane] = sum;
    __syncthreads();
    for (int width = lanes / 2; width > 0; width /= 2) {
      if (lane < width) of_lane[lane] = Functor::combine(of_lane[lane], of_lane[lane + width]);
      __syncthreads();
    }
    sum = of_lane[0];
  }
  if (exists && lane == 0) functor.finish(row, sum);
}

/// Sums every row in [0, rows). lanes: a power of two up to 32, or 128 for rows of hundreds of entries.
template <int lanes = 32, class Functor>
void launch_row_sums(int rows, const Functor& functor) {
  static_assert(lanes > 0 && (lanes & (lanes - 1)) == 0, "lanes is a power of two");
  if (rows <= 0) return;
  constexpr int block = 128;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  const auto blocks = static_cast<unsigned>((std::int64_t(rows) * lanes - 1) / block + 1);
  sum_rows<lanes><<<blocks, block, 0, stream()>>>(rows, functor);
  after_launch(kernel);
}
#elif MERGANSER_GPU_HALF
template <int lanes = 32, class Functor>
void launch_row_sums(int rows, const Functor& functor) {
  static_assert(lanes > 0 && (lanes & (lanes - 1)) == 0 && (lanes <= 32 || lanes == 128));
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's arguments are copied as bytes");
  if (rows <= 0) return;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  StreamWork work{Functor::name, [rows, functor] {
                    for_each_index(rows, [&](int row) {
                      functor.finish(row,
                                     reduce_lanes<Functor, lanes>(functor.begin(row), functor.end(row),
                                                                  [&](int k) { return functor(row, k); }));
                    });
                  }};
  if (recording()) work.arguments = argument_bytes(rows, functor);
  enqueue_kernel(kernel, std::move(work));
}
#else
/// One row an index of an ordinary launch.
template <class Functor>
struct RowInOrder {
  static constexpr const char* name = Functor::name;
  Functor functor;
  void operator()(int row) const { functor.finish(row, combine_row(functor, row)); }
};
template <int lanes = 32, class Functor>
void launch_row_sums(int rows, const Functor& functor) {
  launch(rows, RowInOrder<Functor>{functor});
}
#endif

MERGANSER_END
