#pragma once
/// Rotations of the particles, what is left of their deformation and its energy ([ES] alg. 1, lines 4 and 8).
#include "device/polar_decomposition.h"
#include "solvers/methods/elastic_sph/elastic_terms.h"
#include "solvers/methods/elastic_sph/pair_sums.h"

MERGANSER_BEGIN

/// The rotations of a step.
struct StepRotations {
  View<const UnitQuaternion> start;  ///< where the search starts
  View<UnitQuaternion> found;        ///< written, may be start; empty: the rotations are `start`

  /// Those of a kernel index's particles, whose deformation gradients are f.
  template <class Real>
  MERGANSER_METHOD Matrix3<Real> find(const Matrix3<Real>& f, int item, int count) const {
    return find_where(f, item, count, [](int) { return true; });
  }
  /// Those of f where wanted(lane); elsewhere `start`, whatever f.
  template <class Real, class Wanted>
  MERGANSER_METHOD Matrix3<Real> find_where(const Matrix3<Real>& f, int item, int count,
                                            const Wanted& wanted) const {
    Matrix3<Real> all{};
    for (int lane = 0, lanes = lanes_of_item<Real>(item, count); lane < lanes; ++lane) {
      const int i = first_of_item<Real>(item) + lane;
      UnitQuaternion q = start[i];
      if (!found.empty() && wanted(lane))
        found[i] = q = polar_rotation(matrix_cast<double>(lane_value(f, lane)), q);
      set_lane(all, lane, rotation_matrix(q));
    }
    return all;
  }
};

/// gradient_sum_of() of positions: sum_j V^_j g (x_j - x_i) X^T.
MERGANSER_FN Matrix3<PreciseLanes> position_gradient_sum(const ElasticShapeView& shape,
                                                         const LaneView<const PreciseNumber>& position,
                                                         int item) {
#if MERGANSER_GPU_HALF
  return to_doubles(pair_sum(shape, position, item, false));
#else
  return gradient_sum_of<PreciseLanes>(shape, position, item);
#endif
}

/// sum_j V^_j w |F X - x_ji|^2, the errors of the zero-energy term.
MERGANSER_FN PreciseLanes position_errors(const ElasticShapeView& shape,
                                          const LaneView<const PreciseNumber>& position,
                                          const Matrix3<PreciseLanes>& f, int item) {
#if MERGANSER_GPU_HALF
  return pair_errors(shape, position, to_pairs(f), item);
#else
  using Real = PreciseLanes;
  const int i = first_of_item<Real>(item);
  const LaneView<const float>& at = shape.rest;
  const auto x = at.load_vector<Real>(rest::position, i);
  const PositionDifference difference(position, i);
  Real errors{};
  shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real&, const Real& w) {
    const auto offset = at.load_vector<Real>(rest::position, j) - x;
    errors += w * at.load<Real>(rest::volume, j) * norm_squared(f * offset - difference(j));
  });
  return errors;
#endif
}

/// F, R and F - R P of the particles of an item, P the projector on their neighbors' directions at rest.
struct LocalStrain {
  Matrix3<PreciseLanes> f, rotation, strain;
  MERGANSER_METHOD static LocalStrain of(const ElasticShapeView& shape,
                                         const LaneView<const PreciseNumber>& position,
                                         const StepRotations& rotations, int item) {
    using Real = PreciseLanes;
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const Matrix3<Real> f =
        position_gradient_sum(shape, position, item) * at.load_symmetric<Real>(rest::correction, i);
    const Matrix3<Real> r = rotations.find(f, item, shape.count);
    return {f, r, f - r * at.load_symmetric<Real>(rest::span, i)};
  }
};

/// R_i, the strain F - R and the energy of a particle,
///   E_i = mu V |F - R|^2 + lambda V/2 tr(R^T F - 1)^2 + alpha mu V/2 sum_j V^_j w |F X - x_ji|^2,
/// [ES] eq. 10 and 20.
struct MeasureStrain {
  static constexpr const char* name = "elastic rotations";
  ElasticShapeView shape;
  LaneView<const PreciseNumber> position;
  StepRotations rotations;
  LaneView<float> rotation;  ///< R, written
  LaneView<float> strain;    ///< F - R, components 0 to 8, written
  View<float> energy;        ///< [J], written; or empty: not wanted
  MERGANSER_METHOD void operator()(int item) const {
    using Real = PreciseLanes;
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const auto [f, r, e] = LocalStrain::of(shape, position, rotations, item);
    rotation.store_matrix(0, i, r);
    strain.store_matrix(0, i, e);
    if (energy.empty()) return;
    const Real errors = position_errors(shape, position, f, item);
    const Real trace = contract(r, e);
    const Real sum = at.load<Real>(rest::stretching, i) * contract(e, e) +
                     at.load<Real>(rest::dilation, i) * trace * trace +
                     at.load<Real>(rest::control, i) * errors;
    for (int lane = 0, lanes = lanes_of_item<Real>(item, shape.count); lane < lanes; ++lane)
      energy[i + lane] = float(0.5 * lane_value(sum, lane));
  }
};

/// E_i with the rotations `start` less E_i with those of the positions: what turning the rotations takes from
/// the energy. The zero-energy term has none.
struct TurningEnergy {
  static constexpr const char* name = "elastic turning energy";
  ElasticShapeView shape;
  LaneView<const PreciseNumber> position;
  View<const UnitQuaternion> start;
  View<UnitQuaternion> found;  ///< those of the positions, written
  View<float> energy;          ///< [J], written
  MERGANSER_METHOD void operator()(int item) const {
    using Real = PreciseLanes;
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const auto span = at.load_symmetric<Real>(rest::span, i);
    const Matrix3<Real> f =
        position_gradient_sum(shape, position, item) * at.load_symmetric<Real>(rest::correction, i);
    const Matrix3<Real> given = StepRotations{start, {}}.find(f, item, shape.count),
                        own = StepRotations{start, found}.find(f, item, shape.count);
    const Matrix3<Real> before = f - given * span, after = f - own * span;
    const Real trace_before = contract(given, before), trace_after = contract(own, after);
    const Real sum =
        at.load<Real>(rest::stretching, i) * (contract(before, before) - contract(after, after)) +
        at.load<Real>(rest::dilation, i) * (trace_before * trace_before - trace_after * trace_after);
    for (int lane = 0, lanes = lanes_of_item<Real>(item, shape.count); lane < lanes; ++lane)
      energy[i + lane] = float(0.5 * lane_value(sum, lane));
  }
};

MERGANSER_END
