#pragma once
/// 3 x 3 diagonal blocks of the stiffness, for block Jacobi and for the shares of a group's rows.
#include "solvers/methods/elastic_sph/elastic_terms.h"

MERGANSER_BEGIN

/// (2 D^T K D + H^T K~ H)_ii [N/m], the constant part's diagonal. With g' = V^_i g L_j X the gradient of j at
/// i and G the gradient sum of i:
///   own         2 mu V |L G|^2 + k (sum V^_j w (1 - 2 X.LG) + LG.C LG)
///   neighbor j  2 mu V_j |g'|^2 + k_j (V^_i w (1 - 2 X.g') + g'.C_j g')
struct ConstantDiagonal {
  static constexpr const char* name = "elastic constant diagonal";
  ElasticShapeView shape;
  View<float> diagonal;  ///< written
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Lanes>(rest::position, i);
    const Lanes volume = at.load<Lanes>(rest::volume, i), k = at.load<Lanes>(rest::control, i);
    const Lanes one = lanes_of<Lanes>(1), two = lanes_of<Lanes>(2);
    const auto own =
        at.load_symmetric<Lanes>(rest::correction, i) * at.load_vector<Lanes>(rest::gradient_sum, i);
    Lanes sum = at.load<Lanes>(rest::stretching, i) * norm_squared(own) +
                k * dot(own, at.load_symmetric<Lanes>(rest::moment, i) * own);
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes& g, const Lanes& w) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - x;
      const auto gradient = at.load_symmetric<Lanes>(rest::correction, j) * (offset * Lanes(g * volume));
      const Lanes other = at.load<Lanes>(rest::control, j);
      sum += k * at.load<Lanes>(rest::volume, j) * w * (one - two * dot(offset, own));
      sum += at.load<Lanes>(rest::stretching, j) * norm_squared(gradient) +
             other * (volume * w * (one - two * dot(offset, gradient)) +
                      dot(gradient, at.load_symmetric<Lanes>(rest::moment, j) * gradient));
    });
    for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane)
      diagonal[i + lane] = lane_value(sum, lane);
  }
};

/// factor (constant part I + volume part)_ii: lambda_i V_i a a^T + sum_j lambda_j V_j b b^T with a = B_i
/// G_i and b = V^_i g B_j X, B = R L.
struct StiffnessBlocks {
  static constexpr const char* name = "elastic diagonal";
  ElasticShapeView shape;
  LaneView<const float> rotated;  ///< B
  View<const float> constant;     ///< [N/m], or empty: none
  float factor;                   ///< [s^2]
  View<SymmetricMatrix3> block;
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Lanes>(rest::position, i);
    const Lanes volume = at.load<Lanes>(rest::volume, i);
    Matrix3<Lanes> sum{};
    const auto own =
        rotated.load_matrix<Lanes>(turned::correction, i) * at.load_vector<Lanes>(rest::gradient_sum, i);
    add_outer_product(sum, own, own * at.load<Lanes>(rest::dilation, i));
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes& g, const Lanes&) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - x;
      const auto other = rotated.load_matrix<Lanes>(turned::correction, j) * (offset * Lanes(g * volume));
      add_outer_product(sum, other, other * at.load<Lanes>(rest::dilation, j));
    });
    for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane) {
      const Vec3 a = lane_value(sum.x, lane), b = lane_value(sum.y, lane);
      const float c = constant.empty() ? 0.0f : constant[i + lane];
      block[i + lane] = {factor * (c + a.x), factor * a.y, factor * a.z,
                         factor * (c + b.y), factor * b.z, factor * (c + lane_value(sum.z.z, lane))};
    }
  }
};

MERGANSER_END
