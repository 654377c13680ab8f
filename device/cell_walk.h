#pragma once
/// For walks by cells on the CPU, where the first particle of a cell collects the candidate neighbors of all
/// of its particles: sets of lanes, and the box around the cell's particles.
#include <algorithm>
#include <array>

#include "device/lanes.h"

#if !MERGANSER_GPU_HALF

#if defined(__AVX2__)
#include <immintrin.h>
#endif

MERGANSER_BEGIN

/// A bit each: the lanes of `a` that are less than b.
[[gnu::always_inline]] inline unsigned bits_where_less(Float8 a, float b) {
#if defined(__AVX2__)
  return unsigned(_mm256_movemask_ps(reinterpret_cast<__m256>(a < b)));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < lane_count; ++lane) bits |= unsigned(a[lane] < b) << lane;
  return bits;
#endif
}
[[gnu::always_inline]] inline unsigned bits_where_zero(Int8 a) {
#if defined(__AVX2__)
  return unsigned(_mm256_movemask_ps(reinterpret_cast<__m256>(a == 0)));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < lane_count; ++lane) bits |= unsigned(a[lane] == 0) << lane;
  return bits;
#endif
}
inline unsigned bits_of_first_lanes(int count) { return (1u << count) - 1; }

/// The lanes of every set of eight, lowest first, a byte each; 0 behind them.
constexpr std::array<unsigned long long, 256> make_lanes_of_bits() {
  std::array<unsigned long long, 256> lanes{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    int held = 0;
    for (unsigned long long lane = 0; lane < 8; ++lane)
      if (bits >> lane & 1) lanes[bits] |= lane << (8 * held++);
  }
  return lanes;
}
inline constexpr std::array<unsigned long long, 256> lanes_of_bits = make_lanes_of_bits();

/// Eight floats or integers, those of `bits` first, in their order.
template <class Eight>
[[gnu::always_inline]] inline Eight set_lanes_first(Eight numbers, unsigned bits) {
#if defined(__AVX2__)
  const __m128i lanes = _mm_cvtsi64_si128(static_cast<long long>(lanes_of_bits[bits]));
  return reinterpret_cast<Eight>(
      _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(numbers), _mm256_cvtepu8_epi32(lanes)));
#else
  Eight first;
  for (int k = 0; k < lane_count; ++k) first[k] = numbers[lanes_of_bits[bits] >> (8 * k) & 7];
  return first;
#endif
}

/// Writes all eight from `to` on, those of `bits` first.
template <class Number, class Eight>
[[gnu::always_inline]] inline void store_lanes(Number* to, const Eight& numbers, unsigned bits) {
  const Eight first = set_lanes_first(numbers, bits);
  std::memcpy(to, &first, sizeof first);
}

/// A bit each: those of eight points whose distance from x, squared, is less than `bound` [m^2].
[[gnu::always_inline]] inline unsigned bits_near(const Vec3& x, const Vec3* points, float bound) {
  return bits_where_less(norm_squared(broadcast(x) - load_vectors(points)), bound);
}

/// The box around the particles of a cell.
struct CellBox {
  Vec3 low{3e38f, 3e38f, 3e38f}, high{-3e38f, -3e38f, -3e38f};

  void take_in(const Vec3& x) {
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  /// Of one point or of eight; 0 inside.
  template <class Real>
  [[gnu::always_inline]] Real distance_squared(const Vector3<Real>& x) const {
    return norm_squared(
        Vector3<Real>{outside(x.x, low.x, high.x), outside(x.y, low.y, high.y), outside(x.z, low.z, high.z)});
  }

 private:
  template <class Real>
  [[gnu::always_inline]] static Real outside(Real x, float low, float high) {
    const Real below = low - x, above = x - high;
    const Real gap = below > above ? below : above;
    return gap > Real{} ? gap : Real{};
  }
};

/// Square of a candidate's greatest distance over the radius: roundings must not drop a neighbor.
inline constexpr float candidate_share = 1.00001f;

MERGANSER_END

#endif
