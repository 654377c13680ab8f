#pragma once
/// PositionStress and PositionForce for the GPU: sums in pairs of floats (float_pair.h) in place of doubles,
/// and the first gather apart from what follows for each particle by itself, which needs other registers.
/// What is small once a difference is taken (strains, stresses) goes on in float. See position_forces.h, the
/// plain twin, for the equations.
#include "device/polar_pairs.h"
#include "solvers/methods/elastic_sph/elastic_terms.h"
#include "solvers/methods/elastic_sph/pair_sums.h"
#include "solvers/methods/elastic_sph/rotations.h"

MERGANSER_BEGIN

#if MERGANSER_GPU_HALF
/// a b with a symmetric b of floats, six of which from component k on.
MERGANSER_FN PairMatrix times_symmetric(const PairMatrix& a, const LaneView<const float>& from, int k,
                                        int i) {
  const Matrix3<float> b = from.load_symmetric<float>(k, i);
  PairMatrix product{};
  add_product(product.x, a, vector_cast<FloatPair>(b.x));
  add_product(product.y, a, vector_cast<FloatPair>(b.y));
  add_product(product.z, a, vector_cast<FloatPair>(b.z));
  return product;
}

/// First gather: A of every particle and then, where controlled, Y of every particle (see pair_sum()), one
/// index each, for both at once would take too many registers.
struct SumPositions {
  static constexpr const char* name = "elastic position sums";
  ElasticShapeView shape;
  LaneView<const FloatPair> position;
  LaneView<FloatPair> sums;  ///< A in components 0 to 8, Y in 9 to 17; written
  MERGANSER_METHOD void operator()(int index) const {
    const bool of_values = index >= shape.count;
    const int i = of_values ? index - shape.count : index;
    sums.store_matrix(of_values ? 9 : 0, i, pair_sum(shape, position, i, of_values));
  }
};

/// R, T L and k F of a particle from the sums. Newton's method finds nearly all rotations; the particles
/// where it does not are marked as lost, and a second launch, `lost`, takes the eigenvector there, in double.
template <bool control, bool lost>
struct PairStress {
  static constexpr const char* name = lost ? "elastic lost rotations" : "elastic pair stress";
  ElasticShapeView shape;
  ElasticParts parts;
  StepRotations rotations;
  LaneView<const FloatPair> sums;
  View<int> marks;             ///< 1: lost; written by the first launch
  LaneView<float> rotated;     ///< R L, written
  LaneView<float> stress;      ///< T L, written
  LaneView<FloatPair> strain;  ///< k F, written
  MERGANSER_METHOD void operator()(int i) const {
    if (lost && marks[i] == 0) return;
    const LaneView<const float>& at = shape.rest;
    const PairMatrix f = times_symmetric(sums.load_matrix<FloatPair>(0, i), at, rest::correction, i);
    const UnitQuaternion& start = rotations.start[i];
    UnitQuaternionOf<FloatPair> q{FloatPair(start.x), FloatPair(start.y), FloatPair(start.z),
                                  FloatPair(start.w)};
    if constexpr (lost) {
      const UnitQuaternion found = polar_rotation_by_eigenvector(to_doubles(f), start);
      q = {FloatPair(found.x), FloatPair(found.y), FloatPair(found.z), FloatPair(found.w)};
      rotations.found[i] = found;
    } else if (!rotations.found.empty()) {
      const bool found = turn_to_polar_rotation(f, q);
      marks[i] = found ? 0 : 1;
      if (!found) return;
      rotations.found[i] = {double(q.x), double(q.y), double(q.z), double(q.w)};
    }
    write(i, f, rotation_matrix(q));
  }
  MERGANSER_METHOD void write(int i, const PairMatrix& f, const PairMatrix& rotation) const {
    const LaneView<const float>& at = shape.rest;
    const Matrix3<float> r = to_float(rotation),
                         e = to_float(f - times_symmetric(rotation, at, rest::span, i));
    Matrix3<float> t = (parts.stretching * at.load<float>(rest::stretching, i)) * e;
    t += (parts.dilation * at.load<float>(rest::dilation, i) * contract(r, e)) * r;
    if constexpr (control) {
      const float k = at.load<float>(rest::control, i);
      t -= k * to_float(sums.load_matrix<FloatPair>(9, i) - times_symmetric(f, at, rest::moment, i));
      strain.store_matrix(0, i, FloatPair(k) * f);
    }
    const auto correction = at.load_symmetric<float>(rest::correction, i);
    rotated.store_matrix(turned::correction, i, r * correction);
    stress.store_matrix(stress_component, i, t * correction);
  }
};

/// Second gather, as ElasticForce. The two halves of the zero-energy force nearly cancel and are pairs; so is
/// what is left of the difference of stresses, whose addends are floats as stored.
template <bool control>
struct PairForce {
  static constexpr const char* name = "elastic pair force";
  ElasticShapeView shape;
  LaneView<const FloatPair> position;
  LaneView<const float> stress;
  LaneView<const FloatPair> strain;
  ElasticRows rows;
  MERGANSER_METHOD void operator()(int i) const {
    const LaneView<const float>& at = shape.rest;
    const Vec3 x = at.load_vector<float>(rest::position, i);
    const PairVector own = position.load_vector<FloatPair>(0, i);
    const float volume = at.load<float>(rest::volume, i), k = at.load<float>(rest::control, i);
    PairVector force{};
    shape.neighbors.for_each_slot<float>(i, [&](int j, float g, float w) {
      const PairVector offset = exact_difference(at.load_vector<float>(rest::position, j), x);
      add_product(force, to_pairs(stress.load_matrix<float>(stress_component, j)),
                  offset * FloatPair::exact_product(g, volume));
      if constexpr (control) {
        add_product(force, strain.load_matrix<FloatPair>(0, j),
                    offset * FloatPair::exact_product(-w, volume));
        const FloatPair both = FloatPair::exact_product(at.load<float>(rest::volume, j), k) +
                               FloatPair::exact_product(volume, at.load<float>(rest::control, j));
        add_product(force, position.load_vector<FloatPair>(0, j) - own, FloatPair(w) * both);
      }
    });
    const Matrix3<float> s = stress.load_matrix<float>(stress_component, i);
    add_product(force, to_pairs(s), vector_cast<FloatPair>(at.load_vector<float>(rest::gradient_sum, i)));
    if constexpr (control)
      // To the last digit that of the pairs, as in PositionForce.
      add_product(force, strain.load_matrix<FloatPair>(0, i),
                  -(vector_cast<FloatPair>(at.load_vector<float>(rest::value_sum, i)) +
                    vector_cast<FloatPair>(at.load_vector<float>(rest::value_rest, i))));
    rows.write(i, vector_cast<float>(force));
  }
};
#endif

MERGANSER_END
