#pragma once
/// The explicit zero-energy control of Ganzenmueller 2015 (An hourglass control algorithm for Lagrangian
/// smooth particle hydrodynamics, eq. 19 to 22): the error projected on the line between two particles.
#include "solvers/elastic_sph/elastic_shape.h"
#include "solvers/elastic_sph/exact_positions.h"

MERGANSER_BEGIN

/// impulse_i += -dt sum_j w (k_i V^_j d_ij + k_j V^_i d_ji)/2 n with k = alpha E V, n = x_ji/|x_ji| and the
/// errors d_ij = (F_i X_ji - x_ji).n; antisymmetric.
struct ExplicitControl {
  static constexpr const char* name = "elastic explicit control";
  ElasticShapeView shape;
  LaneView<const float> position, rotation, strain;  ///< x, R and F - R
  float dt;                                          ///< [s]
  View<Vec3> impulse;                                ///< [N s], updated
  MERGANSER_METHOD Matrix3<Lanes> gradient(int j) const {
    return strain.load_matrix<Lanes>(0, j) +
           rotation.load_matrix<Lanes>(0, j) * shape.rest.load_symmetric<Lanes>(rest::span, j);
  }
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto rest_i = at.load_vector<Lanes>(rest::position, i);
    const PositionDifference<Lanes> difference(position, i);
    const auto f = gradient(i);
    const Lanes volume = at.load<Lanes>(rest::volume, i), k = at.load<Lanes>(rest::penalty, i);
    Vector3<Lanes> sum{};
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes&, const Lanes& w) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - rest_i;
      const auto d = difference(j);
      const Lanes length = norm_squared(d) + lanes_of<Lanes>(1e-30f);
      const Lanes own = dot(f * offset - d, d), other = dot(gradient(j) * offset - d, d);
      sum += d * Lanes(w *
                       (k * at.load<Lanes>(rest::volume, j) * own +
                        volume * at.load<Lanes>(rest::penalty, j) * other) /
                       length);
    });
    for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane)
      impulse[i + lane] -= (0.5f * dt) * lane_value(sum, lane);
  }
};

MERGANSER_END
