#pragma once
/// Forces of the three energies ([ES] eq. 14, 18, 24) and their linear part in two gathers. See README.md.
#include "solvers/elastic_sph/elastic_shape.h"
#include "solvers/elastic_sph/rotations.h"
#include "solvers/linear/conjugate_gradient.h"

MERGANSER_BEGIN

/// Which energies take part, 1 or 0.
struct ElasticParts {
  float stretching = 1, dilation = 1;
};
/// What the gathers act on: positions give forces, any other vector their derivative times it. Strains F - R
/// of positions are taken in double, for they are small against both.
template <bool positions>
using Differences = std::conditional_t<positions, PositionDifference<PreciseLanes>, VectorDifference<Lanes>>;
template <bool positions>
using GatherLanes = std::conditional_t<positions, PreciseLanes, Lanes>;
/// Components of the stress fields: S = T L and alpha mu V F, of positions in two floats, for its forces
/// nearly cancel; before that F - R (see MeasureStrain).
inline constexpr int stress_component = 0, strain_component = 9, strain_rest_component = 18,
                     stress_components = 27;

/// First gather. With A = sum V^_j g w X^T, Y = sum V^_j w_ij w X^T, w = u_j - u_i, C the moment and k =
/// alpha mu V:
///   F = A L,   P = 2 mu V (F - R) + lambda V tr(R^T F - 1) R,   T = P - k (Y - F C)
/// writes T L and k F, from which ElasticForce has every pair's force. Where neighbors span no space, R and 1
/// are those on their span.
template <bool control, bool positions>
struct ElasticStress {
  static constexpr const char* name = "elastic stress";
  using Real = GatherLanes<positions>;
  SolveProgress progress;
  ElasticShapeView shape;
  ElasticParts parts;
  View<const Quaternion> quaternion;  ///< of positions
  LaneView<const float> rotation;     ///< of vectors
  LaneView<const float> vector;
  LaneView<float> stress;  ///< written
  MERGANSER_METHOD Matrix3<Real> rotation_of(int item) const {
    if constexpr (positions)
      return rotation_lanes<Real>(quaternion, item, shape.count);
    else
      return rotation.load_matrix<Real>(0, first_of_item(item));
  }
  MERGANSER_METHOD void operator()(int item) const {
    if (progress.stopped()) return;
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Real>(rest::position, i);
    const Differences<positions> difference(vector, i);
    Matrix3<Real> gradient_sum{}, value_sum{};
    shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real& g, const Real& v) {
      const auto offset = at.load_vector<Real>(rest::position, j) - x;
      const auto w = difference(j);
      const Real volume = at.load<Real>(rest::volume, j);
      add_outer_product(gradient_sum, w, offset * Real(g * volume));
      if constexpr (control) add_outer_product(value_sum, w, offset * Real(v * volume));
    });
    const auto correction = at.load_symmetric<Real>(rest::correction, i);
    const auto r = rotation_of(item);
    const Matrix3<Real> f = gradient_sum * correction;
    const Real stretching = lanes_of<Real>(parts.stretching) * at.load<Real>(rest::stretching, i);
    const Real dilation = lanes_of<Real>(parts.dilation) * at.load<Real>(rest::dilation, i);
    Matrix3<Real> t = stretching * f;
    Real trace = contract(r, f);
    if constexpr (positions) {
      const auto span = at.load_symmetric<Real>(rest::span, i);
      t -= stretching * (r * span);
      trace -= span.x.x + span.y.y + span.z.z;
    }
    t += Real(dilation * trace) * r;
    if constexpr (control) {
      const Real k = at.load<Real>(rest::control, i);
      t -= k * (value_sum - f * at.load_symmetric<Real>(rest::moment, i));
      const Matrix3<Real> scaled = k * f;
      stress.store_matrix(strain_component, i, scaled);
      if constexpr (positions)
        stress.store_matrix(
            strain_rest_component, i,
            scaled - LaneView<const float>{stress.data, stress.stride}.template load_matrix<Real>(
                         strain_component, i));
    }
    stress.store_matrix(stress_component, i, t * correction);
  }
};

