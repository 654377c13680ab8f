#pragma once
/// Sums over the bonds of every particle: one formula (a term), three ways to walk the bonds.
///
/// A term is a small struct with
///   static constexpr const char* name;
///   static constexpr bool reads_position, reads_vector, reads_family;  what pair() uses of both ends beside
///     reference position and volume
///   static constexpr bool counts_broken;  broken bonds take part as if whole
///   static constexpr int components;      1, 3 or 6: sum.a.x alone, sum.a, or sum.a and sum.b are used
///   bool skip() const;                    true: nothing is to be done
///   template <class Real> BondValue<Real> pair(const BondMaterial&, const BondEnd<Real>& i,
///       const BondEnd<Real>& j) const;
///   void finish(int i, const BondMaterial&, const BondValue<float>& sum) const;  writes the result of i
///
/// GPU: one thread a particle. CPU: particles of a lattice are numbered along lines, so consecutive ones have
/// neighbors at the same distances in the numbering. Up to eight of them form a run: one lane each, and the
/// data of their neighbors are consecutive too. Rows that are alone take eight of their bonds at a time. The
/// order of a sum depends on the lists alone.
#include <cstring>

#include "device/array.h"
#include "device/lanes.h"
#include "device/launch.h"
#include "device/vector_math.h"
#include "solvers/methods/peridynamics/bond_material.h"

MERGANSER_BEGIN

/// Families as compressed rows over local indices, neighbors ascending. An entry is a neighbor, or ~neighbor
/// where the bond is broken.
struct BondListView {
  View<const int> first, neighbor;
  View<const int> broken;    ///< per particle: broken entries of its row
  View<const int> material;  ///< per particle: index into materials
  View<const BondMaterial> materials;
  View<const int> run;  ///< first row of every run, one more at the end (CPU)
};
/// The neighbor of an entry, broken or not.
MERGANSER_FN int bonded_particle(int entry) { return entry ^ (entry >> 31); }

/// Vectors of all particles, one array a component.
struct ComponentsView {
  View<const float> x, y, z;
};
/// Room for vectors by component; the padding lets a run's lanes read past the last particle.
class Components {
 public:
  static constexpr int padding = 8;
  void resize(int count) {
    for (Array<float>* component : {&x_, &y_, &z_}) component->resize(count + padding);
  }
  ComponentsView view() const { return {x_.view(), y_.view(), z_.view()}; }
  /// Component arrays = vectors.
  void assign(View<const Vec3> vectors);

 private:
  Array<float> x_, y_, z_;
};
struct SplitComponents {
  static constexpr const char* name = "peridynamics split components";
  View<const Vec3> from;
  View<float> x, y, z;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = from[i];
    x[i] = v.x;
    y[i] = v.y;
    z[i] = v.z;
  }
};
inline void Components::assign(View<const Vec3> vectors) {
  launch(vectors.count, SplitComponents{vectors, x_.view(), y_.view(), z_.view()});
}

/// Data of a bond's end that a formula sees.
template <class Real>
struct BondEnd {
  Vector3<Real> position;   ///< [m] y
  Vector3<Real> reference;  ///< [m] X
  Vector3<Real> vector;     ///< what a matrix is multiplied with
  Real volume;              ///< [m^3]
  Real family;              ///< W / (2 V0), see FamilyVolume
};
/// Contribution of a bond, and the sum of these.
template <class Real>
struct BondValue {
  Vector3<Real> a, b;
};

/// Per-particle data of the walks; padded like Components.
struct BondFields {
  ComponentsView position, reference, vector;
  View<const float> volume, family;

  /// Reads only what the term uses.
  template <class Term, class Real, class Read>
  MERGANSER_METHOD BondEnd<Real> load_with(const Read& read) const {
    BondEnd<Real> end{};
    end.reference = {read(reference.x), read(reference.y), read(reference.z)};
    end.volume = read(volume);
    if constexpr (Term::reads_position) end.position = {read(position.x), read(position.y), read(position.z)};
    if constexpr (Term::reads_vector) end.vector = {read(vector.x), read(vector.y), read(vector.z)};
    if constexpr (Term::reads_family) end.family = read(family);
    return end;
  }
  template <class Term>
  MERGANSER_METHOD BondEnd<float> load(int i) const {
    return load_with<Term, float>([i](const View<const float>& from) { return from.data[i]; });
  }
};

