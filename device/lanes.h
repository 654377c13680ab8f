#pragma once
/// Eight floats that arithmetic treats as one number, so that a formula written once for `Real` runs on one
/// pair on the GPU and on eight pairs on the CPU. A compiler extension of g++ and clang; comparisons give
/// masks, and `mask ? a : b` picks by lane. Vectors by hand, because g++ 12 leaves loops over such formulas
/// scalar: it keeps the small structs in them in memory.
#include <cmath>
#include <cstring>

#include "device/backend.h"
#include "device/vector_math.h"

#if !MERGANSER_GPU_HALF && defined(__AVX__)
#include <immintrin.h>
#endif

MERGANSER_BEGIN

/// 16-byte pieces of what pair loops read.
struct alignas(16) Quad {
  float x, y, z, w;
};

MERGANSER_FN float square_root(float x) { return sqrtf(x); }
/// The greater of both; b where one is no number.
MERGANSER_FN float larger(float a, float b) { return a > b ? a : b; }
MERGANSER_FN double larger(double a, double b) { return a > b ? a : b; }

#if !MERGANSER_GPU_HALF
inline constexpr int lane_count = 8;
typedef float Float8 __attribute__((vector_size(lane_count * sizeof(float))));

typedef int Int8 __attribute__((vector_size(lane_count * sizeof(int))));

/// The first `count` lanes; zero in the others.
inline Float8 first_lanes(Float8 x, int count) { return Int8{0, 1, 2, 3, 4, 5, 6, 7} < count ? x : 0.0f; }
inline Float8 broadcast(float x) { return Float8{x, x, x, x, x, x, x, x}; }
inline Vector3<Float8> broadcast(const Vec3& a) { return {broadcast(a.x), broadcast(a.y), broadcast(a.z)}; }
inline Float8 square_root(Float8 x) {
  Float8 root;
  for (int lane = 0; lane < lane_count; ++lane) root[lane] = sqrtf(x[lane]);  // becomes one instruction
  return root;
}
typedef float Float4 __attribute__((vector_size(16)));
/// Sum in a fixed order.
inline float sum_of_lanes(Float8 x) {
  const Float4 four = __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  const Float4 two = four + __builtin_shufflevector(four, four, 2, 3, 2, 3);
  return two[0] + two[1];
}
/// The greater of both, lane by lane; b where one is no number.
inline Float8 larger(Float8 a, Float8 b) {
#if defined(__AVX__)
  return _mm256_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}
/// As many floats as a formula works on at once: eight on the CPU, one on the GPU.
using Lanes = Float8;
inline Lanes lane_numbers() { return Lanes{0, 1, 2, 3, 4, 5, 6, 7}; }
#else
inline constexpr int lane_count = 1;
using Lanes = float;
MERGANSER_FN float broadcast(float x) { return x; }
MERGANSER_FN Vec3 broadcast(const Vec3& a) { return a; }
MERGANSER_FN float sum_of_lanes(float x) { return x; }
MERGANSER_FN Lanes lane_numbers() { return 0; }
MERGANSER_FN float first_lanes(float x, int) { return x; }
#endif

/// lane_count floats from memory.
MERGANSER_FN Lanes load_lanes(const float* from) {
  Lanes values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

#if !MERGANSER_GPU_HALF
/// lane_count vectors from memory, component by component.
[[gnu::always_inline]] inline Vector3<Float8> load_vectors(const Vec3* from) {
  Float4 part[6];  // x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3, and the same of the last four
  std::memcpy(part, from, sizeof part);
  const auto two = [&](int k) {
    return __builtin_shufflevector(part[k], part[k + 3], 0, 1, 2, 3, 4, 5, 6, 7);
  };
  const Float8 a = two(0), b = two(1), c = two(2),
               xy = __builtin_shufflevector(b, c, 2, 3, 9, 10, 6, 7, 13, 14),  // x2 y2 x3 y3
      yz = __builtin_shufflevector(a, b, 1, 2, 8, 9, 5, 6, 12, 13);            // y0 z0 y1 z1
  return {__builtin_shufflevector(a, xy, 0, 3, 8, 10, 4, 7, 12, 14),
          __builtin_shufflevector(yz, xy, 0, 2, 9, 11, 4, 6, 13, 15),
          __builtin_shufflevector(yz, c, 1, 3, 8, 11, 5, 7, 12, 15)};
}
#endif

/// lane_count quads, field by field.
struct QuadLanes {
  Lanes x, y, z, w;
};

#if !MERGANSER_GPU_HALF
/// x, y, z and 0; q.w is not read.
inline Float4 without_w(const Quad& q) {
#if defined(__AVX__)
  return _mm_maskload_ps(&q.x, _mm_setr_epi32(-1, -1, -1, 0));  // four numbers one by one take twice as long
#else
  return {q.x, q.y, q.z, 0};
#endif
}
#endif

/// quads[at[0]], ..., quads[at[lane_count - 1]]. Without `with_w` nothing but x, y and z is read, for w may
/// be what another index of the same launch writes; w is then 0.
template <bool with_w = true, class Index>
[[gnu::always_inline]] MERGANSER_FN QuadLanes gather_quads(const Quad* quads, const Index* at) {
#if MERGANSER_GPU_HALF
  const Quad& q = quads[at[0]];
  return {q.x, q.y, q.z, with_w ? q.w : 0.0f};
#else
  const auto load = [&](int k) {
    if constexpr (!with_w) return without_w(quads[at[k]]);
    Float4 whole;
    std::memcpy(&whole, quads + at[k], sizeof whole);
    return whole;
  };
  const auto two = [&](int k) {  // quads k and k + 4 side by side
#if defined(__AVX__)
    return Float8(_mm256_insertf128_ps(_mm256_castps128_ps256(load(k)), load(k + 4), 1));
#else
    return __builtin_shufflevector(load(k), load(k + 4), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
  };
  const Float8 a = two(0), b = two(1), c = two(2), d = two(3);
  const Float8 xy_ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
               zw_ab = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15),
               xy_cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13),
               zw_cd = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  return {__builtin_shufflevector(xy_ab, xy_cd, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(xy_ab, xy_cd, 2, 3, 10, 11, 6, 7, 14, 15),
          __builtin_shufflevector(zw_ab, zw_cd, 0, 1, 8, 9, 4, 5, 12, 13),
          __builtin_shufflevector(zw_ab, zw_cd, 2, 3, 10, 11, 6, 7, 14, 15)};
#endif
}

/// from[at[0]], ..., from[at[lane_count - 1]].
template <class Index>
[[gnu::always_inline]] MERGANSER_FN Lanes gather_numbers(const float* from, const Index* at) {
#if MERGANSER_GPU_HALF
  return from[at[0]];
#else
  return Lanes{from[at[0]], from[at[1]], from[at[2]], from[at[3]],
               from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
#endif
}

MERGANSER_END
