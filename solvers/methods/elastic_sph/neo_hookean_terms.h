#pragma once
/// Stable Neo-Hookean energies and stresses of particles, in double. Where neighbors span no space, F is made
/// whole by the rotation's part across their span, F - R P + R with the projector P.
#include "solvers/methods/elastic_sph/neo_hookean.h"
#include "solvers/methods/elastic_sph/rotations.h"

MERGANSER_BEGIN

/// That of particle i, times its volume.
MERGANSER_FN NeoHookean neo_hookean_at(const ElasticShapeView& shape, int i) {
  return NeoHookean::of(0.5 * shape.rest.load<double>(rest::stretching, i),
                        shape.rest.load<double>(rest::dilation, i));
}

/// dE/dF [J] of a kernel index's particles at the whole F; writes their derivatives.
template <class Real>
MERGANSER_FN Matrix3<Real> neo_hookean_stress(const ElasticShapeView& shape, int item, const Matrix3<Real>& f,
                                              const Matrix3<Real>& r, const LaneView<float>& derivative) {
  Matrix3<Real> stress{};
  for (int lane = 0, lanes = lanes_of_item<Real>(item, shape.count); lane < lanes; ++lane) {
    const int i = first_of_item<Real>(item) + lane;
    const NeoHookean material = neo_hookean_at(shape, i);
    const Matrix3<double> own = lane_value(f, lane);
    set_lane(stress, lane, material.stress(own));
    const StressDerivative d = material.derivative(PrincipalStretches::of(own, lane_value(r, lane)));
    for (int e = 0; e < StressDerivative::size; ++e) derivative.store(e, i, float(d.entry[e]));
  }
  return stress;
}

/// R, F - R P and the energy of a particle, that of F and the zero-energy term's
///   alpha mu V/2 sum_j V^_j w |F X - x_ji|^2.
struct NeoHookeanEnergy {
  static constexpr const char* name = "elastic neo-Hookean energy";
  ElasticShapeView shape;
  LaneView<const PreciseNumber> position;
  StepRotations rotations;
  LaneView<float> rotation, strain;  ///< R; F - R P in components 0 to 8; written
  View<double> energy;               ///< [J], written
  MERGANSER_METHOD void operator()(int item) const {
    using Real = PreciseLanes;
    const int i = first_of_item<Real>(item);
    const LaneView<const float>& at = shape.rest;
    const auto [f, r, e] = LocalStrain::of(shape, position, rotations, item);
    rotation.store_matrix(0, i, r);
    strain.store_matrix(0, i, e);
    const Real control = at.load<Real>(rest::control, i) * position_errors(shape, position, f, item);
    for (int lane = 0, lanes = lanes_of_item<Real>(item, shape.count); lane < lanes; ++lane)
      energy[i + lane] = neo_hookean_at(shape, i + lane).energy(lane_value(e, lane), lane_value(r, lane)) +
                         0.5 * lane_value(control, lane);
  }
};

/// h |u|^2/2 - (dt h g + p).u + E_i, of which a step's u is the minimum ([ES] eq. 25 with any energy): its
/// gradient is what the step leaves undone.
struct StepPotential {
  static constexpr const char* name = "elastic step potential";
  View<const double> energy;         ///< [J] at x + dt (v + u)
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed row
  View<const Vec3> u, impulse;       ///< [m/s]; [N s] p, or empty
  Vec3d gravity_change;              ///< [m/s] dt g
  MERGANSER_METHOD double operator()(int i) const {
    const double h = effective_mass[i];
    double sum = energy[i];
    if (!(h > 0)) return sum;
    const Vec3d own = to_double(u[i]);
    sum += 0.5 * h * norm_squared(own) - h * dot(gravity_change, own);
    if (!impulse.empty()) sum -= dot(to_double(impulse[i]), own);
    return sum;
  }
};

MERGANSER_END
