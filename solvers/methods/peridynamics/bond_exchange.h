#pragma once
/// Exchange of bonds with the energy and momentum of a step. See
/// solvers/observables/ledger/README.md.
#include "solvers/core/discarded_work.h"
#include "solvers/coupling/implicit/contact_walls.h"

MERGANSER_BEGIN

/// From BondQuadratics of the end velocities v', half of every bond at either end; A = k (n.w)^2 and B = k
/// (e a - ((e + a + s)^2 - e^2)/2), what the force at the beginning takes from the motion less what the bond
/// gains:
///   implicit   integration dt^2 A + B,  damping dt c A
///   explicit   integration B,           damping v'.(dt C v)
/// and less what the solve left undone (DiscardedWork); of walls ContactWallEntries.
/// A held particle is given -J_i, the impulse of its bonds, and does the work -J_i.v'_i.
struct BondExchange {
  static constexpr const char* name = "peridynamics ledger";
  DiscardedWork discarded;
  int first_particle;
  View<const Vec3> end_velocity;  ///< [m/s] v', local indices
  View<const Vec3> quadratics;    ///< [J/s^2] A, [J] B
  View<const Vec3> impulse;       ///< [N s] dt f(x0), explicit: with damping
  View<const Vec3> product;       ///< [N/s] implicit: sum_j k n (n.w); else empty
  View<const Vec3> braking;       ///< [N s] explicit: dt C v, or empty
  ContactWallEntries contact_walls;
  double dt, damping;  ///< [s]
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
    } else if (!braking.empty()) {
      exchange.damping = dot(to_double(braking[i]), v);
    }
    if (discarded.held.holds(first_particle + i)) {
      exchange.give(-internal, v);
      return exchange;
    }
    internal += contact_walls.add_to(exchange, i, v);
    exchange.integration -= discarded(first_particle + i, internal);
    return exchange;
  }
};

MERGANSER_END
