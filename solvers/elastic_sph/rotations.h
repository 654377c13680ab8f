#pragma once
/// Rotations of the particles and what is left of their deformation ([ES] alg. 1, lines 4 and 8).
#include "device/polar_decomposition.h"
#include "solvers/elastic_sph/elastic_shape.h"
#include "solvers/elastic_sph/exact_positions.h"

MERGANSER_BEGIN

/// The rotations of a kernel index's particles.
template <class Real>
MERGANSER_FN Matrix3<Real> rotation_lanes(const View<const Quaternion>& quaternion, int item,
                                          [[maybe_unused]] int count) {
  if constexpr (is_one_number<Real>) {
    return rotation_matrix(quaternion[item]);
  } else {
#if !MERGANSER_IS_GPU
    Matrix3<Real> lanes{};
    for (int lane = 0, end = lanes_of_item(item, count); lane < end; ++lane) {
      const Matrix3<double> r = rotation_matrix(quaternion[first_of_item(item) + lane]);
      lanes.x.x[lane] = r.x.x, lanes.x.y[lane] = r.x.y, lanes.x.z[lane] = r.x.z;
      lanes.y.x[lane] = r.y.x, lanes.y.y[lane] = r.y.y, lanes.y.z[lane] = r.y.z;
      lanes.z.x[lane] = r.z.x, lanes.z.y[lane] = r.z.y, lanes.z.z[lane] = r.z.z;
    }
    return lanes;
#endif
  }
}

/// F_i = (sum_j V^_j g x_ji X^T) L_i ([ES] eq. 9), its rotation R_i and the strain F - R.
struct MeasureStrain {
  static constexpr const char* name = "elastic rotations";
  ElasticShapeView shape;
  LaneView<const float> position;
  View<const Quaternion> start;  ///< where the search for the rotations starts
  View<Quaternion> found;        ///< written, may be start; empty: the rotations are `start`
  LaneView<float> rotation;      ///< R, written
  LaneView<float> strain;        ///< F - R, components 0 to 8, written
  MERGANSER_METHOD void operator()(int item) const {
    using Real = PreciseLanes;
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Real>(rest::position, i);
    const PositionDifference<Real> difference(position, i);
    Matrix3<Real> sum{};
    shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real& g, const Real&) {
      const auto offset = at.load_vector<Real>(rest::position, j) - x;
      add_outer_product(sum, difference(j), offset * Real(g * at.load<Real>(rest::volume, j)));
    });
    const Matrix3<Real> f = sum * at.load_symmetric<Real>(rest::correction, i);
    if (!found.empty())
      for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane)
        found[i + lane] = polar_rotation(
            {lane_value(f.x, lane), lane_value(f.y, lane), lane_value(f.z, lane)}, start[i + lane]);
    const View<const Quaternion> rotations = found.empty() ? start : View<const Quaternion>(found);
    const Matrix3<Real> r = rotation_lanes<Real>(rotations, item, shape.count);
    rotation.store_matrix(0, i, r);
    strain.store_matrix(0, i, f - r * at.load_symmetric<Real>(rest::span, i));
  }
};

MERGANSER_END
