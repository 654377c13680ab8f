#pragma once
/// View of elastic bodies for kernels: rest shape, material, neighbors.
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/elastic_sph/neighbor_blocks.h"

MERGANSER_BEGIN

/// Components of the rest fields. Sums run over the neighbors j of a particle i, with X = X_j - X_i, relative
/// volumes V^ and the pair weights g (gradient) and w (value).
namespace rest {
inline constexpr int position = 0;       ///< [m] X
inline constexpr int volume = 3;         ///< V^
inline constexpr int correction = 4;     ///< L, symmetric, [ES] eq. 8 for unit g
inline constexpr int moment = 10;        ///< sum V^_j w X X^T, symmetric
inline constexpr int stretching = 16;    ///< [J] 2 mu V
inline constexpr int dilation = 17;      ///< [J] lambda V
inline constexpr int control = 18;       ///< [J] alpha mu V of the implicit zero-energy control
inline constexpr int penalty = 19;       ///< [J] alpha E V of the explicit one
inline constexpr int span = 20;          ///< projector on the neighbors' directions, symmetric
inline constexpr int gradient_sum = 26;  ///< [1/m] sum V^_j g X
inline constexpr int value_sum = 29;     ///< [1/m] sum V^_j w X, of X, V^ and w as stored
inline constexpr int value_rest = 32;    ///< [1/m] what that sum is more than its float
inline constexpr int components = 35;
}  // namespace rest

/// Components of what the linear part of a step's forces needs: B = R L with the rotations of the step, and
/// lambda V tr(R^T F) [J] of the vector last multiplied.
namespace turned {
inline constexpr int correction = 0, dilation = 9, components = 10;
}
/// Components of the stress fields: T L, then k F (see ElasticStress) or, of MeasureStrain, F - R.
inline constexpr int stress_component = 0, strain_component = 9, stress_components = 18;

struct ElasticShapeView {
  NeighborBlocksView neighbors;
  LaneView<const float> rest;
  int count = 0;  ///< of particles
};

/// Rest shape and material of all particles of a system on the device.
class ElasticShape {
 public:
  ElasticShape(const RestShape& shape, ZeroEnergyControl control);
  ElasticShapeView view() const { return {neighbors_.view(), rest_.view(), count_}; }
  /// Some body has an implicit zero-energy control.
  bool controlled() const { return controlled_; }
  /// Some body has an explicit one.
  bool penalised() const { return penalised_; }
  int slots() const { return neighbors_.slots(); }
  /// [m] component k of the rest positions.
  std::vector<float> rest_position(int k) const { return rest_.to_host(rest::position + k, count_); }

 private:
  NeighborBlocks neighbors_;
  LaneFields rest_;
  int count_;
  bool controlled_ = false, penalised_ = false;
};

/// a += s v^T.
template <class Real>
MERGANSER_FN void add_outer_product(Matrix3<Real>& a, const Vector3<Real>& s, const Vector3<Real>& v) {
  a.x += s * v.x;
  a.y += s * v.y;
  a.z += s * v.z;
}
/// One of the numbers of Real, by its place.
template <class Real>
MERGANSER_FN auto lane_value(const Real& x, [[maybe_unused]] int lane) {
  if constexpr (is_one_number<Real>)
    return x;
  else
    return x[lane];
}
/// x[lane] = value.
template <class Real, class Value>
MERGANSER_FN void set_lane(Real& x, [[maybe_unused]] int lane, const Value& value) {
  if constexpr (is_one_number<Real>)
    x = value;
  else
    x[lane] = value;
}
template <class Real>
MERGANSER_FN auto lane_value(const Vector3<Real>& v, int lane) -> Vector3<decltype(lane_value(v.x, lane))> {
  return {lane_value(v.x, lane), lane_value(v.y, lane), lane_value(v.z, lane)};
}
template <class Real>
MERGANSER_FN auto lane_value(const Matrix3<Real>& a, int lane) -> Matrix3<decltype(lane_value(a.x.x, lane))> {
  return {lane_value(a.x, lane), lane_value(a.y, lane), lane_value(a.z, lane)};
}
template <class Real, class Value>
MERGANSER_FN void set_lane(Matrix3<Real>& a, int lane, const Matrix3<Value>& value) {
  set_lane(a.x.x, lane, value.x.x), set_lane(a.x.y, lane, value.x.y), set_lane(a.x.z, lane, value.x.z);
  set_lane(a.y.x, lane, value.y.x), set_lane(a.y.y, lane, value.y.y), set_lane(a.y.z, lane, value.y.z);
  set_lane(a.z.x, lane, value.z.x), set_lane(a.z.y, lane, value.z.y), set_lane(a.z.z, lane, value.z.z);
}

MERGANSER_END
