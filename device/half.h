#pragma once
/// Half-precision numbers (IEEE 754 binary16) in memory: 11 bits of precision, 6e-5 to 65504 in full.
/// Arithmetic is in float.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/backend.h"
#if MERGANSER_COMPILED_BY_NVCC
#include <cuda_fp16.h>
#elif defined(__F16C__)
#include <immintrin.h>
#endif

MERGANSER_BEGIN

/// The bits of a half-precision number.
struct Half {
  std::uint16_t bits;
};

MERGANSER_FN float to_float(Half x) {
#if MERGANSER_COMPILED_BY_NVCC
  return __half2float(__ushort_as_half(x.bits));
#elif defined(__F16C__)
  return _cvtsh_ss(x.bits);
#else
  // Exponent and fraction in a float's place are the number times 2^-112, subnormal ones as well.
  const std::uint32_t bits = std::uint32_t(x.bits & 0x7fff) << 13;
  float magnitude;
  std::memcpy(&magnitude, &bits, sizeof magnitude);
  return (x.bits & 0x8000 ? -0x1p112f : 0x1p112f) * magnitude;
#endif
}

/// The nearest half-precision number, of two the even one; |x| < 65520.
MERGANSER_FN Half to_half(float x) {
  const float magnitude = fabsf(x);
  std::uint32_t bits;
  if (magnitude < 0x1p-14f) {  // subnormal: a multiple of 2^-24, which adding 0.5 rounds to
    const float rounded = magnitude + 0.5f;
    std::memcpy(&bits, &rounded, sizeof bits);
    bits -= 0x3f000000u;  // of 0.5
  } else {
    std::memcpy(&bits, &magnitude, sizeof bits);
    bits -= 112u << 23;  // the exponent's bias
    bits = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
  }
  return {static_cast<std::uint16_t>(bits | (x < 0 ? 0x8000u : 0u))};
}

MERGANSER_END
