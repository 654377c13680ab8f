#pragma once
/// Motion of bodies in a step, and of their particles with them.
#include "device/sum_of.h"
#include "solvers/core/step_exchange.h"
#include "solvers/methods/rigid/wall_impulses.h"

MERGANSER_BEGIN

/// A motion that a held body is told.
struct ToldMotion {
  Vec3d velocity, angular_velocity, centre;  ///< [m/s], [rad/s], [m] at the start time
  double start_time, end_time;               ///< [s]
};

/// The next pose of held bodies. Each motion turns the body about its centre, which moves with its velocity.
/// One index a body.
struct FollowMotions {
  static constexpr const char* name = "rigid held bodies";
  RigidView bodies;
  View<const int> first;  ///< of a body's motions, one more at the end
  View<const ToldMotion> motion;
  double time, dt;             ///< [s]
  View<Vec3d> next_place;      ///< [m], written
  View<Quaternion> next_turn;  ///< written
  MERGANSER_METHOD void operator()(int b) const {
    Vec3d place = bodies.place[b];
    Quaternion turn = bodies.turn[b];
    for (int k = first[b]; k < first[b + 1]; ++k) {
      const ToldMotion& told = motion[k];
      const double from = fmax(time, told.start_time), span = fmin(time + dt, told.end_time) - from;
      if (!(span > 0)) continue;
      const double speed = norm(told.angular_velocity);
      const Vec3d centre = told.centre + (from - told.start_time) * told.velocity;
      if (speed > 0) {
        const Quaternion by = rotation_about(told.angular_velocity / speed, span * speed);
        place = centre + rotated(by, place - centre);
        turn = normalized(by * turn);
      }
      place += span * told.velocity;
    }
    next_place[b] = place;
    next_turn[b] = turn;
  }
};

/// What held particles move with: from this pose to the next one.
struct HeldVelocity {
  static constexpr const char* name = "rigid held velocities";
  RigidView bodies;
  View<const Vec3d> next_place;
  View<const Quaternion> next_turn;
  double dt;            ///< [s]
  View<Vec3> velocity;  ///< [m/s] of the system's particles, written
  MERGANSER_METHOD void operator()(int i) const {
    const int b = bodies.body_of[i];
    if (bodies.joint[b] != RigidJoint::held) return;
    const Vec3d arm = to_double(bodies.rest[i]);
    const Vec3d way =
        next_place[b] - bodies.place[b] + rotated(next_turn[b], arm) - rotated(bodies.turn[b], arm);
    velocity[i] = to_float(way / dt);
  }
};

/// v + omega x r of every particle that is not held; held ones keep the velocity that they were told.
struct RigidEndVelocity {
  static constexpr const char* name = "rigid end velocity";
  RigidView bodies;
  View<const Twist> twist;
  View<const Vec3> velocity;
  View<Vec3> end_velocity;  ///< [m/s] of the system's particles, written
  MERGANSER_METHOD void operator()(int i) const {
    const int b = bodies.body_of[i];
    end_velocity[i] =
        bodies.joint[b] == RigidJoint::held ? velocity[i] : to_float(twist[b].at(bodies.arm(b, i)));
  }
};

/// What groups have changed of a body beside `given`: momenta of the velocities that its members advanced
/// with, and of those that they split with, relative to the body's own.
struct MemberMomenta {
  Twist advanced, split;
};

/// New poses and momenta. One index a body. The bodies' angular momentum is constant in the world but for
/// what acts on them, whatever their shape.
struct AdvanceBodies {
  static constexpr const char* name = "rigid advance";
  RigidView bodies;
  RigidStepView step;
  View<const MemberMomenta> members;
  View<const Vec3d> next_place;
  View<const Quaternion> next_turn;
  WallView walls;
  View<const WallTouch> touch;
  View<const float> radius;  ///< [m] of the system's particles
  double dt;                 ///< [s]

  MERGANSER_METHOD void operator()(int b) const {
    if (bodies.joint[b] == RigidJoint::held) {
      bodies.place[b] = next_place[b];
      bodies.turn[b] = next_turn[b];
      return;
    }
    const Twist advancing = step.momenta[b] + members[b].advanced, velocity = bodies.velocities(b, advancing),

                end = momenta_allowed(bodies.joint[b], bodies.axis[b], step.momenta[b] + members[b].split);
    bodies.place[b] += dt * velocity.linear;
    if (bodies.joint[b] == RigidJoint::hinge)
      bodies.turn[b] = normalized(rotation_about(bodies.axis[b], dt * dot(velocity.angular, bodies.axis[b])) *
                                  bodies.turn[b]);
    else if (bodies.joint[b] != RigidJoint::slider)
      bodies.turn[b] = turned_freely(bodies.turn[b], advancing.angular, bodies.inertia[b], dt);
    bodies.momentum[b] = end.linear;
    bodies.angular_momentum[b] = end.angular;
    if (bodies.joint[b] == RigidJoint::free) push_out(b);
  }

 private:
  /// Moves the body as a whole out of walls; its momentum stays.
  MERGANSER_METHOD void push_out(int b) const {
    const int first = b * walls.count * touches_of_wall, end = first + walls.count * touches_of_wall;
    constexpr int sweeps = 3;
    // Of a radius: rounding must not let resting bodies jump, nor a cylinder that tilts from its circle to
    // its particles.
    const double allowed_depth = bodies.is_cylinder(b) ? 0.5 : 1e-3;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (int k = first; k < end; ++k) {
        const int i = touch[k].particle;
        if (i < 0) continue;
        const SurfacePoint point = surface_point(bodies, walls[touch[k].wall], b, i,
                                                 to_float(bodies.place[b] + bodies.arm(b, i)), radius[i]);
        const double depth = -point.gap - allowed_depth * double(radius[i]);
        if (depth > 0) bodies.place[b] += depth * to_double(point.at.normal);
      }
  }
};

/// Particles at their places on the bodies, with their velocities. The sum says what that changed of what the
/// step left: energy, which counts as integration, and the impulses of joints.
struct PlaceParticles {
  static constexpr const char* name = "rigid particles";
  RigidView bodies;
  View<const Twist> velocity_of_body;  ///< at the new pose
  View<const float> mass;
  Vec3d gravity;                  ///< [m/s^2]
  View<Vec3> position, velocity;  ///< [m], [m/s] of the system's particles, updated
  MERGANSER_METHOD StepExchange operator()(int i) const {
    StepExchange exchange;
    const int b = bodies.body_of[i];
    const Vec3d arm = bodies.arm(b, i), x = to_double(position[i]), v = to_double(velocity[i]);
    position[i] = to_float(bodies.place[b] + arm);
    if (bodies.joint[b] == RigidJoint::held) return exchange;
    velocity[i] = to_float(velocity_of_body[b].at(arm));
    const Vec3d moved = to_double(position[i]) - x, now = to_double(velocity[i]);
    const double m = mass[i];
    exchange.integration = m * (dot(gravity, moved) + 0.5 * dot(v - now, v + now));
    if (bodies.joint[b] != RigidJoint::free) exchange.impulse = m * (now - v);
    return exchange;
  }
};

/// Velocities of the bodies as they lie.
struct BodyVelocities {
  static constexpr const char* name = "rigid velocities";
  RigidView bodies;
  View<Twist> velocity;  ///< written
  MERGANSER_METHOD void operator()(int b) const {
    if (bodies.joint[b] != RigidJoint::held) velocity[b] = bodies.velocities(b, bodies.momenta(b));
  }
};

MERGANSER_END
