#pragma once
/// The walk of the GPU: SphPlainSum with the distance test taken out of the way of the pair formula.
///
/// The threads of a warp meet neighbors at different candidates. In the plain walk nearly every candidate is
/// a neighbor of one of them, so all wait for its pair formula. Here a thread first tests up to 32 candidates
/// of a range and notes the hits as bits of a mask, then computes the pair formula for one set bit after the
/// other: a warp runs it only as often as its thread with the most hits. Hits come in the order of the range,
/// so the sums are those of the plain walk bit by bit.
#include "solvers/sph/neighbor_sum.h"

MERGANSER_BEGIN

/// Position of the highest set bit; mask is not 0.
MERGANSER_FN int highest_bit(unsigned mask) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(static_cast<int>(mask));
#else
  return 31 - __builtin_clz(mask);
#endif
}

/// 2 mask + (a < b).
MERGANSER_FN unsigned append_if_less(unsigned mask, float a, float b) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(__float_as_uint(__fsub_rn(a, b)), mask, 1);  // a card's NaN has no sign
#else
  return 2 * mask + (a < b);
#endif
}

template <class Term>
struct SphMaskedSum {
  static constexpr const char* name = Term::name;
  Term term;
  UniformGridView grid;
  SphParticles particles;
  float radius;  ///< [m] of the support

  MERGANSER_METHOD void operator()(int i) const {
    const SphParticle<float> self = particles.load<Term>(i);
    SphPair<float> sum{};
    grid.for_each_range(self.position, radius, [&](int begin, int end, const Vec3& query) {
      while (begin < end) {
        const int stop = end - begin > 32 ? begin + 32 : end;
        add_hits(begin, stop, self, query, sum);
        begin = stop;
      }
    });
    term.finish(i, self, sum);
  }

 private:
  /// Candidates begin ... end - 1, at most 32. The bit of candidate j is end - 1 - j, so that the next one is
  /// always the highest.
  MERGANSER_METHOD void add_hits(int begin, int end, const SphParticle<float>& self, const Vec3& query,
                                 SphPair<float>& sum) const {
    const float radius2 = radius * radius;
    unsigned hits = 0;
#if MERGANSER_COMPILED_BY_NVCC
#pragma unroll 4
#endif
    for (int j = begin; j < end; ++j) hits = append_if_less(hits, norm_squared(distance(query, j)), radius2);
    while (hits != 0) {
      const int bit = highest_bit(hits);
      hits ^= 1u << bit;
      const SphParticle<float> other = particles.load<Term>(end - 1 - bit);
      const Vec3 d = query - other.position;
      add_pair<Term>(term.pair(self, other, d, norm_squared(d)), sum);
    }
  }
  MERGANSER_METHOD Vec3 distance(const Vec3& query, int j) const {
    const Quad& other = particles.position.data[j];
    return {query.x - other.x, query.y - other.y, query.z - other.z};
  }
};

/// The walk that this half runs.
#if MERGANSER_GPU_HALF
template <class Term>
using SphSum = SphMaskedSum<Term>;
#else
template <class Term>
using SphSum = SphCellSum<Term>;
#endif

MERGANSER_END
