#pragma once
/// Sums over the SPH neighbors of every particle: one formula (a term), two ways to walk the pairs (the GPU's
/// is in masked_sum.h, the one along the rows of a graph in list_sum.h).
///
/// A term is a small struct with
///   static constexpr const char* name;
///   static constexpr bool reads_compression, reads_velocity, reads_pressure_term;
///       which fields pair() uses of both particles
///   static constexpr bool reads_mean_velocity = true;
///       only where it reads the mean velocities of SphParticles, too
///   static constexpr int components;
///       1, 3 or 6: sum.a.x alone, sum.a, or sum.a and sum.b are used
///   template <class Real>
///   SphPair<Real> pair(const SphParticle<Real>& i, const SphParticle<Real>& j, const Vector3<Real>& d,
///                      Real r2) const;
///       d = x_i - x_j, r2 = |d|^2
///   void finish(int index, const SphParticle<float>& i, const SphPair<float>& sum) const;
///       writes the result of `index`
/// The particle itself is one of its neighbors.
///
/// GPU: one thread a particle walks the grid, see masked_sum.h. CPU: neighbors of all particles of a cell are
/// nearly the same, so the first particle of each cell works for the whole cell: it copies the candidates
/// within reach of the cell's particles into a structure of arrays that stays in the first-level cache, and
/// every particle sums over all of it eight candidates at a time (Real = Float8), with the distance as a
/// mask. Both add in an order that depends on the particles alone.
#include "device/cell_walk.h"
#include "device/fast_math.h"
#include "device/lanes.h"
#include "device/launch.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

/// What a pair formula sees of a particle.
template <class Real>
struct SphParticle {
  Vector3<Real> position;            ///< [m]
  Vector3<Real> velocity;            ///< [m/s]
  Real compression;                  ///< rho/rho0 - 1 at the beginning of the step
  Real pressure_term;                ///< p/rho^2 [m^5/(kg s^2)]
  Vector3<Real> mean_velocity = {};  ///< [m/s] see hydrostatic_drift.h
};

template <class Term>
inline constexpr bool reads_mean_velocity = requires {
  Term::reads_mean_velocity;
};

/// What a pair contributes, and the sum of it.
template <class Real>
struct SphPair {
  Vector3<Real> a, b;
};

/// sum += pair in the lanes where `near` holds, for the components that the term has.
template <class Term, class Mask, class Real>
MERGANSER_FN void add_where(const Mask& near, const SphPair<Real>& pair, SphPair<Real>& sum) {
  sum.a.x += near ? pair.a.x : 0.0f;
  if constexpr (Term::components > 1) {
    sum.a.y += near ? pair.a.y : 0.0f;
    sum.a.z += near ? pair.a.z : 0.0f;
  }
  if constexpr (Term::components > 3) {
    sum.b.x += near ? pair.b.x : 0.0f;
    sum.b.y += near ? pair.b.y : 0.0f;
    sum.b.z += near ? pair.b.z : 0.0f;
  }
}
/// sum += pair for the components that the term has.
template <class Term>
MERGANSER_FN void add_pair(const SphPair<float>& pair, SphPair<float>& sum) {
  sum.a.x += pair.a.x;
  if constexpr (Term::components > 1) {
    sum.a.y += pair.a.y;
    sum.a.z += pair.a.z;
  }
  if constexpr (Term::components > 3) sum.b += pair.b;
}
template <class Real>
MERGANSER_FN SphPair<float> sum_of_lanes(const SphPair<Real>& sum) {
  return {{sum_of_lanes(sum.a.x), sum_of_lanes(sum.a.y), sum_of_lanes(sum.a.z)},
          {sum_of_lanes(sum.b.x), sum_of_lanes(sum.b.y), sum_of_lanes(sum.b.z)}};
}

/// All particles of a fluid in cell order.
struct SphParticles {
  View<Quad> position;                  ///< x, y, z, compression
  View<Quad> velocity;                  ///< vx, vy, vz, p/rho^2
  View<const Quad> mean_velocity = {};  ///< x, y, z; for terms that read it

  /// Reads only what the term uses: a term may write what it does not read.
  template <class Term>
  MERGANSER_METHOD SphParticle<float> load(int i) const {
    const Quad& a = position.data[i];
    SphParticle<float> p{{a.x, a.y, a.z}, {0, 0, 0}, 0, 0};
    if constexpr (Term::reads_compression) p.compression = a.w;
    if constexpr (Term::reads_velocity)
      p.velocity = {velocity.data[i].x, velocity.data[i].y, velocity.data[i].z};
    if constexpr (Term::reads_pressure_term) p.pressure_term = velocity.data[i].w;
    if constexpr (reads_mean_velocity<Term>) {
      const Quad& m = mean_velocity.data[i];
      p.mean_velocity = {m.x, m.y, m.z};
    }
    return p;
  }
};

