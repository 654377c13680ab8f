#pragma once
/// Sums of the same terms as in neighbor_sum.h over topological neighbors alone ([TN] sec. 6.1).
#include "solvers/geometry/topology/linked_rows.h"
#include "solvers/methods/fluid/neighbor_sum.h"

MERGANSER_BEGIN

/// One particle's row, lane_count neighbors at once; the particle itself comes first. The order is the row's,
/// so it does not depend on how particles are sorted.
template <class Term>
struct SphListSum {
  static constexpr const char* name = Term::name;
  Term term;
  LinkedRowsView rows;
  SphParticles particles;
  float radius;  ///< [m] of the support; pairs that have moved beyond it do not count

  MERGANSER_METHOD void operator()(int i) const {
    const SphParticle<float> own = particles.load<Term>(i);
    const SphParticle<Lanes> self{broadcast(own.position), broadcast(own.velocity),
                                  broadcast(own.compression), broadcast(own.pressure_term),
                                  broadcast(own.mean_velocity)};
    const float radius2 = radius * radius;
    SphPair<Lanes> near{};
    const int* neighbor = rows.neighbor.data + rows.first[i];
    const int count = rows.first[i + 1] - rows.first[i];
    for (int k = -1; k < count; k += lane_count) {
      const SphParticle<Lanes> other = gather(i, neighbor, k, count);
      const Vector3<Lanes> d = self.position - other.position;
      const Lanes r2 = norm_squared(d);
      const SphPair<Lanes> pair = term.template pair<Lanes>(self, other, d, r2);
      add_where<Term>(r2 < radius2, pair, near);
    }
    term.finish(i, own, sum_of_lanes(near));
  }

 private:
  /// Neighbors k, k + 1, ... of the row, where -1 is the particle itself; `count` and beyond are out of
  /// reach. No term writes to packed positions; the pressure beside the velocity is read only where the term
  /// uses it, for one that does not may write it.
  MERGANSER_METHOD SphParticle<Lanes> gather(int i, const int* neighbor, int k, int count) const {
    int at[lane_count];
    for (int lane = 0; lane < lane_count; ++lane)
      at[lane] = k + lane >= 0 && k + lane < count ? neighbor[k + lane] : i;
    const QuadLanes a = gather_quads(particles.position.data, at);
    SphParticle<Lanes> lanes{};
    lanes.position = {a.x, a.y, a.z};
    if (k + lane_count > count)
      lanes.position.x += lane_numbers() >= static_cast<float>(count - k) ? 4 * radius : 0.0f;
    if constexpr (Term::reads_compression) lanes.compression = a.w;
    if constexpr (Term::reads_velocity || Term::reads_pressure_term) {
      const QuadLanes b = gather_quads<Term::reads_pressure_term>(particles.velocity.data, at);
      lanes.velocity = {b.x, b.y, b.z};
      lanes.pressure_term = b.w;
    }
    if constexpr (reads_mean_velocity<Term>) {
      const QuadLanes m = gather_quads<false>(particles.mean_velocity.data, at);
      lanes.mean_velocity = {m.x, m.y, m.z};
    }
    return lanes;
  }
};

MERGANSER_END
