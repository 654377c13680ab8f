#pragma once
/// Kernels of the elastic steps beyond the forces. Local indices throughout.
#include "solvers/core/discarded_work.h"
#include "solvers/coupling/implicit/contact_walls.h"
#include "solvers/coupling/implicit/reduced_unknowns.h"
#include "solvers/methods/elastic_sph/elastic_shape.h"
#include "solvers/methods/elastic_sph/neo_hookean.h"

MERGANSER_BEGIN

/// b_i += dt h g + p_i, zero on fixed rows.
struct AddGravityImpulse {
  static constexpr const char* name = "elastic right side";
  View<const float> effective_mass;  ///< [kg] h, 0 = fixed row
  View<const Vec3> impulse;          ///< [N s] p, or empty
  Vec3 gravity;                      ///< [m/s^2]
  float dt, impulse_share;           ///< [s]; of p
  View<Vec3> right_side;             ///< [N s], updated
  MERGANSER_METHOD void operator()(int i) const {
    Vec3 sum = right_side[i] + (dt * effective_mass[i]) * gravity;
    if (!impulse.empty()) sum += impulse_share * impulse[i];
    right_side[i] = effective_mass[i] > 0 ? sum : Vec3{0, 0, 0};
  }
};

template <class Real>
struct SumEnergies {
  static constexpr const char* name = "elastic energy sum";
  View<const Real> energy;
  MERGANSER_METHOD double operator()(int i) const { return energy[i]; }
};

/// Cauchy stress s = P F^T / det F with P = 2 mu (F - R) + lambda tr(R^T F - 1) R, symmetric up to F - R, or
/// NeoHookean::stress(); its
/// von Mises measure, and det F. Flat or inverted particles show the stress without the division.
template <bool neo_hookean>
struct ElasticOutput {
  static constexpr const char* name = "elastic output";
  LaneView<const float> rest, rotation, strain;
  View<const float> volume;  ///< [m^3] of the nominal particle, by body
  View<const int> body;
  View<float> stress, volume_ratio;  ///< [Pa], 1; written
  MERGANSER_METHOD void operator()(int i) const {
    const auto e = strain.load_matrix<float>(0, i), r = rotation.load_matrix<float>(0, i);
    const Matrix3<float> f = e + r * rest.load_symmetric<float>(rest::span, i);
    const float trace = contract(r, e);
    Matrix3<float> p = rest.load<float>(rest::stretching, i) * e;
    p += (rest.load<float>(rest::dilation, i) * trace) * r;
    if constexpr (neo_hookean) {
      const NeoHookean material =
          NeoHookean::of(0.5 * rest.load<float>(rest::stretching, i), rest.load<float>(rest::dilation, i));
      const Matrix3<float> whole = e + r;
      const Matrix3<double> stress =
          material.stress({to_double(whole.x), to_double(whole.y), to_double(whole.z)});
      p = {to_float(stress.x), to_float(stress.y), to_float(stress.z)};
    }
    const float j = determinant(f), v = volume[body[i]] * rest.load<float>(rest::volume, i);
    const Matrix3<float> s = (1 / (v * (j > 0.01f ? j : 1.0f))) * (p * transposed(f));
    const float xy = 0.5f * (s.x.y + s.y.x), xz = 0.5f * (s.x.z + s.z.x), yz = 0.5f * (s.y.z + s.z.y);
    const float a = s.x.x - s.y.y, b = s.y.y - s.z.z, c = s.z.z - s.x.x;
    stress[i] = sqrtf(0.5f * (a * a + b * b + c * c) + 3 * (xy * xy + xz * xz + yz * yz));
    volume_ratio[i] = j;
  }
};

