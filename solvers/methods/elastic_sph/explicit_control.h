#pragma once
/// The explicit zero-energy control of Ganzenmueller 2015 (An hourglass control algorithm for Lagrangian
/// smooth particle hydrodynamics, eq. 19 to 22): the error projected on the line between two particles.
#include "solvers/methods/elastic_sph/elastic_shape.h"
#include "solvers/methods/elastic_sph/exact_positions.h"

MERGANSER_BEGIN

/// impulse_i += -dt sum_j w (k_i V^_j d_ij + k_j V^_i d_ji)/2 n with k = alpha E V, n = x_ji/|x_ji| and the
/// errors d_ij = (F_i X_ji - x_ji).n; antisymmetric.
struct ExplicitControl {
  static constexpr const char* name = "elastic explicit control";
  using Real = PreciseLanes;
  ElasticShapeView shape;
  LaneView<const PreciseNumber> position;
  LaneView<const float> rotation, strain;  ///< R and F - R
  double dt;                               ///< [s]
  View<Vec3> impulse;                      ///< [N s], updated
  MERGANSER_METHOD Matrix3<Real> gradient(int j) const {
    return strain.load_matrix<Real>(0, j) +
           rotation.load_matrix<Real>(0, j) * shape.rest.load_symmetric<Real>(rest::span, j);
  }
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const auto rest_i = at.load_vector<Real>(rest::position, i);
    const PositionDifference difference(position, i);
    const auto f = gradient(i);
    const Real volume = at.load<Real>(rest::volume, i), k = at.load<Real>(rest::penalty, i);
    Vector3<Real> sum{};
    shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real&, const Real& w) {
      const auto offset = at.load_vector<Real>(rest::position, j) - rest_i;
      const auto d = difference(j);
      const Real length = norm_squared(d) + 1e-30;
      const Real own = dot(f * offset - d, d), other = dot(gradient(j) * offset - d, d);
      sum +=
          d *
          Real(w *
               (k * at.load<Real>(rest::volume, j) * own + volume * at.load<Real>(rest::penalty, j) * other) /
               length);
    });
    for (int lane = 0, lanes = lanes_of_item<Real>(item, shape.count); lane < lanes; ++lane)
      impulse[i + lane] -= vector_cast<float>(0.5 * dt * lane_value(sum, lane));
  }
};

MERGANSER_END
