#pragma once
/// Sums over rows of very unequal lengths, which may hand each entry what came of its row: members of groups
/// (a few as a rule, a whole body's where groups are unlimited), particles of bodies.
///
/// A functor has `static constexpr const char* name`, `using Value` (trivially copyable),
/// `int begin(int row) const` and `int end(int row) const` (its entries), `void add(Value& sum, int row,
/// int k) const`, `static Value identity()`, `static Value combine(const Value&, const Value&)`, and one or
/// both of
///   void finish(int row, const Value& sum) const                 writes the row's results
///   Share share(int row, const Value& sum) const
///   void spread(int row, int k, const Share&) const              writes entry k's, after all have been read
/// begin() and end() must not depend on what spread() writes.
///
/// The GPU takes a warp a row, and the block's 128 threads for a row of more than long_row entries (a group
/// of 100,000 is 800 entries a thread): lane l adds the entries begin + l, begin + l + lanes, ..., and a
/// binary tree combines the lanes. The CPU adds the entries one after the other. Both orders depend on the
/// row alone.
#include "device/row_sums.h"

MERGANSER_BEGIN

inline constexpr int long_row = 1024;

template <class Functor>
concept HasFinish = requires(const Functor functor, typename Functor::Value sum) {
  functor.finish(0, sum);
};
template <class Functor>
concept HasSpread = requires(const Functor functor, typename Functor::Value sum) {
  functor.spread(0, 0, functor.share(0, sum));
};

/// The entries begin, begin + stride, ... before end.
template <class Functor>
MERGANSER_FN typename Functor::Value add_entries(const Functor& functor, int row, int begin, int end,
                                                 int stride) {
  typename Functor::Value sum = Functor::identity();
  for (int k = begin; k < end; k += stride) functor.add(sum, row, k);
  return sum;
}
/// Use of a row's sum; thread `lane` of `lanes` takes its share of the entries.
template <class Functor>
MERGANSER_FN void conclude_row(const Functor& functor, int row, const typename Functor::Value& sum, int begin,
                               int end, int lane, int lanes) {
  if constexpr (HasFinish<Functor>) {
    if (lane == 0) functor.finish(row, sum);
  }
  if constexpr (HasSpread<Functor>) {
    if (begin + lane >= end) return;
    const auto share = functor.share(row, sum);
    for (int k = begin + lane; k < end; k += lanes) functor.spread(row, k, share);
  }
}

#if MERGANSER_COMPILED_BY_NVCC
inline constexpr int group_lanes = 32, long_row_lanes = 128;

template <class Value>
__device__ Value value_of_first_lane(const Value& value) {
  constexpr int words = sizeof(Value) / sizeof(unsigned);
  unsigned word[words];
  memcpy(word, &value, sizeof value);
  for (int w = 0; w < words; ++w) word[w] = __shfl_sync(0xffffffffu, word[w], 0);
  Value first;
  memcpy(&first, word, sizeof first);
  return first;
}

template <class Functor>
__global__ void __launch_bounds__(long_row_lanes)
    sum_groups(int rows, const __grid_constant__ Functor functor) {
  using Value = typename Functor::Value;
  constexpr int rows_of_block = long_row_lanes / group_lanes;
  const int thread = threadIdx.x, lane = thread % group_lanes;
  const std::int64_t first_row = std::int64_t(blockIdx.x) * rows_of_block,
                     wanted = first_row + thread / group_lanes;
  const bool exists = wanted < rows;
  const int row = exists ? int(wanted) : rows - 1;
  const int begin = functor.begin(row), end = exists ? functor.end(row) : begin;
  const bool is_long = end - begin > long_row;
  if (exists && !is_long) {  // the same for the whole warp
    Value sum = add_entries(functor, row, begin + lane, end, group_lanes);
    for (int width = group_lanes / 2; width > 0; width /= 2)
      sum = Functor::combine(sum, value_of_lane_after<group_lanes>(sum, width));
    conclude_row(functor, row, value_of_first_lane(sum), begin, end, lane, group_lanes);
  }
  if (!__syncthreads_or(is_long)) return;
  __shared__ __align__(16) unsigned char shared_bytes[long_row_lanes * sizeof(Value)];
  Value* of_lane = reinterpret_cast<Value*>(shared_bytes);
  for (int r = 0; r < rows_of_block && first_row + r < rows; ++r) {
    const int long_one = int(first_row) + r, from = functor.begin(long_one), to = functor.end(long_one);
    if (to - from <= long_row) continue;  // the same for the whole block
    of_lane[thread] = add_entries(functor, long_one, from + thread, to, long_row_lanes);
    __syncthreads();
    for (int width = long_row_lanes / 2; width > 0; width /= 2) {
      if (thread < width) of_lane[thread] = Functor::combine(of_lane[thread], of_lane[thread + width]);
      __syncthreads();
    }
    conclude_row(functor, long_one, of_lane[0], from, to, thread, long_row_lanes);
    __syncthreads();  // before the next row's sums
  }
}

template <class Functor>
void launch_group_sums(int rows, const Functor& functor) {
  if (rows <= 0) return;
  constexpr int rows_of_block = long_row_lanes / group_lanes;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  before_launch();
  sum_groups<<<(rows - 1) / rows_of_block + 1, long_row_lanes, 0, stream()>>>(rows, functor);
  after_launch(kernel);
}
#elif MERGANSER_GPU_HALF
template <int lanes, class Functor>
void sum_group(const Functor& functor, int row, int begin, int end) {
  typename Functor::Value of_lane[lanes];
  const IndexOrder order(lanes);
  for (int k = 0; k < lanes; ++k) of_lane[order(k)] = add_entries(functor, row, begin + order(k), end, lanes);
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) of_lane[k] = Functor::combine(of_lane[k], of_lane[k + width]);
  for (int k = 0; k < lanes; ++k) conclude_row(functor, row, of_lane[0], begin, end, order(k), lanes);
}
template <class Functor>
void launch_group_sums(int rows, const Functor& functor) {
  static_assert(std::is_trivially_copyable_v<Functor>, "a kernel's arguments are copied as bytes");
  if (rows <= 0) return;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  StreamWork work{Functor::name, [rows, functor] {
                    for_each_index(rows, [&](int row) {
                      const int begin = functor.begin(row), end = functor.end(row);
                      if (end - begin > long_row)
                        sum_group<128>(functor, row, begin, end);
                      else
                        sum_group<32>(functor, row, begin, end);
                    });
                  }};
  if (recording()) work.arguments = argument_bytes(rows, functor);
  enqueue_kernel(kernel, std::move(work));
}
#else
/// One row an index of an ordinary launch.
template <class Functor>
struct GroupInOrder {
  static constexpr const char* name = Functor::name;
  Functor functor;
  void operator()(int row) const {
    const int begin = functor.begin(row), end = functor.end(row);
    conclude_row(functor, row, add_entries(functor, row, begin, end, 1), begin, end, 0, 1);
  }
};
template <class Functor>
void launch_group_sums(int rows, const Functor& functor) {
  launch(rows, GroupInOrder<Functor>{functor});
}
#endif

MERGANSER_END
