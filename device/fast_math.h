#pragma once
/// Square roots and quotients for pair formulas. nvcc makes of sqrtf and of a division correctly rounded code
/// with a branch to a slow subroutine; here they take one or two instructions on a card. Elsewhere, on the
/// CPU and on the emulated GPU, they are the usual operations.
#include "device/lanes.h"

MERGANSER_BEGIN

/// sqrt(x). On a card the relative error is at most 2^-23, and x < 1.2e-38 counts as 0 (sqrt.approx.ftz.f32).
MERGANSER_FN float fast_square_root(float x) {
#ifdef __CUDA_ARCH__
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#else
  return sqrtf(x);
#endif
}
#if !MERGANSER_GPU_HALF
inline Float8 fast_square_root(Float8 x) { return square_root(x); }
#endif

/// a/b. On a card the error is at most 2 units in the last place for |b| from 2^-126 to 2^126
/// (div.approx.f32).
MERGANSER_FN float fast_quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdividef(a, b);
#else
  return a / b;
#endif
}
template <class Real>
MERGANSER_FN Real fast_quotient(Real a, Real b) {
  return a / b;
}

MERGANSER_END
