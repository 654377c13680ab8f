#pragma once
/// Stable Neo-Hookean energies and stresses of particles, in double, and the derivative of stresses. Where
/// neighbors span no space, F is made whole by the rotation's part across their span, F - R P + R with the
/// projector P.
#include "solvers/methods/elastic_sph/neo_hookean_derivative.h"
#include "solvers/methods/elastic_sph/rotations.h"

MERGANSER_BEGIN

/// That of the particles from i on, times their volumes.
template <class Real>
MERGANSER_FN NeoHookeanOf<Real> neo_hookean_at(const ElasticShapeView& shape, int i) {
  return NeoHookeanOf<Real>::of(lanes_of<Real>(0.5) * shape.rest.load<Real>(rest::stretching, i),
                                shape.rest.load<Real>(rest::dilation, i));
}

/// A rotation R that may stand in F = R + (F - R) for stress and energy, which are the same for all: where
/// neighbors span space the one at hand, which is that of positions close by; elsewhere that of f, for there
/// it makes F whole.
template <class Real>
MERGANSER_FN Matrix3<Real> rotation_near(const StepRotations& rotations, const Matrix3<Real>& f,
                                         const Matrix3<Real>& span, int item, int count) {
  const Real directions = span.x.x + span.y.y + span.z.z;
  return rotations.find_where(f, item, count, [&](int lane) { return lane_value(directions, lane) < 2.5; });
}

/// Components in which PositionStress leaves F - R and R for FindStressDerivative.
inline constexpr int derivative_strain = 0, derivative_rotation = 9;

/// The rotations of F, and the derivative of the stress, made positive, in place of the F that it belongs to.
struct FindStressDerivative {
  static constexpr const char* name = "elastic neo-hookean derivative";
  ElasticShapeView shape;
  StepRotations rotations;
  LaneView<float> rotated;  ///< R L, written
  LaneView<float> derivative;
  MERGANSER_METHOD void operator()(int item) const {
    const int i = first_of_item(item);
    auto strain = derivative.load_matrix<Lanes>(derivative_strain, i);
    const auto near = derivative.load_matrix<Lanes>(derivative_rotation, i);
    const Matrix3<Lanes> r = rotations.find(strain + near, item, shape.count);
    strain += near - r;
    rotated.store_matrix(turned::correction, i, r * shape.rest.load_symmetric<Lanes>(rest::correction, i));
    Lanes entry[derivative_entries];
    const Lanes least = derivative_with_turnings(neo_hookean_at<Lanes>(shape, i), strain, r, entry);
    for (int lane = 0, lanes = lanes_of_item<Lanes>(item, shape.count); lane < lanes; ++lane) {
      if (!(lane_value(least, lane) < 0)) continue;
      double missing[derivative_entries];
      missing_modes(neo_hookean_at<double>(shape, i + lane), matrix_cast<double>(lane_value(strain, lane)),
                    matrix_cast<double>(lane_value(r, lane)), missing);
      for (int e = 0; e < derivative_entries; ++e)
        set_lane(entry[e], lane, lane_value(entry[e], lane) + float(missing[e]));
    }
    for (int e = 0; e < derivative_entries; ++e) derivative.store(e, i, entry[e]);
  }
};

/// R (see rotation_near), F - R P and the energy of a particle, that of F and the zero-energy term's
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
    const Matrix3<Real> f =
        position_gradient_sum(shape, position, item) * at.load_symmetric<Real>(rest::correction, i);
    const auto span = at.load_symmetric<Real>(rest::span, i);
    const Matrix3<Real> r = rotation_near(rotations, f, span, item, shape.count), e = f - r * span;
    rotation.store_matrix(0, i, r);
    strain.store_matrix(0, i, e);
    const Real control = at.load<Real>(rest::control, i) * position_errors(shape, position, f, item);
    for (int lane = 0, lanes = lanes_of_item<Real>(item, shape.count); lane < lanes; ++lane)
      energy[i + lane] =
          neo_hookean_at<double>(shape, i + lane).energy(lane_value(e, lane), lane_value(r, lane)) +
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
