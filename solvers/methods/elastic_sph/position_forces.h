#pragma once
/// Forces of positions in two gathers, in double: strains are small against both F and R, and the two halves
/// of the zero-energy force nearly cancel. See METHOD.md and elastic_terms.h. The GPU has pair_forces.h in
/// their place and these as its plain twins.
#include "solvers/methods/elastic_sph/elastic_terms.h"
#include "solvers/methods/elastic_sph/neo_hookean_terms.h"
#include "solvers/methods/elastic_sph/rotations.h"

MERGANSER_BEGIN

/// First gather, as ElasticStress:
///   F = A L,   T = 2 mu V (F - R) + lambda V tr(R^T F - 1) R - k (Y - F C)
/// with R the rotation of F, or one that is given. Where neighbors span no space, R and 1 are those on their
/// span. Neo-Hookean: the first two terms of T are those of NeoHookean::stress(), and F is left for its
/// derivative; sums over the rest shape are taken anew here and in the second gather, for those stored in
/// float leave forces near rest that are no energy's, and a line search then finds no way down.
template <bool control, bool neo_hookean = false>
struct PositionStress {
  static constexpr const char* name = "elastic position stress";
  using Real = PreciseLanes;
  ElasticShapeView shape;
  ElasticParts parts;
  LaneView<const PreciseNumber> position;
  StepRotations rotations;
  LaneView<float> rotated;         ///< R L, written but for neo-Hookean
  LaneView<float> stress;          ///< T L, written
  LaneView<PreciseNumber> strain;  ///< k F, written
  LaneView<float> derivative = {};
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Real>(rest::position, i);
    const PositionDifference difference(position, i);
    Matrix3<Real> gradient_sum{}, value_sum{}, moment{};
    shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real& g, const Real& v) {
      const auto offset = at.load_vector<Real>(rest::position, j) - x;
      const auto w = difference(j);
      const Real volume = at.load<Real>(rest::volume, j);
      add_outer_product(gradient_sum, w, offset * Real(g * volume));
      if constexpr (control) add_outer_product(value_sum, w, offset * Real(v * volume));
      if constexpr (control && neo_hookean) add_outer_product(moment, offset, offset * Real(v * volume));
    });
    const auto correction = at.load_symmetric<Real>(rest::correction, i),
               span = at.load_symmetric<Real>(rest::span, i);
    const Matrix3<Real> f = gradient_sum * correction;
    Matrix3<Real> r;
    if constexpr (neo_hookean)
      r = rotation_near(rotations, f, span, item, shape.count);
    else
      r = rotations.find(f, item, shape.count);
    const Matrix3<Real> strain_of_f = f - r * span;
    const Real stretching = lanes_of<Real>(parts.stretching) * at.load<Real>(rest::stretching, i);
    const Real dilation = lanes_of<Real>(parts.dilation) * at.load<Real>(rest::dilation, i);
    Matrix3<Real> t;
    if constexpr (neo_hookean) {
      t = neo_hookean_at<Real>(shape, i).stress(strain_of_f + r);
      derivative.store_matrix(derivative_strain, i, strain_of_f);
      derivative.store_matrix(derivative_rotation, i, r);
    } else {
      t = stretching * strain_of_f;
      t += Real(dilation * contract(r, strain_of_f)) * r;
    }
    if constexpr (control) {
      const Real k = at.load<Real>(rest::control, i);
      if constexpr (!neo_hookean) moment = at.load_symmetric<Real>(rest::moment, i);
      t -= k * (value_sum - f * moment);
      strain.store_matrix(0, i, k * f);
    }
    if constexpr (!neo_hookean) rotated.store_matrix(turned::correction, i, r * correction);
    stress.store_matrix(stress_component, i, t * correction);
  }
};

/// Second gather, as ElasticForce.
template <bool control, bool neo_hookean = false>
struct PositionForce {
  static constexpr const char* name = "elastic position force";
  using Real = PreciseLanes;
  ElasticShapeView shape;
  LaneView<const PreciseNumber> position;
  LaneView<const float> stress;
  LaneView<const PreciseNumber> strain;
  ElasticRows rows;
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Real>(rest::position, i);
    Vector3<Real> by_matrices{}, by_vectors{}, value_sum{};
    const Real volume = at.load<Real>(rest::volume, i), k = at.load<Real>(rest::control, i);
    const PositionDifference difference(position, i);
    shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real& g, const Real& w) {
      const auto offset = at.load_vector<Real>(rest::position, j) - x;
      by_matrices += stress.load_matrix<Real>(stress_component, j) * (offset * g);
      if constexpr (control) {
        by_matrices -= strain.load_matrix<Real>(0, j) * (offset * w);
        by_vectors +=
            difference(j) *
            Real(w * (at.load<Real>(rest::volume, j) * k + volume * at.load<Real>(rest::control, j)));
        if constexpr (neo_hookean) value_sum += offset * Real(w * at.load<Real>(rest::volume, j));
      }
    });
    auto force = stress.load_matrix<Real>(stress_component, i) * at.load_vector<Real>(rest::gradient_sum, i) +
                 by_matrices * volume;
    if constexpr (control) {
      // To the last digit that of the pairs: k F is large at rest, too, and would move the body by itself.
      if constexpr (!neo_hookean)
        value_sum = at.load_vector<Real>(rest::value_sum, i) + at.load_vector<Real>(rest::value_rest, i);
      force += by_vectors - strain.load_matrix<Real>(0, i) * value_sum;
    }
    rows.write_lanes(item, shape.count, force);
  }
};

MERGANSER_END
