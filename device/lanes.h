#pragma once
/// Eight floats that arithmetic treats as one number, so that a formula written once for `Real` runs on one
/// pair on the GPU and on eight pairs on the CPU. A compiler extension of g++ and clang; comparisons give
/// masks, and `mask ? a : b` picks by lane. Vectors by hand, because g++ 12 leaves loops over such formulas
/// scalar: it keeps the small structs in them in memory.
#include <cmath>
#include <cstring>

#include "device/backend.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

MERGANSER_FN float square_root(float x) { return sqrtf(x); }

#if !MERGANSER_IS_GPU
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
/// Sum in a fixed order.
inline float sum_of_lanes(Float8 x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}
/// As many floats as a formula works on at once: eight on the CPU, one on the GPU.
using Lanes = Float8;
#else
inline constexpr int lane_count = 1;
using Lanes = float;
MERGANSER_FN float broadcast(float x) { return x; }
MERGANSER_FN Vec3 broadcast(const Vec3& a) { return a; }
MERGANSER_FN float sum_of_lanes(float x) { return x; }
MERGANSER_FN float first_lanes(float x, int) { return x; }
#endif

/// lane_count floats from memory.
MERGANSER_FN Lanes load_lanes(const float* from) {
  Lanes values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

MERGANSER_END
