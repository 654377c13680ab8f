#pragma once
/// Rigid bodies in a pressure solve over several systems: forces on their particles become motions of bodies.
#include "device/group_sums.h"
#include "device/lanes.h"
#include "solvers/core/step_exchange.h"
#include "solvers/methods/rigid/rigid_motion.h"

MERGANSER_BEGIN

/// M^-1 on the motions that the joint allows; 0 of held bodies. One index a body.
struct BodyResponse {
  static constexpr const char* name = "rigid response";
  RigidView bodies;
  View<TwistMatrix> inverse;  ///< written
  MERGANSER_METHOD void operator()(int b) const {
    TwistMatrix matrix;
    matrix.add(bodies.moments(b));
    inverse[b] = bodies.inverse(b, matrix);
  }
};

/// Rows: bodies. f = sum J^T m a of the particles' own accelerations a; they become J M^-1 f.
struct MoveAsBodies {
  static constexpr const char* name = "rigid pressure";
  using Value = Twist;
  RigidView bodies;
  View<const TwistMatrix> inverse;
  View<const float> mass;   ///< [kg]
  View<const int> place;    ///< of a particle in `acceleration`
  View<Quad> acceleration;  ///< [m/s^2], updated
  View<Twist> force;        ///< [N], [N m] f, written
  MERGANSER_METHOD int begin(int b) const { return bodies.first[b]; }
  MERGANSER_METHOD int end(int b) const { return bodies.first[b + 1]; }
  MERGANSER_METHOD void add(Twist& sum, int b, int i) const {
    const Quad& a = acceleration[place[i]];
    sum += impulse_at(bodies.arm(b, i), double(mass[i]) * Vec3d{a.x, a.y, a.z});
  }
  MERGANSER_METHOD static Twist identity() { return {}; }
  MERGANSER_METHOD static Twist combine(const Twist& a, const Twist& b) { return a + b; }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const { force[b] = sum; }
  MERGANSER_METHOD Twist share(int b, const Twist& sum) const { return inverse[b] * sum; }
  MERGANSER_METHOD void spread(int b, int i, const Twist& motion) const {
    const Vec3 a = to_float(motion.at(bodies.arm(b, i)));
    acceleration[place[i]] = {a.x, a.y, a.z, 0};
  }
};

/// Momenta by forces over a time. One index a body.
struct PushBodies {
  static constexpr const char* name = "rigid push";
  RigidView bodies;
  View<const Twist> force;  ///< [N], [N m]
  double dt;                ///< [s]
  View<Twist> pushed;       ///< [N s] dt f, written
  View<Twist> velocity;     ///< at the new momenta, written
  MERGANSER_METHOD void operator()(int b) const {
    pushed[b] = dt * force[b];
    if (bodies.joint[b] == RigidJoint::held) return;
    const Twist momenta = momenta_allowed(bodies.joint[b], bodies.axis[b], bodies.momenta(b) + pushed[b]);
    bodies.momentum[b] = momenta.linear;
    bodies.angular_momentum[b] = momenta.angular;
    velocity[b] = bodies.velocities(b, momenta);
  }
};

/// Impulses given beside those of groups. One index a body.
struct GiveByPressure {
  static constexpr const char* name = "rigid given by pressure";
  View<const Twist> force;     ///< [N], [N m]
  double dt;                   ///< [s]
  View<const Twist> velocity;  ///< without pressure
  View<Twist> given;           ///< [N s], added to
  View<Twist> pressed;         ///< [N s] dt f, written
  View<Twist> before;          ///< copy of `velocity`, written
  MERGANSER_METHOD void operator()(int b) const {
    pressed[b] = dt * force[b];
    given[b] += pressed[b];
    before[b] = velocity[b];
  }
};

/// End velocities of particles of bodies that pressure has moved; those in groups get the change of their
/// body's motion on top of what groups gave them.
struct PressedEndVelocity {
  static constexpr const char* name = "rigid pressed end velocity";
  RigidView bodies;
  View<const Twist> before, velocity;
  View<const int> tied;     ///< per particle: 1 where it is in a group; empty: none is
  View<Vec3> end_velocity;  ///< [m/s] of the system's particles, updated
  MERGANSER_METHOD void operator()(int i) const {
    const int b = bodies.body_of[i];
    if (bodies.joint[b] == RigidJoint::held) return;
    const Vec3d arm = bodies.arm(b, i);
    if (!tied.empty() && tied[i])
      end_velocity[i] += to_float((velocity[b] - before[b]).at(arm));
    else
      end_velocity[i] = to_float(velocity[b].at(arm));
  }
};

/// Ledger of what pressure gave to bodies: dt f before the step, whose kinetic energy the solve counts, and
/// dt f within it, of which f.v' leaves the pressure solve and enters the motion. Joints hold against both,
/// and who holds a body takes all.
struct PressedExchange {
  static constexpr const char* name = "rigid pressure exchange";
  RigidView bodies;
  View<const Twist> pushed, pressed, velocity;  ///< [N s], [N s], v'
  MERGANSER_METHOD StepExchange operator()(int b) const {
    StepExchange exchange;
    const RigidJoint joint = bodies.joint[b];
    if (joint == RigidJoint::held) {
      exchange.impulse = -1.0 * (pushed[b].linear + pressed[b].linear);
      return exchange;
    }
    exchange.integration = -dot(pressed[b], velocity[b]);
    if (joint == RigidJoint::free) return exchange;
    const Vec3d centre = rotated(bodies.turn[b], bodies.offset[b]);
    exchange.impulse = bodies.mass[b] * bodies.velocities(b, pushed[b]).at(centre) - pushed[b].linear;
    return exchange;
  }
};

MERGANSER_END
