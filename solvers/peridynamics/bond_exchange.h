#pragma once
/// What bonds take from and give to the energy and momentum of a step. See solvers/ledger/README.md.
#include "solvers/ledger/step_ledger.h"

MERGANSER_BEGIN

/// From BondQuadratics of the end velocities v', half of every bond at either end; A = k (n.w)^2 along and B
/// = k (1 - |xi|/|y|) |w across|^2:
///   implicit   integration dt^2 (A - (A + B)/2),  damping dt c A
///   explicit   integration -dt^2 (A + B)/2,       damping v'.(dt C v)
/// A held particle is given -J_i, the impulse of its bonds, and does the work -J_i.v'_i.
struct BondExchange {
  static constexpr const char* name = "peridynamics ledger";
  HeldParticles held;
  int first_particle;
  View<const Vec3> end_velocity;  ///< [m/s] v', local indices
  View<const Vec3> quadratics;    ///< [J/s^2] A and B
  View<const Vec3> impulse;       ///< [N s] dt f(x0), explicit: with damping
  View<const Vec3> product;       ///< [N/s] implicit: sum_j k n (n.w); else empty
  View<const Vec3> braking;       ///< [N s] explicit: dt C v, or empty
  double dt, damping;             ///< [s]
  MERGANSER_METHOD StepExchange operator()(int i) const {
    StepExchange exchange;
    const Vec3d v = to_double(end_velocity[i]);
    const double along = 0.5 * quadratics[i].x, across = 0.5 * quadratics[i].y;
    Vec3d internal = to_double(impulse[i]);
    if (!product.empty()) {
      exchange.integration = 0.5 * dt * dt * (along - across);
      exchange.damping = dt * damping * along;
      internal += dt * (dt + damping) * to_double(product[i]);
    } else {
      exchange.integration = -0.5 * dt * dt * (along + across);
      if (!braking.empty()) exchange.damping = dot(to_double(braking[i]), v);
    }
    if (held.holds(first_particle + i)) exchange.give(-internal, v);
    return exchange;
  }
};

MERGANSER_END
