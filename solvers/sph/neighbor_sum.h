#pragma once
/// Sums over the SPH neighbors of every particle: one formula (a term), two ways to walk the pairs.
///
/// A term is a small struct with
///   static constexpr const char* name;
///   static constexpr bool reads_compression, reads_velocity, reads_pressure;   which fields pair() uses of both particles
///   static constexpr int components;  1, 3 or 6: sum.a.x alone, sum.a, or sum.a and sum.b are used
///   SphPair pair(const SphParticle& i, const SphParticle& j, const Vec3& d, float r2) const;  d = x_i - x_j, r2 = |d|^2
///   void finish(int index, const SphParticle& i, const SphPair& sum) const;     writes the result of particle `index`
/// The particle itself is one of its neighbors.
///
/// GPU: one thread a particle walks the grid. CPU: neighbors of all particles of a cell are nearly the same, so the first
/// particle of each cell works for the whole cell: it copies the candidates within reach of the cell's particles into a
/// structure of arrays that stays in the first-level cache, and every particle sums over all of it in vector registers, with
/// the distance as a mask. Both add in an order that depends on the particles alone.
#include "device/launch.h"
#include "device/uniform_grid.h"

MERGANSER_BEGIN

/// 16-byte pieces of what pair loops read.
struct alignas(16) Quad {
  float x, y, z, w;
};

/// What a pair formula sees of a particle.
struct SphParticle {
  Vec3 position;       ///< [m]
  Vec3 velocity;       ///< [m/s]
  float compression;   ///< rho/rho0 - 1 at the beginning of the step
  float pressure;      ///< p/rho^2 [m^5/(kg s^2)]
};

/// What a pair contributes, and the sum of it.
struct SphPair {
  Vec3 a{0, 0, 0}, b{0, 0, 0};
};

/// All particles of a fluid in cell order.
struct SphParticles {
  View<Quad> position;  ///< x, y, z, compression
  View<Quad> velocity;  ///< vx, vy, vz, p/rho^2

  /// Reads only what the term uses: a term may write what it does not read.
  template <class Term>
  MERGANSER_METHOD SphParticle load(int i) const {
    const Quad& a = position.data[i];
    SphParticle p{{a.x, a.y, a.z}, {0, 0, 0}, 0, 0};
    if constexpr (Term::reads_compression) p.compression = a.w;
    if constexpr (Term::reads_velocity) p.velocity = {velocity.data[i].x, velocity.data[i].y, velocity.data[i].z};
    if constexpr (Term::reads_pressure) p.pressure = velocity.data[i].w;
    return p;
  }
};

/// The plain walk, for the GPU and as the CPU version's twin in tests.
template <class Term>
struct SphPlainSum {
  static constexpr const char* name = Term::name;
  Term term;
  UniformGridView grid;
  SphParticles particles;
  float radius;  ///< [m] of the support

  MERGANSER_METHOD void operator()(int i) const {
    const SphParticle self = particles.load<Term>(i);
    const float radius2 = radius * radius;
    SphPair sum;
    grid.for_each_range(self.position, radius, [&](int begin, int end, const Vec3& query) {
      for (int j = begin; j < end; ++j) {
        const Quad& other = particles.position.data[j];
        const Vec3 d{query.x - other.x, query.y - other.y, query.z - other.z};
        const float r2 = norm_squared(d);
        if (!(r2 < radius2)) continue;
        const SphPair pair = term.pair(self, particles.load<Term>(j), d, r2);
        sum.a += pair.a;
        if constexpr (Term::components > 3) sum.b += pair.b;
      }
    });
    term.finish(i, self, sum);
  }
};

