#pragma once
/// Sums over the neighbors of positions in pairs of floats (float_pair.h), for the GPU.
#include "device/float_pair.h"
#include "solvers/methods/elastic_sph/elastic_shape.h"

MERGANSER_BEGIN

using PairVector = Vector3<FloatPair>;
using PairMatrix = Matrix3<FloatPair>;
MERGANSER_FN Matrix3<float> to_float(const PairMatrix& a) {
  return {vector_cast<float>(a.x), vector_cast<float>(a.y), vector_cast<float>(a.z)};
}
MERGANSER_FN Matrix3<double> to_doubles(const PairMatrix& a) {
  return {vector_cast<double>(a.x), vector_cast<double>(a.y), vector_cast<double>(a.z)};
}
template <class Real>
MERGANSER_FN PairMatrix to_pairs(const Matrix3<Real>& a) {
  return {vector_cast<FloatPair>(a.x), vector_cast<FloatPair>(a.y), vector_cast<FloatPair>(a.z)};
}
/// sum += a s.
MERGANSER_FN void add_product(PairVector& sum, const PairVector& a, const FloatPair& s) {
  add_product(sum.x, a.x, s), add_product(sum.y, a.y, s), add_product(sum.z, a.z, s);
}
/// sum += a v^T.
MERGANSER_FN void add_product(PairMatrix& sum, const PairVector& a, const PairVector& v) {
  add_product(sum.x, a, v.x), add_product(sum.y, a, v.y), add_product(sum.z, a, v.z);
}
/// sum += a v.
MERGANSER_FN void add_product(PairVector& sum, const PairMatrix& a, const PairVector& v) {
  add_product(sum, a.x, v.x), add_product(sum, a.y, v.y), add_product(sum, a.z, v.z);
}
/// a - b exactly.
MERGANSER_FN PairVector exact_difference(const Vec3& a, const Vec3& b) {
  return {FloatPair::exact_sum(a.x, -b.x), FloatPair::exact_sum(a.y, -b.y), FloatPair::exact_sum(a.z, -b.z)};
}

#if MERGANSER_GPU_HALF
/// A = sum V^_j g w X^T with w = x_j - x_i, or Y = sum V^_j w_ij w X^T with the value weights w_ij.
MERGANSER_FN PairMatrix pair_sum(const ElasticShapeView& shape, const LaneView<const FloatPair>& position,
                                 int i, bool of_values) {
  const LaneView<const float>& at = shape.rest;
  const Vec3 x = at.load_vector<float>(rest::position, i);
  const PairVector own = position.load_vector<FloatPair>(0, i);
  PairMatrix sum{};
  shape.neighbors.for_each_slot<float>(i, [&](int j, float gradient, float value) {
    const PairVector offset = exact_difference(at.load_vector<float>(rest::position, j), x);
    const FloatPair weight =
        FloatPair::exact_product(of_values ? value : gradient, at.load<float>(rest::volume, j));
    add_product(sum, position.load_vector<FloatPair>(0, j) - own, offset * weight);
  });
  return sum;
}

/// sum V^_j w_ij |F X - w|^2: the squares of what F leaves over, in float.
MERGANSER_FN float pair_errors(const ElasticShapeView& shape, const LaneView<const FloatPair>& position,
                               const PairMatrix& f, int i) {
  const LaneView<const float>& at = shape.rest;
  const Vec3 x = at.load_vector<float>(rest::position, i);
  const PairVector own = position.load_vector<FloatPair>(0, i);
  FloatPair sum = 0;
  shape.neighbors.for_each_slot<float>(i, [&](int j, float, float v) {
    PairVector error = own - position.load_vector<FloatPair>(0, j);
    add_product(error, f, exact_difference(at.load_vector<float>(rest::position, j), x));
    sum += v * at.load<float>(rest::volume, j) * norm_squared(vector_cast<float>(error));
  });
  return float(sum);
}
#endif

MERGANSER_END
