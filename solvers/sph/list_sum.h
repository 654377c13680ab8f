#pragma once
/// Sums of the same terms as in neighbor_sum.h over topological neighbors alone ([TN] sec. 6.1).
#include "solvers/sph/neighbor_sum.h"
#include "solvers/topology/linked_rows.h"

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
                                  broadcast(own.compression), broadcast(own.pressure)};
    const float radius2 = radius * radius;
    Vector3<Lanes> a{}, b{};
    const int begin = rows.first[i], end = rows.first[i + 1];
    for (int e = begin - 1; e < end; e += lane_count) {
      const SphParticle<Lanes> other = gather(i, own, e, begin, end);
      const Vector3<Lanes> d = self.position - other.position;
      const Lanes r2 = norm_squared(d);
      const SphPair<Lanes> pair = term.template pair<Lanes>(self, other, d, r2);
      const auto near = r2 < radius2;
      a.x += near ? pair.a.x : 0.0f;
      if constexpr (Term::components > 1) {
        a.y += near ? pair.a.y : 0.0f;
        a.z += near ? pair.a.z : 0.0f;
      }
      if constexpr (Term::components > 3) {
        b.x += near ? pair.b.x : 0.0f;
        b.y += near ? pair.b.y : 0.0f;
        b.z += near ? pair.b.z : 0.0f;
      }
    }
    term.finish(i, own,
                {{sum_of_lanes(a.x), sum_of_lanes(a.y), sum_of_lanes(a.z)},
                 {sum_of_lanes(b.x), sum_of_lanes(b.y), sum_of_lanes(b.z)}});
  }

 private:
  struct LaneBlock {
    float x[lane_count], y[lane_count], z[lane_count], vx[lane_count], vy[lane_count], vz[lane_count];
    float compression[lane_count], pressure[lane_count];
  };

  /// Entries e, e + 1, ... of the row, where begin - 1 is the particle itself and `end` on is nothing: out of
  /// reach.
  MERGANSER_METHOD SphParticle<Lanes> gather(int i, const SphParticle<float>& own, int e, int begin,
                                             int end) const {
    LaneBlock block;
    for (int k = 0; k < lane_count; ++k) {
      const int at = e + k;
      SphParticle<float> p = own;
      if (at >= end)
        p.position.x += 4 * radius;
      else
        p = particles.load<Term>(at < begin ? i : rows.neighbor[at]);
      block.x[k] = p.position.x, block.y[k] = p.position.y, block.z[k] = p.position.z;
      if constexpr (Term::reads_velocity)
        block.vx[k] = p.velocity.x, block.vy[k] = p.velocity.y, block.vz[k] = p.velocity.z;
      if constexpr (Term::reads_compression) block.compression[k] = p.compression;
      if constexpr (Term::reads_pressure) block.pressure[k] = p.pressure;
    }
    SphParticle<Lanes> lanes{};
    lanes.position = {load_lanes(block.x), load_lanes(block.y), load_lanes(block.z)};
    if constexpr (Term::reads_velocity)
      lanes.velocity = {load_lanes(block.vx), load_lanes(block.vy), load_lanes(block.vz)};
    if constexpr (Term::reads_compression) lanes.compression = load_lanes(block.compression);
    if constexpr (Term::reads_pressure) lanes.pressure = load_lanes(block.pressure);
    return lanes;
  }
};

MERGANSER_END
