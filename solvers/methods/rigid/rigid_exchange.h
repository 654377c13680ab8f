#pragma once
/// Entries of rigid bodies in the ledger (solvers/observables/ledger/README.md).
#include "solvers/core/step_exchange.h"
#include "solvers/methods/rigid/wall_impulses.h"

MERGANSER_BEGIN

/// Impulses of walls and joints on a body over the step. A wall's p takes the energy -p.(u + u')/2, u and u'
/// the velocities at its place before and after; a joint does no work. The ledger counts sum m (v' - v)^2/2
/// as integration, of which p.(u' - u)/2 is the impact's. One index a body.
struct RigidExchange {
  static constexpr const char* name = "rigid exchange";
  RigidView bodies;
  RigidStepView step;
  int touches;  ///< of a body, at most
  View<const WallTouch> touch;
  Vec3d gravity;  ///< [m/s^2]
  double dt;      ///< [s]
  MERGANSER_METHOD StepExchange operator()(int b) const {
    StepExchange exchange;
    if (bodies.joint[b] == RigidJoint::held) return exchange;
    const Twist start = bodies.velocities(b, bodies.momenta(b)), end = step.velocity[b];
    for (int k = b * touches; k < (b + 1) * touches; ++k) {
      if (touch[k].particle < 0) continue;
      const Vec3d impulse = touch[k].impulse, arm = touch[k].arm;
      exchange.wall_impulse += impulse;
      exchange.walls -= 0.5 * dot(impulse, start.at(arm) + end.at(arm));
      exchange.integration -= 0.5 * dot(impulse, end.at(arm) - start.at(arm));
    }
    if (bodies.joint[b] == RigidJoint::free) return exchange;
    const Vec3d centre = rotated(bodies.turn[b], bodies.offset[b]);
    exchange.impulse = bodies.mass[b] * (end.at(centre) - start.at(centre) - dt * gravity) -
                       exchange.wall_impulse - step.given[b].linear;
    return exchange;
  }
};

MERGANSER_END
