#pragma once
/// A u where A0 u is known. With the factored A0 = m + dt0^2 K0 (stretching and zero-energy control, masses
/// m),
///   A u = (h + dt^2 (K0 + K^V)) u = h u + (dt/dt0)^2 (A0 u - m u) + dt^2 K^V u
/// so only the volume term K^V needs gathers, light ones. Conjugate gradients know A0 of their directions:
/// they are sums of z = A0^-1 r.
#include "solvers/methods/elastic_sph/elastic_terms.h"

MERGANSER_BEGIN

/// lambda V tr(R^T F) of u.
struct VectorDilation {
  static constexpr const char* name = "elastic dilation";
  ElasticShapeView shape;
  LaneView<const float> vector;
  LaneView<float> rotated;  ///< B; the dilation is written
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    const Matrix3<Lanes> sum = gradient_sum_of<Lanes>(shape, vector, item);
    const auto b =
        LaneView<const float>{rotated.data, rotated.stride}.load_matrix<Lanes>(turned::correction, i);
    rotated.store(turned::dilation, i, Lanes(shape.rest.load<Lanes>(rest::dilation, i) * contract(b, sum)));
  }
};

/// A u; the force of the volume term is -K^V u = sum_j g (V^_j s_i B_i + V^_i s_j B_j) X with the dilations
/// s.
struct KnownProduct {
  static constexpr const char* name = "elastic known product";
  ElasticShapeView shape;
  LaneView<const float> rotated;
  View<const float> effective_mass, own_mass;  ///< [kg] h, 0 = fixed row; m
  View<const Vec3> u, known;                   ///< A0 u
  StepNumber ratio_squared, dt_squared;        ///< (dt/dt0)^2, [s^2] dt^2
  View<Vec3> product;                          ///< A u, written
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    const LaneView<const float>& at = shape.rest;
    const auto x = at.load_vector<Lanes>(rest::position, i);
    Vector3<Lanes> sum{};
    shape.neighbors.for_each_slot<Lanes>(item, [&](int j, const Lanes& g, const Lanes&) {
      const auto offset = at.load_vector<Lanes>(rest::position, j) - x;
      sum += rotated.load_matrix<Lanes>(turned::correction, j) *
             (offset * Lanes(g * rotated.load<Lanes>(turned::dilation, j)));
    });
    const auto own =
        rotated.load_matrix<Lanes>(turned::correction, i) * at.load_vector<Lanes>(rest::gradient_sum, i);
    const Vector3<Lanes> force =
        own * rotated.load<Lanes>(turned::dilation, i) + sum * at.load<Lanes>(rest::volume, i);
    for (int lane = 0, lanes = lanes_of_item(item, shape.count); lane < lanes; ++lane)
      write(i + lane, lane_value(force, lane));
  }
  MERGANSER_METHOD void write(int i, const Vec3& force) const {
    if (effective_mass[i] > 0)
      product[i] =
          effective_mass[i] * u[i] + ratio_squared * (known[i] - own_mass[i] * u[i]) - dt_squared * force;
    else
      product[i] = {0, 0, 0};
  }
};

MERGANSER_END