#if !MERGANSER_IS_GPU
/// Candidate neighbors of a cell's particles, one array a field.
struct alignas(64) CandidateBuffer {
  static constexpr int capacity = 1024;
  static constexpr int lanes = 16;  ///< padded to a multiple of this, so that vector loops have no remainder
  float x[capacity], y[capacity], z[capacity], vx[capacity], vy[capacity], vz[capacity];
  float compression[capacity], pressure[capacity];
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
    for (int first = i; first < end; first += block) sum_block(first, end - first < block ? end - first : block);
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
    SphPair sum[block] = {};
    Vec3 low{3e38f, 3e38f, 3e38f}, high{-3e38f, -3e38f, -3e38f};
    for (int k = 0; k < count; ++k) {
      const Quad& a = particles.position.data[first + k];
      low = {std::min(low.x, a.x), std::min(low.y, a.y), std::min(low.z, a.z)};
      high = {std::max(high.x, a.x), std::max(high.y, a.y), std::max(high.z, a.z)};
    }
    const float radius2 = radius * radius * 1.00001f;
    const Vec3 x{particles.position.data[first].x, particles.position.data[first].y, particles.position.data[first].z};
    int held = 0;
    grid.for_each_range(x, 1e15f, [&](int begin, int end, const Vec3& query) {
      const Vec3 shift = x - query;
      for (int j = begin; j < end; ++j) {
        const SphParticle p = particles.load<Term>(j);
        const Vec3 y = p.position + shift;
        const float gap_x = outside(y.x, low.x, high.x), gap_y = outside(y.y, low.y, high.y),
                    gap_z = outside(y.z, low.z, high.z);
        store(candidates, held, p, y);
        held += gap_x * gap_x + gap_y * gap_y + gap_z * gap_z < radius2;
        if (held == CandidateBuffer::capacity) {
          add(candidates, held, first, count, sum);
          held = 0;
        }
      }
    });
    if (held > 0) {
      const int padded = (held + CandidateBuffer::lanes - 1) / CandidateBuffer::lanes * CandidateBuffer::lanes;
      const SphParticle nowhere{{0, 0, 0}, {0, 0, 0}, 0, 0};
      const Vec3 far{low.x - 4 * radius, low.y, low.z};
      for (; held < padded; ++held) store(candidates, held, nowhere, far);
      add(candidates, held, first, count, sum);
    }
    for (int k = 0; k < count; ++k) term.finish(first + k, particles.load<Term>(first + k), sum[k]);
  }

  static float outside(float x, float low, float high) {
    const float below = low - x, above = x - high;
    const float gap = below > above ? below : above;
    return gap > 0 ? gap : 0;
  }
  static void store(CandidateBuffer& c, int at, const SphParticle& p, const Vec3& position) {
    c.x[at] = position.x;
    c.y[at] = position.y;
    c.z[at] = position.z;
    if constexpr (Term::reads_velocity) c.vx[at] = p.velocity.x, c.vy[at] = p.velocity.y, c.vz[at] = p.velocity.z;
    if constexpr (Term::reads_compression) c.compression[at] = p.compression;
    if constexpr (Term::reads_pressure) c.pressure[at] = p.pressure;
  }
  /// Field by field: g++ 12 keeps a struct that is filled from braces in memory, and the loop scalar.
  static SphParticle candidate(const CandidateBuffer& c, int at) {
    SphParticle p;
    p.position.x = c.x[at], p.position.y = c.y[at], p.position.z = c.z[at];
    p.velocity.x = Term::reads_velocity ? c.vx[at] : 0.0f;
    p.velocity.y = Term::reads_velocity ? c.vy[at] : 0.0f;
    p.velocity.z = Term::reads_velocity ? c.vz[at] : 0.0f;
    p.compression = Term::reads_compression ? c.compression[at] : 0.0f;
    p.pressure = Term::reads_pressure ? c.pressure[at] : 0.0f;
    return p;
  }

  void add(const CandidateBuffer& candidates, int held, int first, int count, SphPair* sum) const {
    const Term formula = term;
    const float radius2 = radius * radius;
    for (int k = 0; k < count; ++k) {
      const SphParticle self = particles.load<Term>(first + k);
      float ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0;
#pragma omp simd reduction(+ : ax, ay, az, bx, by, bz)
      for (int c = 0; c < held; ++c) {
        const SphParticle other = candidate(candidates, c);
        const Vec3 d = self.position - other.position;
        const float r2 = norm_squared(d);
        const SphPair pair = formula.pair(self, other, d, r2);
        const bool near = r2 < radius2;
        ax += near ? pair.a.x : 0.0f;
        if constexpr (Term::components > 1) {
          ay += near ? pair.a.y : 0.0f;
          az += near ? pair.a.z : 0.0f;
        }
        if constexpr (Term::components > 3) {
          bx += near ? pair.b.x : 0.0f;
          by += near ? pair.b.y : 0.0f;
          bz += near ? pair.b.z : 0.0f;
        }
      }
      sum[k].a += Vec3{ax, ay, az};
      sum[k].b += Vec3{bx, by, bz};
    }
  }
};

template <class Term>
using SphSum = SphCellSum<Term>;
#else
template <class Term>
using SphSum = SphPlainSum<Term>;
#endif

MERGANSER_END
