#pragma once
/// What bonds take from and give to the energy and momentum of a step. See solvers/ledger/README.md.
#include "solvers/advance/advance.h"
#include "solvers/ledger/step_ledger.h"

MERGANSER_BEGIN

/// Velocities with which positions advance once they are rounded.
struct RoundedVelocity {
  static constexpr const char* name = "peridynamics rounded velocity";
  View<const Vec3> position, end_velocity;  ///< [m], [m/s], local indices
  float dt;                                 ///< [s]
  View<Vec3> rounded;                       ///< [m/s], written
  MERGANSER_METHOD void operator()(int i) const {
    rounded[i] = (1 / dt) * (advanced(position[i], end_velocity[i], dt) - position[i]);
  }
};

/// From BondQuadratics of the end velocities v', half of every bond at either end; A = k (n.w)^2 and B = k
/// (e a - ((e + a + s)^2 - e^2)/2), what the force at the beginning takes from the motion less what the bond
/// gains:
///   implicit   integration dt^2 A + B,  damping dt c A
///   explicit   integration B,           damping v'.(dt C v); B over the way that rounding leaves of dt v',
///   and of
///              the rest of the way -f(x0): steps are so short that rounding moves bodies as much as they
///              move
/// and less what the solve left undone (UndoneWork).
/// A held particle is given -J_i, the impulse of its bonds, and does the work -J_i.v'_i.
struct BondExchange {
  static constexpr const char* name = "peridynamics ledger";
  UndoneWork undone;
  int first_particle;
  View<const Vec3> end_velocity;    ///< [m/s] v', local indices
  View<const Vec3> quadratics;      ///< [J/s^2] A, [J] B
  View<const Vec3> impulse;         ///< [N s] dt f(x0), explicit: with damping
  View<const Vec3> product;         ///< [N/s] implicit: sum_j k n (n.w); else empty
  View<const Vec3> braking;         ///< [N s] explicit: dt C v, or empty
  View<const Vec3> force, rounded;  ///< [N] explicit: f(x0), [m/s] velocity of the rounded way; else empty
  double dt, damping;               ///< [s]
  MERGANSER_METHOD StepExchange operator()(int i) const {
    StepExchange exchange;
    const Vec3d v = to_double(end_velocity[i]);
    const double along = 0.5 * quadratics[i].x;
    exchange.integration = 0.5 * quadratics[i].y;
    Vec3d internal = to_double(impulse[i]);
    if (!product.empty()) {
      exchange.integration += dt * dt * along;
      exchange.damping = dt * damping * along;
      internal += dt * (dt + damping) * to_double(product[i]);
    } else {
      exchange.integration += dt * dot(to_double(force[i]), to_double(rounded[i]) - v);
      if (!braking.empty()) exchange.damping = dot(to_double(braking[i]), v);
    }
    if (undone.held.holds(first_particle + i))
      exchange.give(-internal, v);
    else
      exchange.integration -= undone(first_particle + i, internal);
    return exchange;
  }
};

MERGANSER_END
