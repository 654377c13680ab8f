#pragma once
/// The walk of the GPU: SphPlainSum with the distance test taken out of the way of the pair formula.
///
/// The threads of a warp meet neighbors at different candidates. In the plain walk nearly every candidate is
/// a neighbor of one of them, so all wait for its pair formula. Here a thread tests up to 32 candidates of a
/// range and notes the hits as bits of a mask; when masks have piled up, it computes the pair formula for one
/// set bit after the other, and a warp does so only as often as its thread with the most hits. Hits come in
/// the order of the plain walk, so the sums are the same bit by bit, whenever the masks are worked off.
#include "solvers/methods/fluid/neighbor_sum.h"

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

/// True where `condition` holds for a thread that runs with this one; for the thread alone elsewhere. Only
/// for what the result does not depend on.
MERGANSER_FN bool any_thread(bool condition) {
#ifdef __CUDA_ARCH__
  return __any_sync(__activemask(), condition);
#else
  return condition;
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
    Hits hits;
    hits.query = self.position;
    grid.for_each_range(self.position, radius, [&](int begin, int end, const Vec3& query) {
      if (any_thread(!(query == hits.query))) add(self, hits, sum);
      hits.query = query;
      while (begin < end) {
        const int stop = end - begin > 32 ? begin + 32 : end;
        const unsigned mask = test(begin, stop, query);
        if (any_thread(hits.held == Hits::most)) add(self, hits, sum);
        if (mask != 0) hits.mask[hits.held] = mask, hits.end[hits.held++] = stop;
        begin = stop;
      }
    });
    add(self, hits, sum);
    term.finish(i, self, sum);
  }

 private:
  /// Neighbors that wait for the pair formula. The bit of particle j is end - 1 - j, so that the next one is
  /// always the highest.
  struct Hits {
    /// Masks. At h = 1.2 spacings a walk has 9 with hits, seldom more than 12.
    static constexpr int most = 12;
    Vec3 query;  ///< [m] the particle, or its image that these are neighbors of
    int held = 0;
    unsigned mask[most];
    int end[most];
  };

  /// Which of the candidates begin ... end - 1, at most 32, are within reach.
  MERGANSER_METHOD unsigned test(int begin, int end, const Vec3& query) const {
    const float radius2 = radius * radius;
    unsigned mask = 0;
#if MERGANSER_COMPILED_BY_NVCC
#pragma unroll 4
#endif
    for (int j = begin; j < end; ++j) {
      const Quad& other = particles.position.data[j];
      const Vec3 d{query.x - other.x, query.y - other.y, query.z - other.z};
      mask = append_if_less(mask, norm_squared(d), radius2);
    }
    return mask;
  }

  /// Adds all hits to the sum and forgets them.
  MERGANSER_METHOD void add(const SphParticle<float>& self, Hits& hits, SphPair<float>& sum) const {
    int next = 0, end = 0;
    for (unsigned mask = 0; mask != 0 || next < hits.held;) {
      if (mask == 0) mask = hits.mask[next], end = hits.end[next++];
      const int bit = highest_bit(mask);
      mask ^= 1u << bit;
      const SphParticle<float> other = particles.load<Term>(end - 1 - bit);
      const Vec3 d = hits.query - other.position;
      add_pair<Term>(term.pair(self, other, d, norm_squared(d)), sum);
    }
    hits.held = 0;
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