/// Second gather: result = h u + factor f of the rows with an inertia h, zero on fixed ones; without inertias
/// factor f.
///   f_i = sum_j [g (V^_j S_i + V^_i S_j) - w (V^_j G_i + V^_i G_j)] X + w (V^_j k_i + V^_i k_j) (u_j - u_i)
/// with S = T L and G = k F; every pair's force is antisymmetric, so momentum is kept.
template <bool control, bool positions>
struct ElasticForce {
  static constexpr const char* name = "elastic force";
  using Real = GatherLanes<positions>;
  SolveProgress progress;
  ElasticShapeView shape;
  LaneView<const float> vector, stress;
  View<const float> inertia;  ///< [kg] h, 0 = fixed row; or empty
  View<const Vec3> u;         ///< as in vector; or empty
  float factor;
  View<Vec3> result;  ///< written
  MERGANSER_METHOD Matrix3<Real> strain(int j) const {
    const auto whole = stress.load_matrix<Real>(strain_component, j);
    if constexpr (positions)
      return whole + stress.load_matrix<Real>(strain_rest_component, j);
    else
      return whole;
  }
  MERGANSER_METHOD void operator()(int item) const {
    if (progress.stopped()) return;
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Real>(rest::position, i);
    const auto own = stress.load_matrix<Real>(stress_component, i);
    Vector3<Real> by_matrices{}, by_vectors{};
    const Real volume = at.load<Real>(rest::volume, i), k = at.load<Real>(rest::control, i);
    const Differences<positions> difference(vector, i);
    shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real& g, const Real& w) {
      const auto offset = at.load_vector<Real>(rest::position, j) - x;
      by_matrices += stress.load_matrix<Real>(stress_component, j) * (offset * g);
      if constexpr (control) {
        by_matrices -= strain(j) * (offset * w);
        by_vectors +=
            difference(j) *
            Real(w * (at.load<Real>(rest::volume, j) * k + volume * at.load<Real>(rest::control, j)));
      }
    });
    Vector3<Real> force = own * at.load_vector<Real>(rest::gradient_sum, i) + by_matrices * volume;
    if constexpr (control) force += by_vectors - strain(i) * at.load_vector<Real>(rest::value_sum, i);
    for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane)
      write(i + lane, vector_cast<float>(lane_value(force, lane)));
  }
  MERGANSER_METHOD void write(int i, const Vec3& force) const {
    if (inertia.empty())
      result[i] = factor * force;
    else
      result[i] = inertia[i] > 0 ? inertia[i] * u[i] + factor * force : Vec3{0, 0, 0};
  }
};

/// E_i [J] of a particle at positions x: mu V |F - R|^2 + lambda V/2 tr(R^T F - 1)^2
///   + alpha mu V/2 sum_j V^_j w |F X - x_ji|^2, [ES] eq. 10 and 20.
struct CorotatedEnergy {
  static constexpr const char* name = "elastic energy";
  ElasticShapeView shape;
  LaneView<const float> rotation, position, strain;
  View<float> energy;  ///< [J], written
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Lanes>(rest::position, i);
    const PositionDifference<Lanes> difference(position, i);
    const auto e = strain.load_matrix<Lanes>(0, i), r = rotation.load_matrix<Lanes>(0, i);
    const Matrix3<Lanes> f = e + r * at.load_symmetric<Lanes>(rest::span, i);
    Lanes errors{};
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes&, const Lanes& w) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - x;
      const auto error = f * offset - difference(j);
      errors += w * at.load<Lanes>(rest::volume, j) * norm_squared(error);
    });
    const Lanes trace = contract(r, e), half = lanes_of<Lanes>(0.5f);
    const Lanes sum = half * (at.load<Lanes>(rest::stretching, i) * contract(e, e) +
                              at.load<Lanes>(rest::dilation, i) * trace * trace +
                              at.load<Lanes>(rest::control, i) * errors);
    for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane)
      energy[i + lane] = lane_value(sum, lane);
  }
};

MERGANSER_END
