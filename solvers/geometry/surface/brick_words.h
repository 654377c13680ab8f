#pragma once
/// A brick is a cube of 4 x 4 x 4 grid points. What is said of each of its points with one bit is a 64-bit
/// word: bit x + 4 y + 16 z.
#include "device/atomics.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

inline constexpr int brick_side = 4;
inline constexpr int brick_points = brick_side * brick_side * brick_side;

MERGANSER_FN int bit_count(Word64 word) {
#if defined(__CUDA_ARCH__)
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}
/// Index of the lowest bit that is set; word != 0.
MERGANSER_FN int lowest_bit(Word64 word) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}

/// Points with this coordinate along an axis.
MERGANSER_FN Word64 layer(int axis, int coordinate) {
  const Word64 first = axis == 0 ? 0x1111111111111111ull : axis == 1 ? 0x000F000F000F000Full : 0xFFFFull;
  return first << (coordinate << (2 * axis));
}
/// Bit of p <- bit of p + 1 along an axis; the last layer comes from the brick beyond.
MERGANSER_FN Word64 from_next(int axis, Word64 word, Word64 next) {
  const int stride = 1 << (2 * axis), last = 3 * stride;
  const Word64 edge = layer(axis, 3);
  return ((word >> stride) & ~edge) | ((next << last) & edge);
}
/// Bit of p <- bit of p - 1 along an axis; the first layer comes from the brick before.
MERGANSER_FN Word64 from_previous(int axis, Word64 word, Word64 previous) {
  const int stride = 1 << (2 * axis), last = 3 * stride;
  const Word64 edge = layer(axis, 0);
  return ((word << stride) & ~edge) | ((previous >> last) & edge);
}

/// Bricks are ordered by z, y, x. Coordinates lie in [-2^20, 2^20).
inline constexpr int brick_limit = 1 << 20;
MERGANSER_FN Word64 brick_key(const Int3& brick) {
  return (Word64(brick.z + brick_limit) << 42) | (Word64(brick.y + brick_limit) << 21) |
         Word64(brick.x + brick_limit);
}
MERGANSER_FN Int3 brick_of_key(Word64 key) {
  const Word64 part = (1u << 21) - 1;
  return {int(key & part) - brick_limit, int((key >> 21) & part) - brick_limit,
          int((key >> 42) & part) - brick_limit};
}
/// Neighbors are numbered dx + 1 + 3 (dy + 1) + 9 (dz + 1); 13 is the brick itself.
inline constexpr int brick_itself = 13;
MERGANSER_FN Int3 neighbor_offset(int neighbor) {
  return {neighbor % 3 - 1, neighbor / 3 % 3 - 1, neighbor / 9 - 1};
}

MERGANSER_END
