#pragma once
/// Rigid bodies in a pressure solve over several systems: forces on their particles become motions of bodies.
#include "device/group_sums.h"
#include "device/lanes.h"
#include "solvers/core/system.h"
#include "solvers/methods/rigid/rigid_motion.h"

MERGANSER_BEGIN

/// Rows: bodies. Groups of merging-and-splitting that a body is tied to move with it: with X = sum (M - m)
/// J^T J over its tied particles, M the group's mass and m the particle's, it answers forces with (M_b +
/// X)^-1 on the motions that the joint allows. Immobile groups weigh a thousand bodies.
struct BodyResponse {
  static constexpr const char* name = "rigid response";
  using Value = MassMoments;
  RigidView bodies;
  View<const int> tied;  ///< per particle; empty: none is
  View<const Vec3d> arm;
  View<const float> mass;  ///< [kg] of the system's particles
  MetaParticleView groups;
  int first_particle;         ///< of the store
  View<MassMoments> carried;  ///< of X, written
  View<TwistMatrix> inverse;  ///< written
  View<Twist> pressed;        ///< none yet, written
  MERGANSER_METHOD int begin(int b) const { return bodies.first[b]; }
  MERGANSER_METHOD int end(int b) const { return tied.empty() ? begin(b) : bodies.first[b + 1]; }
  MERGANSER_METHOD void add(Value& sum, int b, int i) const {
    if (!tied[i]) return;
    const float of_group = groups.inverse_mass[groups.group_of[first_particle + i]];
    sum.add(of_group > 0 ? 1 / double(of_group) - mass[i] : 1000 * bodies.mass[b], arm[i]);
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int b, const Value& sum) const {
    TwistMatrix matrix;
    matrix.add(bodies.moments(b));
    matrix.add(sum);
    carried[b] = sum;
    inverse[b] = bodies.inverse(b, matrix);
    pressed[b] = {};
  }
};

/// Rows: bodies. f = sum J^T m a of the particles' own accelerations a; they become J (M_b + X)^-1 f.
struct MoveAsBodies {
  static constexpr const char* name = "rigid pressure";
  using Value = Twist;
  RigidView bodies;
  View<const int> active;  ///< 0: nothing is done
  View<const TwistMatrix> inverse;
  View<const float> mass;   ///< [kg]
  View<const int> place;    ///< of a particle in `acceleration`; -1 of a body that waits for its start
  View<Quad> acceleration;  ///< [m/s^2], updated
  View<Twist> force;        ///< [N], [N m] f, written
  MERGANSER_METHOD int begin(int b) const { return bodies.first[b]; }
  MERGANSER_METHOD int end(int b) const {
    return active[0] && place[begin(b)] >= 0 ? bodies.first[b + 1] : begin(b);
  }
  MERGANSER_METHOD void add(Twist& sum, int b, int i) const {
    const Quad& a = acceleration[place[i]];
    sum += impulse_at(bodies.arm(b, i), double(mass[i]) * Vec3d{a.x, a.y, a.z});
  }
  MERGANSER_METHOD static Twist identity() { return {}; }
  MERGANSER_METHOD static Twist combine(const Twist& a, const Twist& b) { return a + b; }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const {
    if (active[0]) force[b] = sum;
  }
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
  View<Twist> pushed;       ///< [N s] dt f is added
  View<Twist> velocity;     ///< at the new momenta, written
  MERGANSER_METHOD void operator()(int b) const {
    const Twist now = dt * force[b];
    pushed[b] += now;
    if (bodies.joint[b] == RigidJoint::held) return;
    const Twist momenta = momenta_allowed(bodies.joint[b], bodies.axis[b], bodies.momenta(b) + now);
    bodies.momentum[b] = momenta.linear;
    bodies.angular_momentum[b] = momenta.angular;
    velocity[b] = bodies.velocities(b, momenta);
  }
};

/// What pressure gives to bodies, less what they pass on to groups. One index a body.
struct GiveByPressure {
  static constexpr const char* name = "rigid given by pressure";
  View<const Twist> force;  ///< [N], [N m]
  View<const TwistMatrix> inverse;
  View<const MassMoments> carried;  ///< of X
  double dt;                        ///< [s]
  View<Twist> pressed;              ///< [N s] dt f is added
  View<Twist> change;               ///< dq = (M_b + X)^-1 dt f, written
  View<Twist> given;                ///< [N s] dt f - X dq is added
  MERGANSER_METHOD void operator()(int b) const {
    const Twist impulse = dt * force[b];
    pressed[b] += impulse;
    change[b] = inverse[b] * impulse;
    TwistMatrix passed_on;
    passed_on.add(carried[b]);
    given[b] += impulse - passed_on * change[b];
  }
};

/// Rows: groups. All members take part in dq of the bodies that the group is tied to.
struct CarryGroups {
  static constexpr const char* name = "rigid carried groups";
  using Value = Vec3d;
  RigidView bodies;
  View<const int> tied;
  View<const Vec3d> arm;
  View<const Twist> change;  ///< dq
  MetaParticleView groups;
  Range own;                ///< the system's particles
  View<Vec3> end_velocity;  ///< [m/s] of the store, updated
  MERGANSER_METHOD int begin(int g) const { return groups.first[g]; }
  MERGANSER_METHOD int end(int g) const {
    return groups.inverse_mass[g] > 0 ? groups.first[g + 1] : begin(g);
  }
  MERGANSER_METHOD void add(Vec3d& sum, int, int k) const {
    const int i = groups.member[k] - own.first;
    if (i < 0 || i >= own.count || !tied[i]) return;
    sum += change[bodies.body_of[i]].at(arm[i]);
  }
  MERGANSER_METHOD static Vec3d identity() { return {0, 0, 0}; }
  MERGANSER_METHOD static Vec3d combine(const Vec3d& a, const Vec3d& b) { return a + b; }
  MERGANSER_METHOD Vec3 share(int, const Vec3d& sum) const { return to_float(sum); }
  MERGANSER_METHOD void spread(int, int k, const Vec3& v) const { end_velocity[groups.member[k]] += v; }
};

/// End velocities of particles that are in no group.
struct PressedEndVelocity {
  static constexpr const char* name = "rigid pressed end velocity";
  RigidView bodies;
  View<const Twist> velocity;
  View<const int> tied;     ///< per particle: 1 where it is in a group; empty: none is
  View<Vec3> end_velocity;  ///< [m/s] of the system's particles, written
  MERGANSER_METHOD void operator()(int i) const {
    const int b = bodies.body_of[i];
    if (bodies.joint[b] == RigidJoint::held || (!tied.empty() && tied[i])) return;
    end_velocity[i] = to_float(velocity[b].at(bodies.arm(b, i)));
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