template <class Term>
struct BondSum {
  static constexpr const char* name = Term::name;
  Term term;
  BondListView bonds;
  BondFields fields;

#if MERGANSER_GPU_HALF
  MERGANSER_METHOD void operator()(int i) const {
    if (!term.skip()) add_row(i);
  }
#else
  void operator()(int r) const {
    if (term.skip()) return;
    const int i = bonds.run[r], count = bonds.run[r + 1] - i;
    if (count == 1) return add_row_by_lanes(i);
    bool any_broken = false;
    if (!Term::counts_broken)
      for (int lane = 0; lane < count; ++lane) any_broken = any_broken || bonds.broken[i + lane] > 0;
    if (any_broken)
      add_run<true>(i, count);
    else
      add_run<false>(i, count);
  }
#endif
  /// The plain walk, for the GPU and as the others' twin in tests.
  MERGANSER_METHOD void add_row(int i) const {
    const BondMaterial& material = bonds.materials[bonds.material[i]];
    const BondEnd<float> self = fields.load<Term>(i);
    BondValue<float> sum{};
    for (int e = bonds.first[i], end = bonds.first[i + 1]; e < end; ++e) {
      const int entry = bonds.neighbor[e];
      if (entry < 0 && !Term::counts_broken) continue;
      const BondValue<float> value = term.pair(material, self, fields.load<Term>(bonded_particle(entry)));
      sum.a += value.a;
      if constexpr (Term::components > 3) sum.b += value.b;
    }
    term.finish(i, material, sum);
  }

#if !MERGANSER_GPU_HALF
 private:
  typedef int Int8 __attribute__((vector_size(lane_count * sizeof(int))));

  template <class Mask>
  static void add(BondValue<Float8>& sum, const BondValue<Float8>& value, const Mask& mask) {
    sum.a.x += mask(value.a.x);
    if constexpr (Term::components >= 3) sum.a.y += mask(value.a.y), sum.a.z += mask(value.a.z);
    if constexpr (Term::components > 3)
      sum.b.x += mask(value.b.x), sum.b.y += mask(value.b.y), sum.b.z += mask(value.b.z);
  }

  /// Rows i to i + count - 1, whose lists are the same relative to the row.
  template <bool some_broken>
  void add_run(int i, int count) const {
    const BondMaterial material = bonds.materials[bonds.material[i]];
    auto load = [&](int begin) {
      return fields.load_with<Term, Float8>([begin](const View<const float>& from) {
        Float8 lanes;
        std::memcpy(&lanes, from.data + begin, sizeof lanes);
        return lanes;
      });
    };
    const BondEnd<Float8> self = load(i);
    const int* const list = bonds.neighbor.data + bonds.first[i];
    const int size = bonds.first[i + 1] - bonds.first[i];
    BondValue<Float8> sum{};
    for (int e = 0; e < size; ++e) {
      const BondEnd<Float8> other = load(bonded_particle(list[e]));
      const BondValue<Float8> value = term.pair(material, self, other);
      if constexpr (some_broken) {
        Int8 entry;
        for (int lane = 0; lane < lane_count; ++lane)
          entry[lane] = list[e + (lane < count ? lane : 0) * size];
        const Int8 whole = entry >= 0;
        add(sum, value, [&](Float8 x) { return whole ? x : Float8{}; });
      } else {
        add(sum, value, [](Float8 x) { return x; });
      }
    }
    for (int lane = 0; lane < count; ++lane)
      term.finish(
          i + lane, material,
          {{sum.a.x[lane], sum.a.y[lane], sum.a.z[lane]}, {sum.b.x[lane], sum.b.y[lane], sum.b.z[lane]}});
  }

  /// Row i, eight of its bonds at a time.
  void add_row_by_lanes(int i) const {
    const BondMaterial material = bonds.materials[bonds.material[i]];
    const BondEnd<Float8> self = fields.load_with<Term, Float8>(
        [i](const View<const float>& from) { return broadcast(from.data[i]); });
    const int* const list = bonds.neighbor.data;
    const int end = bonds.first[i + 1];
    BondValue<Float8> sum{};
    for (int e = bonds.first[i]; e < end; e += lane_count) {
      Int8 entry;
      if (end - e >= lane_count) {
        std::memcpy(&entry, list + e, sizeof entry);
        if constexpr (Term::counts_broken) entry ^= entry >> 31;
      } else {
        for (int lane = 0; lane < lane_count; ++lane) {
          const int here = e + lane < end ? list[e + lane] : list[end - 1];
          entry[lane] = Term::counts_broken ? bonded_particle(here) : here;
          if (e + lane >= end) entry[lane] = ~bonded_particle(here);
        }
      }
      const Int8 particle = entry ^ (entry >> 31), whole = entry >= 0;
      const BondEnd<Float8> other = fields.load_with<Term, Float8>([&](const View<const float>& from) {
        Float8 lanes;
        for (int lane = 0; lane < lane_count; ++lane) lanes[lane] = from.data[particle[lane]];
        return lanes;
      });
      add(sum, term.pair(material, self, other), [&](Float8 x) { return whole ? x : Float8{}; });
    }
    term.finish(i, material,
                {{sum_of_lanes(sum.a.x), sum_of_lanes(sum.a.y), sum_of_lanes(sum.a.z)},
                 {sum_of_lanes(sum.b.x), sum_of_lanes(sum.b.y), sum_of_lanes(sum.b.z)}});
  }
#endif
};

/// Runs a term over all particles.
template <class Term>
void sum_over_bonds(const Term& term, const BondListView& bonds, const BondFields& fields) {
  const int count = MERGANSER_GPU_HALF ? bonds.material.count : bonds.run.count - 1;
  launch(count, BondSum<Term>{term, bonds, fields});
}

MERGANSER_END
