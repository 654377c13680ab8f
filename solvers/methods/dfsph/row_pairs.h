#pragma once
/// The pairs of one particle, lane_count at a time, along its row of neighbors.
#include "device/fast_math.h"
#include "device/lanes.h"
#include "solvers/methods/dfsph/neighbor_rows.h"

MERGANSER_BEGIN

/// Separations across periodic borders: each component is moved into [-period/2, period/2].
struct NearestImage {
  Vec3 period;  ///< [m], 0 = open
  bool any;     ///< some axis is periodic

  template <class Real>
  MERGANSER_METHOD void apply(Vector3<Real>& d) const {
    if (!any) return;
    d = {nearest(d.x, period.x), nearest(d.y, period.y), nearest(d.z, period.z)};
  }

 private:
  template <class Real>
  MERGANSER_METHOD static Real nearest(Real d, float period) {
    const float half = 0.5f * period;
    const Real shift = d > half ? d - period : d;
    const Real both = shift < -half ? shift + period : shift;
    return period > 0 ? both : d;
  }
};

template <class Kernel>
struct RowPairs {
  Kernel kernel;
  float volume;  ///< [m^3] V of a particle at rest
  NeighborRowsView rows;
  View<const Quad> position;  ///< x, y, z [m] and what a sum reads besides
  NearestImage image;

  /// Calls visit(at, d, r, w) for the neighbors j = i + at[0], ..., i + at[lane_count - 1]: d = x_i - x_j,
  /// r = |d|, w of position[j], 0 unless `with_w`: w may be what another index of the same launch writes.
  /// `at` points to numbers of 16 or of 32 bits. Padding is the particle itself, with d = 0.
  template <bool with_w, class Visit>
  MERGANSER_METHOD void for_each(int i, const Visit& visit) const {
    if (rows.near)
      walk<with_w>(i, rows.near, visit);
    else
      walk<with_w>(i, rows.far, visit);
  }
  /// W(0) less what the padding of row i, which is the particle itself, adds to a sum of W.
  MERGANSER_METHOD float weight_of_itself(int i) const {
    const int padding = (lane_count - rows.length.data[i] % lane_count) % lane_count;
    return static_cast<float>(1 - padding) * kernel.value(0.0f);
  }
  MERGANSER_METHOD Vec3 place(int i) const {
    const Quad& q = position.data[i];
    return {q.x, q.y, q.z};
  }

 private:
  template <bool with_w, class Index, class Visit>
  MERGANSER_METHOD void walk(int i, const Index* entries, const Visit& visit) const {
    const Quad* self = position.data + i;
    const Vector3<Lanes> x{broadcast(self->x), broadcast(self->y), broadcast(self->z)};
    const int length = rows.length.data[i];
    for (int k = 0; k < length; k += lane_count) {
      const Index* at = entries + rows.place(i, k);
      const QuadLanes q = gather_quads<with_w>(self, at);
      Vector3<Lanes> d{x.x - q.x, x.y - q.y, x.z - q.z};
      image.apply(d);
      visit(at, d, fast_square_root(norm_squared(d)), q.w);
    }
  }
};

/// sum_j V grad W_ij (b_i - b_j), the rate at which velocities b change the kernel sum of particle i. `b` are
/// x, y, z of quads. Part of every kernel that calls it, lest its last product be rounded in some and fused
/// in others, as the compiler pleases.
template <class Kernel>
[[gnu::always_inline]] MERGANSER_FN float compression_rate(const RowPairs<Kernel>& pairs, View<const Quad> b,
                                                           int i) {
  const Quad& own = b.data[i];
  const Vector3<Lanes> self{broadcast(own.x), broadcast(own.y), broadcast(own.z)};
  Lanes sum{};
  pairs.template for_each<false>(i, [&](const auto* at, const Vector3<Lanes>& d, Lanes r, Lanes) {
    const QuadLanes other = gather_quads(b.data + i, at);
    const Lanes along = (self.x - other.x) * d.x + (self.y - other.y) * d.y + (self.z - other.z) * d.z;
    sum += pairs.kernel.gradient_factor(r) * along;
  });
  return pairs.volume * sum_of_lanes(sum);
}

/// What one walk along a row gives of velocities b and of the numbers c packed with positions.
struct RateAndMean {
  float rate;  ///< see compression_rate()
  float mean;  ///< sum_j W_ij c_j / sum_j W_ij, the particle itself among them
};
template <class Kernel>
[[gnu::always_inline]] MERGANSER_FN RateAndMean rate_and_mean(const RowPairs<Kernel>& pairs,
                                                              View<const Quad> b, int i) {
  const Quad& own = b.data[i];
  const Vector3<Lanes> self{broadcast(own.x), broadcast(own.y), broadcast(own.z)};
  Lanes rate{}, weight{}, sum{};
  pairs.template for_each<true>(i, [&](const auto* at, const Vector3<Lanes>& d, Lanes r, Lanes c) {
    const QuadLanes other = gather_quads(b.data + i, at);
    const Lanes along = (self.x - other.x) * d.x + (self.y - other.y) * d.y + (self.z - other.z) * d.z;
    rate += pairs.kernel.gradient_factor(r) * along;
    const Lanes w = pairs.kernel.value(r);
    weight += w;
    sum += w * c;
  });
  const float itself = pairs.weight_of_itself(i);
  return {pairs.volume * sum_of_lanes(rate),
          (sum_of_lanes(sum) + itself * pairs.position.data[i].w) / (sum_of_lanes(weight) + itself)};
}

MERGANSER_END
