#pragma once
/// Products of a tile (cholesky_layout.h) with up to three vectors, eight rows at once. CPU only.
#include <cstring>

#include "device/half.h"
#include "device/lanes.h"

MERGANSER_BEGIN

constexpr int most_sides = 3;  ///< right sides at once: as many as registers hold sums of 32 rows

/// Numbers read ahead: the factor is read end to end once a pass, and the processor's own prefetching stops
/// at pages of 4 KiB. A fifth of a solve's time (16,000 to 64,000 unknowns; 500 to 1,000 are equally good).
constexpr int ahead = 768;
/// One column of a tile, a line of 64 bytes at a time; as many bytes ahead in half precision.
template <int vectors, class Number>
void prefetch_column(const Number* tile) {
  constexpr int numbers = 64 / sizeof(Number);
  for (int v = 0; v < 8 * vectors; v += numbers)
    __builtin_prefetch(tile + ahead * sizeof(float) / sizeof(Number) + v);
}

inline Float8 load8(const float* from) {
  Float8 values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline Float8 load8(const Half* from) {
#if defined(__F16C__)
  __m128i halves;
  std::memcpy(&halves, from, sizeof halves);
  return reinterpret_cast<Float8>(_mm256_cvtph_ps(halves));
#else
  Float8 values;
  for (int lane = 0; lane < 8; ++lane) values[lane] = to_float(from[lane]);
  return values;
#endif
}
inline void store8(float* to, Float8 values) { std::memcpy(to, &values, sizeof values); }

/// sum[side][row] = sum_j P(row, j) b[j][side], row in [0, 8 vectors).
template <int sides, int vectors, class Number>
void tile_product(const Number* tile, int columns, const float* b, float (*sum)[tile_rows]) {
  Float8 total[vectors][sides];
  for (int v = 0; v < vectors; ++v)
    for (int k = 0; k < sides; ++k) total[v][k] = broadcast(0);
  for (int j = 0; j < columns; ++j, tile += 8 * vectors, b += sides) {
    Float8 p[vectors];
    for (int v = 0; v < vectors; ++v) p[v] = load8(tile + 8 * v);
    prefetch_column<vectors>(tile);
    for (int k = 0; k < sides; ++k) {
      const Float8 bk = broadcast(b[k]);
      for (int v = 0; v < vectors; ++v) total[v][k] += p[v] * bk;
    }
  }
  for (int v = 0; v < vectors; ++v)
    for (int k = 0; k < sides; ++k) store8(sum[k] + 8 * v, total[v][k]);
}

/// Sums of the lanes of eight vectors, in a fixed order.
inline Float8 sums_of_lanes(const Float8* v) {
  typedef int Pick __attribute__((vector_size(32)));
  constexpr Pick even{0, 8, 2, 10, 4, 12, 6, 14}, odd{1, 9, 3, 11, 5, 13, 7, 15};
  constexpr Pick low{0, 1, 8, 9, 4, 5, 12, 13}, high{2, 3, 10, 11, 6, 7, 14, 15};
  constexpr Pick left{0, 1, 2, 3, 8, 9, 10, 11}, right{4, 5, 6, 7, 12, 13, 14, 15};
  Float8 pair[4], quad[2];
  for (int i = 0; i < 4; ++i)
    pair[i] =
        __builtin_shuffle(v[2 * i], v[2 * i + 1], even) + __builtin_shuffle(v[2 * i], v[2 * i + 1], odd);
  for (int i = 0; i < 2; ++i)
    quad[i] = __builtin_shuffle(pair[2 * i], pair[2 * i + 1], low) +
              __builtin_shuffle(pair[2 * i], pair[2 * i + 1], high);
  return __builtin_shuffle(quad[0], quad[1], left) + __builtin_shuffle(quad[0], quad[1], right);
}

/// x[side * stride + j] += sum_row P(row, j) z[side][row] for columns j of [first, end).
template <int sides, int vectors, class Number>
void transposed_tile_product(const Number* tile, int first, int end, const float (*z)[tile_rows], float* x,
                             int stride) {
  Float8 zk[sides][vectors];
  for (int k = 0; k < sides; ++k)
    for (int v = 0; v < vectors; ++v) zk[k][v] = load8(z[k] + 8 * v);
  tile += std::ptrdiff_t(first) * 8 * vectors;
  int j = first;
  for (; j + 8 <= end; j += 8) {
    Float8 total[sides][8];
    for (int c = 0; c < 8; ++c, tile += 8 * vectors) {
      prefetch_column<vectors>(tile);
      for (int k = 0; k < sides; ++k) {
        total[k][c] = load8(tile) * zk[k][0];
        for (int v = 1; v < vectors; ++v) total[k][c] += load8(tile + 8 * v) * zk[k][v];
      }
    }
    for (int k = 0; k < sides; ++k)
      store8(x + k * stride + j, load8(x + k * stride + j) + sums_of_lanes(total[k]));
  }
  for (; j < end; ++j, tile += 8 * vectors)
    for (int k = 0; k < sides; ++k) {
      Float8 total = load8(tile) * zk[k][0];
      for (int v = 1; v < vectors; ++v) total += load8(tile + 8 * v) * zk[k][v];
      x[k * stride + j] += sum_of_lanes(total);
    }
}

/// work(sides) as a compile-time constant.
template <class Work>
void with_sides(int sides, const Work& work) {
  switch (sides) {
    case 1:
      return work(std::integral_constant<int, 1>());
    case 2:
      return work(std::integral_constant<int, 2>());
    default:
      return work(std::integral_constant<int, 3>());
  }
}
/// product(sides, vectors) as compile-time constants.
template <class Product>
void with_sizes(int sides, int height, const Product& product) {
  with_sides(sides, [&](auto side_count) {
    switch (height / 8) {
      case 1:
        return product(side_count, std::integral_constant<int, 1>());
      case 2:
        return product(side_count, std::integral_constant<int, 2>());
      case 3:
        return product(side_count, std::integral_constant<int, 3>());
      default:
        return product(side_count, std::integral_constant<int, 4>());
    }
  });
}

MERGANSER_END
