#pragma once
/// Runs of the same work with other numbers of CPU threads. On the GPU they are runs one after the other.
#include "device/launch.h"

#if !MERGANSER_COMPILED_BY_NVCC
#include <omp.h>
#endif

MERGANSER_BEGIN

/// The result of `work` with `count` CPU threads.
template <class Work>
auto with_threads([[maybe_unused]] int count, const Work& work) {
#if MERGANSER_COMPILED_BY_NVCC
  return work();
#else
  const int before = omp_get_max_threads();
  omp_set_num_threads(count);
  auto result = work();
  omp_set_num_threads(before);
  return result;
#endif
}

MERGANSER_END
