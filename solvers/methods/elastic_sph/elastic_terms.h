#pragma once
/// The linear part of the forces of the three energies ([ES] eq. 14, 18, 24) in two gathers. See METHOD.md.
#include "solvers/linear/krylov/conjugate_gradient.h"
#include "solvers/methods/elastic_sph/elastic_shape.h"
#include "solvers/methods/elastic_sph/exact_positions.h"

MERGANSER_BEGIN

/// The energies that take part, 1 or 0.
struct ElasticParts {
  float stretching = 1, dilation = 1;
};

/// sum_j V^_j g (u_j - u_i) X^T, from which F_i = this L_i ([ES] eq. 9).
template <class Real, class Stored>
MERGANSER_FN Matrix3<Real> gradient_sum_of(const ElasticShapeView& shape,
                                           const LaneView<const Stored>& vector, int item) {
  const int i = first_of_item<Real>(item);
  const LaneView<const float>& at = shape.rest;
  const auto x = at.load_vector<Real>(rest::position, i);
  const Difference<Real, Stored> difference(vector, i);
  Matrix3<Real> sum{};
  shape.neighbors.for_each_slot<Real>(item, [&](int j, const Real& g, const Real&) {
    const auto offset = at.load_vector<Real>(rest::position, j) - x;
    add_outer_product(sum, difference(j), offset * Real(g * at.load<Real>(rest::volume, j)));
  });
  return sum;
}

/// D f with a StressDerivative D of a kernel index's particles, entry by entry in a component.
MERGANSER_FN Matrix3<Lanes> derivative_times(const LaneView<const float>& derivative, int i,
                                             const Matrix3<Lanes>& f) {
  const Lanes from[9] = {f.x.x, f.x.y, f.x.z, f.y.x, f.y.y, f.y.z, f.z.x, f.z.y, f.z.z};
  Lanes to[9] = {};
  for (int a = 0, e = 0; a < 9; ++a)
    for (int b = 0; b <= a; ++b, ++e) {
      const Lanes entry = derivative.load<Lanes>(e, i);
      to[a] += entry * from[b];
      if (b < a) to[b] += entry * from[a];
    }
  return {{to[0], to[1], to[2]}, {to[3], to[4], to[5]}, {to[6], to[7], to[8]}};
}

/// First gather. With A = sum V^_j g w X^T, Y = sum V^_j w_ij w X^T, w = u_j - u_i, C the moment, k =
/// alpha mu V and B = R L of the step (see PositionStress):
///   F = A L,   T = 2 mu V F + lambda V tr(R^T F) R - k (Y - F C)
/// writes T L and k F, from which ElasticForce has every pair's force. Neo-Hookean: the first two terms of T
/// are D F with the derivative D of the stress.
template <bool control, bool neo_hookean = false>
struct ElasticStress {
  static constexpr const char* name = "elastic stress";
  SolveProgress progress;
  ElasticShapeView shape;
  ElasticParts parts;
  LaneView<const float> rotated;  ///< B
  LaneView<const float> vector;
  LaneView<float> stress;  ///< written
  LaneView<const float> derivative = {};
  MERGANSER_METHOD void operator()(int item) const {
    if (progress.stopped()) return;
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Lanes>(rest::position, i);
    const VectorDifference difference(vector, i);
    Matrix3<Lanes> gradient_sum{}, value_sum{};
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes& g, const Lanes& v) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - x;
      const auto w = difference(j);
      const Lanes volume = at.load<Lanes>(rest::volume, j);
      add_outer_product(gradient_sum, w, offset * Lanes(g * volume));
      if constexpr (control) add_outer_product(value_sum, w, offset * Lanes(v * volume));
    });
    const auto correction = at.load_symmetric<Lanes>(rest::correction, i);
    const auto b = rotated.load_matrix<Lanes>(turned::correction, i);
    const Matrix3<Lanes> f = gradient_sum * correction;
    const Lanes stretching = lanes_of<Lanes>(parts.stretching) * at.load<Lanes>(rest::stretching, i);
    const Lanes dilation = lanes_of<Lanes>(parts.dilation) * at.load<Lanes>(rest::dilation, i);
    Matrix3<Lanes> t;
    if constexpr (neo_hookean)
      t = derivative_times(derivative, i, f);
    else
      t = stretching * f;
    if constexpr (control) {
      const Lanes k = at.load<Lanes>(rest::control, i);
      t -= k * (value_sum - f * at.load_symmetric<Lanes>(rest::moment, i));
      stress.store_matrix(strain_component, i, k * f);
    }
    Matrix3<Lanes> result = t * correction;
    if constexpr (!neo_hookean) result += Lanes(dilation * contract(b, gradient_sum)) * b;
    stress.store_matrix(stress_component, i, result);
  }
};

/// factor f_i, plus h u of the rows with an effective mass h, zero on fixed ones.
struct ElasticRows {
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed row; or empty: none has one
  View<const Vec3> u;                ///< or empty
  StepNumber factor;
  View<Vec3> result;  ///< written
  MERGANSER_METHOD void write(int i, const Vec3& force) const {
    if (effective_mass.empty())
      result[i] = factor * force;
    else
      result[i] = effective_mass[i] > 0 ? effective_mass[i] * u[i] + factor * force : Vec3{0, 0, 0};
  }
  template <class Real>
  MERGANSER_METHOD void write_lanes(int item, int count, const Vector3<Real>& force) const {
    for (int lane = 0, lanes = lanes_of_item<Real>(item, count); lane < lanes; ++lane)
      write(first_of_item<Real>(item) + lane, vector_cast<float>(lane_value(force, lane)));
  }
};

/// Second gather:
///   f_i = sum_j [g (V^_j S_i + V^_i S_j) - w (V^_j G_i + V^_i G_j)] X + w (V^_j k_i + V^_i k_j) (u_j - u_i)
/// with S = T L and G = k F; every pair's force is antisymmetric, so momentum is kept.
template <bool control>
struct ElasticForce {
  static constexpr const char* name = "elastic force";
  SolveProgress progress;
  ElasticShapeView shape;
  LaneView<const float> vector, stress;
  ElasticRows rows;
  MERGANSER_METHOD void operator()(int item) const {
    if (progress.stopped()) return;
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Lanes>(rest::position, i);
    Vector3<Lanes> by_matrices{}, by_vectors{};
    const Lanes volume = at.load<Lanes>(rest::volume, i), k = at.load<Lanes>(rest::control, i);
    const VectorDifference difference(vector, i);
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes& g, const Lanes& w) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - x;
      by_matrices += stress.load_matrix<Lanes>(stress_component, j) * (offset * g);
      if constexpr (control) {
        by_matrices -= stress.load_matrix<Lanes>(strain_component, j) * (offset * w);
        by_vectors +=
            difference(j) *
            Lanes(w * (at.load<Lanes>(rest::volume, j) * k + volume * at.load<Lanes>(rest::control, j)));
      }
    });
    auto force =
        stress.load_matrix<Lanes>(stress_component, i) * at.load_vector<Lanes>(rest::gradient_sum, i) +
        by_matrices * volume;
    if constexpr (control)
      force += by_vectors -
               stress.load_matrix<Lanes>(strain_component, i) * at.load_vector<Lanes>(rest::value_sum, i);
    rows.write_lanes(item, shape.count, force);
  }
};

MERGANSER_END
