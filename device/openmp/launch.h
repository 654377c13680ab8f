#pragma once
/// launch() on the CPU: chunks handed to OpenMP threads on demand.
///
/// The cut into chunks depends on the count alone, so vectorised loop bodies and their remainders cover the
/// same indices in every run, whether one thread or many take the chunks. They are handed out dynamically, so
/// a core that a foreign process keeps busy delays one chunk only. Waking sleeping threads takes about 7 us;
/// where the work is smaller than a few times that, judged by what the kernel's earlier launches took, the
/// calling thread does it alone. In another order than ascending (launch_order.h) a chunk is one index.
#include <algorithm>

#include "device/backend.h"
#include "device/kernel_profile.h"
#include "device/launch_order.h"

MERGANSER_BEGIN

/// Adds the time since construction to the profile of a kernel name.
class LaunchClock {
 public:
  explicit LaunchClock(KernelCounters& kernel) : kernel_(kernel), start_(now_nanoseconds()) {}
  /// Looks the name up under a lock: for primitives, not for kernels.
  explicit LaunchClock(const char* name) : LaunchClock(kernel_counters(name)) {}
  LaunchClock(const LaunchClock&) = delete;
  LaunchClock& operator=(const LaunchClock&) = delete;
  ~LaunchClock() { kernel_.add(now_nanoseconds() - start_); }

 private:
  KernelCounters& kernel_;
  long long start_;
};

/// Indices per chunk: about 128 chunks a launch, each long enough for vector loops and short enough for an
/// even share.
constexpr int launch_chunk(int count) { return std::clamp((count / 128 + 63) / 64 * 64, 64, 8192); }

/// Threads to use for `count` indices of a kernel: 1 where waking the others costs more than it saves.
int worthwhile_threads(int count, const KernelCounters& kernel);
/// Learns what an index costs from a launch that took `nanoseconds` on `threads` threads.
void learn_index_cost(KernelCounters& kernel, int count, int threads, long long nanoseconds);

template <class Functor>
void launch(int count, const Functor& functor) {
  if (count <= 0) return;
  static KernelCounters& kernel = kernel_counters(Functor::name);
  const long long start = now_nanoseconds();
  const IndexOrder order(count);
  const int chunk = order.ascending() ? launch_chunk(count) : 1;
  const int chunks = (count - 1) / chunk + 1;
  const int threads = worthwhile_threads(count, kernel);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
  for (int c = 0; c < chunks; ++c) {
    const int begin = order(c) * chunk;
    const int end = begin + std::min(count - begin, chunk);
    const Functor own = functor;  // which no other code sees: what it holds stays in registers
    for (int i = begin; i < end; ++i) own(i);
  }
  const long long spent = now_nanoseconds() - start;
  kernel.add(spent);
  learn_index_cost(kernel, count, threads, spent);
}

MERGANSER_END