/// Entries of elastic bodies for the energy and momentum of a step
/// (solvers/observables/ledger/README.md), from the forces f at x + dt v' with the step's rotations and their
/// change K dx, dx = dt v':
///   integration   dx.K dx / 2 of the energy at those rotations (of Neo-Hookean bodies: the energy's loss
///                 less f.dx, the part -f.dx of which is made of a K v' = -2 f/dt), less what the solve left
///                 undone (DiscardedWork) of dt f, the explicit control's impulse and the walls'
///   walls, work   ContactWallEntries
///   held i        is given -dt f_i and does the work -dt f_i.v'_i
struct ElasticExchange {
  static constexpr const char* name = "elastic ledger";
  DiscardedWork discarded;
  int first_particle;
  View<const Vec3> end_velocity;  ///< [m/s] v', local indices
  View<const Vec3> force;         ///< [N] f at the end
  View<const Vec3> stiffness;     ///< [N/s] K v'
  ContactWallEntries contact_walls;
  View<const Vec3> control;  ///< [N s] of the explicit control, or empty
  double dt;
  MERGANSER_METHOD StepExchange operator()(int i) const {
    StepExchange exchange;
    const Vec3d v = to_double(end_velocity[i]);
    exchange.integration = 0.5 * dt * dt * dot(v, to_double(stiffness[i]));
    Vec3d impulse = dt * to_double(force[i]);
    if (discarded.held.holds(first_particle + i)) exchange.give(-impulse, v);
    if (!control.empty()) impulse += to_double(control[i]);
    impulse += contact_walls.add_to(exchange, i, v);
    exchange.integration -= discarded(first_particle + i, impulse);
    return exchange;
  }
};

/// Change of velocity of a split step: dt/dt_el (first + second part), none on fixed rows.
struct SplitChange {
  static constexpr const char* name = "elastic split change";
  float share;  ///< dt/dt_el
  View<const float> effective_mass;
  View<const Vec3> volume_change;
  View<Vec3> change;  ///< [m/s] of stretching, updated
  MERGANSER_METHOD void operator()(int i) const {
    change[i] = effective_mass[i] > 0 ? share * (change[i] + volume_change[i]) : Vec3{0, 0, 0};
  }
};
/// b - h u: summed over a free body the momentum that u misses.
struct MissingMomentum {
  static constexpr const char* name = "elastic missing momentum";
  View<const float> effective_mass;
  View<const Vec3> right_side, u;
  View<Vec3> missing;
  MERGANSER_METHOD void operator()(int i) const { missing[i] = right_side[i] - effective_mass[i] * u[i]; }
};
struct ScaleVectors {
  static constexpr const char* name = "elastic scaled vectors";
  View<const Vec3> from;
  float factor;
  View<Vec3> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = factor * from[i]; }
};
struct AddVectors {
  static constexpr const char* name = "elastic sum of vectors";
  View<const Vec3> a, b;
  View<Vec3> sum;
  MERGANSER_METHOD void operator()(int i) const { sum[i] = a[i] + b[i]; }
};
struct SubtractVectors {
  static constexpr const char* name = "elastic difference of vectors";
  View<const Vec3> a, b;
  View<Vec3> difference;
  MERGANSER_METHOD void operator()(int i) const { difference[i] = a[i] - b[i]; }
};
struct AddToStore {
  static constexpr const char* name = "elastic end velocity";
  int first_particle;
  View<const Vec3> start, change;  ///< [m/s]
  View<Vec3> end_velocity;         ///< [m/s] indexed like the store, written
  MERGANSER_METHOD void operator()(int i) const { end_velocity[first_particle + i] = start[i] + change[i]; }
};
struct AccelerationOf {
  static constexpr const char* name = "elastic acceleration";
  int first_particle;
  View<const Vec3> start, end;  ///< [m/s] of the store
  float inverse_step;           ///< [1/s]
  View<Vec3> acceleration;      ///< local, written
  MERGANSER_METHOD void operator()(int i) const {
    acceleration[i] = inverse_step * (end[first_particle + i] - start[first_particle + i]);
  }
};

MERGANSER_END
