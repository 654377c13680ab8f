#pragma once
/// Integer atomics. Only commutative integer operations exist here, so that results never depend on the order
/// in which threads arrive; there are no float atomics on purpose.
#include "device/backend.h"

MERGANSER_BEGIN

using Word64 = unsigned long long;

MERGANSER_FN int atomic_add(int* address, int value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(address, value);
#else
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
#endif
}
MERGANSER_FN void atomic_max(Word64* address, Word64 value) {
#if defined(__CUDA_ARCH__)
  atomicMax(address, value);
#else
  Word64 seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen < value &&
         !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
MERGANSER_FN void atomic_min(Word64* address, Word64 value) {
#if defined(__CUDA_ARCH__)
  atomicMin(address, value);
#else
  Word64 seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen > value &&
         !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
MERGANSER_FN void atomic_min(int* address, int value) {
#if defined(__CUDA_ARCH__)
  atomicMin(address, value);
#else
  int seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen > value &&
         !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
MERGANSER_FN void atomic_max(int* address, int value) {
#if defined(__CUDA_ARCH__)
  atomicMax(address, value);
#else
  int seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen < value &&
         !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

MERGANSER_END