/// The plain walk: the twin, in tests, of what the halves run.
template <class Term>
struct SphPlainSum {
  static constexpr const char* name = Term::name;
  Term term;
  UniformGridView grid;
  SphParticles particles;
  float radius;  ///< [m] of the support

  MERGANSER_METHOD void operator()(int i) const {
    const SphParticle<float> self = particles.load<Term>(i);
    const float radius2 = radius * radius;
    SphPair<float> sum{};
    grid.for_each_range(self.position, radius, [&](int begin, int end, const Vec3& query) {
      for (int j = begin; j < end; ++j) {
        const Quad& other = particles.position.data[j];
        const Vec3 d{query.x - other.x, query.y - other.y, query.z - other.z};
        const float r2 = norm_squared(d);
        if (!(r2 < radius2)) continue;
        add_pair<Term>(term.pair(self, particles.load<Term>(j), d, r2), sum);
      }
    });
    term.finish(i, self, sum);
  }
};

#if !MERGANSER_GPU_HALF
/// Candidate neighbors of a cell's particles, one array a field.
struct alignas(64) CandidateBuffer {
  static constexpr int capacity = 1024;
  float x[capacity], y[capacity], z[capacity], vx[capacity], vy[capacity], vz[capacity];
  float compression[capacity], pressure_term[capacity];
  float mx[capacity], my[capacity], mz[capacity];  ///< mean velocity
};

/// The walk by cells, for the CPU.
template <class Term>
struct SphCellSum {
  static constexpr const char* name = Term::name;
  Term term;
  UniformGridView grid;
  SphParticles particles;
  float radius;  ///< [m] of the support

  void operator()(int i) const {
    const Int3 cell = cell_of(i);
    if (i > 0 && cell_of(i - 1) == cell) return;  // another particle works for this cell
    int end = i + 1;
    while (end < particles.position.count && cell_of(end) == cell) ++end;
    for (int first = i; first < end; first += block)
      sum_block(first, end - first < block ? end - first : block);
  }

 private:
  static constexpr int block = 32;

  Int3 cell_of(int i) const {
    const Quad& a = particles.position.data[i];
    return grid.shape.cell({a.x, a.y, a.z});
  }

  /// Particles [first, first + count) of one cell.
  void sum_block(int first, int count) const {
    static thread_local CandidateBuffer candidates;
    SphPair<float> sum[block] = {};
    CellBox box;
    for (int k = 0; k < count; ++k) {
      const Quad& a = particles.position.data[first + k];
      box.take_in({a.x, a.y, a.z});
    }
    const float reach2 = radius * radius * candidate_share;
    const Vec3 x{particles.position.data[first].x, particles.position.data[first].y,
                 particles.position.data[first].z};
    int held = 0;
    grid.for_each_range(x, 1e15f, [&](int begin, int end, const Vec3& query) {
      const Vec3 shift = x - query;
      for (int j = begin; j < end; j += lane_count) {
        held += take(candidates, held, j, end, shift, box, reach2);
        if (held > CandidateBuffer::capacity - lane_count) {
          add(candidates, held, first, count, sum);
          held = 0;
        }
      }
    });
    if (held > 0) add(candidates, held, first, count, sum);
    for (int k = 0; k < count; ++k) term.finish(first + k, particles.load<Term>(first + k), sum[k]);
  }

