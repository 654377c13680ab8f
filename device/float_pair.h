#pragma once
/// Numbers to 48 bits as sums of two floats, for GPUs that take 32 or 64 times as long for a double as for a
/// float. A pair is high + low with |low| <= u |high|, u = 2^-24, and stands for their exact sum.
///
/// Errors, where nothing overflows and products stay above 2^-100 (their low parts are lost below 2^-126):
///   a + b, a - b       at most 4 u^2 (|a| + |b|)   Joldes, Muller & Popescu 2017, Tight and rigorous error
///   a * b              at most 6 u^2 |a b|         bounds for basic building blocks of double-word
///   a / b              at most 20 u^2 |a / b|      arithmetic, alg. 5, 11 and 17
///   add_product(s, a, b)  at most 6 u^2 (|s| + |a b|)
///   inverse_root(a)    at most 20 u^2 / sqrt(a)
///   from a double      at most u^2 |a|
#include "device/backend.h"

#include <cmath>
#include <type_traits>

MERGANSER_BEGIN

/// a * b rounded to float. Compilers otherwise join products and sums into one rounding, which sums of pairs
/// do not survive.
MERGANSER_FN float rounded_product(float a, float b) {
#if MERGANSER_COMPILED_BY_NVCC && defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  float product = a * b;
  asm("" : "+x"(product));
  return product;
#endif
}

struct alignas(8) FloatPair {
  float high, low;

  FloatPair() = default;
  MERGANSER_METHOD FloatPair(float x) : high(x), low(0) {}
  MERGANSER_METHOD FloatPair(float h, float l) : high(h), low(l) {}
  MERGANSER_METHOD explicit FloatPair(double x)
      : high(static_cast<float>(x)), low(static_cast<float>(x - static_cast<double>(high))) {}
  MERGANSER_METHOD explicit operator float() const { return high; }
  MERGANSER_METHOD explicit operator double() const {
    return static_cast<double>(high) + static_cast<double>(low);
  }

  /// a + b exactly.
  MERGANSER_METHOD static FloatPair exact_sum(float a, float b) {
    const float sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
  }
  /// a + b exactly, where |a| >= |b| or a is zero.
  MERGANSER_METHOD static FloatPair exact_ordered_sum(float a, float b) {
    const float sum = a + b;
    return {sum, b - (sum - a)};
  }
  /// a * b exactly.
  MERGANSER_METHOD static FloatPair exact_product(float a, float b) {
    const float product = rounded_product(a, b);
    return {product, fmaf(a, b, -product)};
  }

  MERGANSER_METHOD friend FloatPair operator+(const FloatPair& a, const FloatPair& b) {
    const FloatPair sum = exact_sum(a.high, b.high);
    return exact_ordered_sum(sum.high, sum.low + (a.low + b.low));
  }
  MERGANSER_METHOD friend FloatPair operator-(const FloatPair& a) { return {-a.high, -a.low}; }
  MERGANSER_METHOD friend FloatPair operator-(const FloatPair& a, const FloatPair& b) { return a + -b; }
  MERGANSER_METHOD friend FloatPair operator*(const FloatPair& a, const FloatPair& b) {
    const FloatPair product = exact_product(a.high, b.high);
    return exact_ordered_sum(product.high, fmaf(a.low, b.high, fmaf(a.high, b.low, product.low)));
  }
  MERGANSER_METHOD friend FloatPair operator/(const FloatPair& a, const FloatPair& b) {
    const float first = a.high / b.high;
    const FloatPair left = a - b * FloatPair(first);
    return exact_ordered_sum(first, left.high / b.high);
  }
  MERGANSER_METHOD FloatPair& operator+=(const FloatPair& b) { return *this = *this + b; }
  MERGANSER_METHOD FloatPair& operator-=(const FloatPair& b) { return *this = *this - b; }
  MERGANSER_METHOD FloatPair& operator*=(const FloatPair& b) { return *this = *this * b; }
};

/// sum += a b.
MERGANSER_FN void add_product(FloatPair& sum, const FloatPair& a, const FloatPair& b) {
  const FloatPair product = FloatPair::exact_product(a.high, b.high);
  const FloatPair high = FloatPair::exact_sum(sum.high, product.high);
  const float low = fmaf(a.low, b.high, fmaf(a.high, b.low, product.low)) + sum.low;
  sum = FloatPair::exact_ordered_sum(high.high, high.low + low);
}

/// 1 / sqrt(a), a > 0: one step of Newton's method from the float.
MERGANSER_FN FloatPair inverse_root(const FloatPair& a) {
  const float first = 1 / sqrtf(a.high);
  const FloatPair left = FloatPair(1.0f) - a * FloatPair::exact_product(first, first);
  return FloatPair::exact_ordered_sum(first, 0.5f * first * left.high);
}

MERGANSER_END