  /// Copies those of the particles [j, end), up to eight, that are near the box; returns how many they are.
  int take(CandidateBuffer& c, int at, int j, int end, const Vec3& shift, const CellBox& box,
           float reach2) const {
    if (j + lane_count > particles.position.count) return take_one_by_one(c, at, j, end, shift, box, reach2);
    const Int8 lanes{0, 1, 2, 3, 4, 5, 6, 7};
    const QuadLanes q = gather_quads<Term::reads_compression>(particles.position.data + j, &lanes[0]);
    const Vector3<Float8> y = Vector3<Float8>{q.x, q.y, q.z} + broadcast(shift);
    const unsigned bits =
        bits_where_less(box.distance_squared(y), reach2) & bits_of_first_lanes(std::min(end - j, lane_count));
    store_lanes(c.x + at, y.x, bits);
    store_lanes(c.y + at, y.y, bits);
    store_lanes(c.z + at, y.z, bits);
    if constexpr (Term::reads_compression) store_lanes(c.compression + at, q.w, bits);
    if constexpr (Term::reads_velocity) {
      const QuadLanes v = gather_quads<Term::reads_pressure_term>(particles.velocity.data + j, &lanes[0]);
      store_lanes(c.vx + at, v.x, bits);
      store_lanes(c.vy + at, v.y, bits);
      store_lanes(c.vz + at, v.z, bits);
      if constexpr (Term::reads_pressure_term) store_lanes(c.pressure_term + at, v.w, bits);
    } else if constexpr (Term::reads_pressure_term) {
      Float8 term_of;
      for (int lane = 0; lane < lane_count; ++lane) term_of[lane] = particles.velocity.data[j + lane].w;
      store_lanes(c.pressure_term + at, term_of, bits);
    }
    if constexpr (reads_mean_velocity<Term>) {
      const QuadLanes m = gather_quads<false>(particles.mean_velocity.data + j, &lanes[0]);
      store_lanes(c.mx + at, m.x, bits);
      store_lanes(c.my + at, m.y, bits);
      store_lanes(c.mz + at, m.z, bits);
    }
    return __builtin_popcount(bits);
  }
  int take_one_by_one(CandidateBuffer& c, int at, int j, int end, const Vec3& shift, const CellBox& box,
                      float reach2) const {
    const int from = at;
    for (const int stop = std::min(end, j + lane_count); j < stop; ++j) {
      const SphParticle<float> p = particles.load<Term>(j);
      const Vec3 y = p.position + shift;
      store(c, at, p, y);
      at += box.distance_squared(y) < reach2;
    }
    return at - from;
  }
  static void store(CandidateBuffer& c, int at, const SphParticle<float>& p, const Vec3& position) {
    c.x[at] = position.x;
    c.y[at] = position.y;
    c.z[at] = position.z;
    if constexpr (Term::reads_velocity)
      c.vx[at] = p.velocity.x, c.vy[at] = p.velocity.y, c.vz[at] = p.velocity.z;
    if constexpr (Term::reads_compression) c.compression[at] = p.compression;
    if constexpr (Term::reads_pressure_term) c.pressure_term[at] = p.pressure_term;
    if constexpr (reads_mean_velocity<Term>)
      c.mx[at] = p.mean_velocity.x, c.my[at] = p.mean_velocity.y, c.mz[at] = p.mean_velocity.z;
  }
  static SphParticle<Float8> candidate(const CandidateBuffer& c, int at) {
    SphParticle<Float8> p{};
    p.position = {load_lanes(c.x + at), load_lanes(c.y + at), load_lanes(c.z + at)};
    if constexpr (Term::reads_velocity)
      p.velocity = {load_lanes(c.vx + at), load_lanes(c.vy + at), load_lanes(c.vz + at)};
    if constexpr (Term::reads_compression) p.compression = load_lanes(c.compression + at);
    if constexpr (Term::reads_pressure_term) p.pressure_term = load_lanes(c.pressure_term + at);
    if constexpr (reads_mean_velocity<Term>)
      p.mean_velocity = {load_lanes(c.mx + at), load_lanes(c.my + at), load_lanes(c.mz + at)};
    return p;
  }

  void add(CandidateBuffer& candidates, int held, int first, int count, SphPair<float>* sum) const {
    const SphParticle<float> nowhere{{3e18f, 0, 0}, {0, 0, 0}, 0, 0};
    for (; held % lane_count != 0; ++held) store(candidates, held, nowhere, nowhere.position);
    const Term formula = term;
    const float radius2 = radius * radius;
    for (int k = 0; k < count; ++k) {
      const SphParticle<float> own = particles.load<Term>(first + k);
      const SphParticle<Float8> self{broadcast(own.position), broadcast(own.velocity),
                                     broadcast(own.compression), broadcast(own.pressure_term),
                                     broadcast(own.mean_velocity)};
      SphPair<Float8> near{};
      for (int c = 0; c < held; c += lane_count) {
        const SphParticle<Float8> other = candidate(candidates, c);
        const Vector3<Float8> d = self.position - other.position;
        const Float8 r2 = norm_squared(d);
        const SphPair<Float8> pair = formula.template pair<Float8>(self, other, d, r2);
        add_where<Term>(r2 < radius2, pair, near);
      }
      const SphPair<float> whole = sum_of_lanes(near);
      sum[k].a += whole.a;
      sum[k].b += whole.b;
    }
  }
};
#endif

MERGANSER_END
