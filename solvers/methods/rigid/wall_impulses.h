#pragma once
/// Impulses of walls on bodies: projected Gauss-Seidel over the touches of a body, in their order (sequential
/// impulses: Catto 2005; Moreau 1988). At every touch, u relative to the wall,
///   u_n >= target,  p_n >= 0,  p_n (u_n - target) = 0,   |p_t| <= mu p_n, against the sliding (Coulomb).
#include "solvers/methods/rigid/wall_touches.h"

MERGANSER_BEGIN

/// What moves a body in a step, one entry a body.
struct RigidStepView {
  View<Twist> given;     ///< [N s] by groups
  View<Twist> momenta;   ///< at the end: with gravity, groups and walls
  View<Twist> velocity;  ///< at the end
};

/// Momenta and velocities at the end of the step. One index a body.
struct MeetWalls {
  static constexpr const char* name = "rigid walls";
  RigidView bodies;
  RigidStepView step;
  WallView walls;
  View<WallTouch> touch;
  Vec3d gravity;      ///< [m/s^2]
  double dt;          ///< [s]
  int iterations;     ///< at most
  bool from_pressed;  ///< begin with the impulses that a solve has found (pressing_walls.h)

  MERGANSER_METHOD void operator()(int b) const {
    if (bodies.joint[b] == RigidJoint::held) return;
    const Vec3d weight = dt * bodies.mass[b] * gravity;
    const Twist momenta =
        bodies.momenta(b) + step.given[b] + impulse_at(rotated(bodies.turn[b], bodies.offset[b]), weight);
    TwistMatrix matrix;
    matrix.add(bodies.moments(b));
    const TwistMatrix inverse = bodies.inverse(b, matrix);
    Twist velocity = bodies.velocities(b, momenta), from_walls;
    const int first = b * walls.count * touches_of_wall, end = first + walls.count * touches_of_wall;
    for (int k = first; k < end; ++k) {
      const bool known = from_pressed && touch[k].stiffness > 0;
      touch[k].impulse = known ? touch[k].pressed : Vec3d{0, 0, 0};
      touch[k].normal_impulse = dot(touch[k].impulse, touch[k].normal);
      from_walls += impulse_at(touch[k].arm, touch[k].impulse);
    }
    velocity += inverse * from_walls;
    for (int sweep = 0; sweep < iterations; ++sweep) {
      double changed = 0, all = 0;
      for (int k = first; k < end; ++k)
        if (touch[k].particle >= 0) press(touch[k], inverse, velocity, from_walls, changed, all);
      if (!(changed > 1e-20 * all)) break;  // of the impulses 1e-10
    }
    step.momenta[b] = momenta + from_walls;
    step.velocity[b] = velocity;
  }

 private:
  /// [1/kg] change of the velocity along a unit vector by an impulse along it.
  MERGANSER_METHOD static double response(const TwistMatrix& inverse, const Vec3d& arm, const Vec3d& along) {
    const Twist unit = impulse_at(arm, along);
    return dot(unit, inverse * unit);
  }
  MERGANSER_METHOD void press(WallTouch& at, const TwistMatrix& inverse, Twist& velocity, Twist& from_walls,
                              double& changed, double& all) const {
    const Wall& wall = walls[at.wall];
    const Vec3d before = at.impulse;
    const double w = response(inverse, at.arm, at.normal);
    if (!(w > 0)) return;
    Vec3d u = velocity.at(at.arm) - at.wall_velocity;
    const double pressed = fmax(0.0, at.normal_impulse + (at.target - dot(u, at.normal)) / w);
    apply(at, inverse, (pressed - at.normal_impulse) * at.normal, velocity, from_walls);
    at.normal_impulse = pressed;
    u = velocity.at(at.arm) - at.wall_velocity;
    const Vec3d sliding = u - dot(u, at.normal) * at.normal;
    const double speed = norm(sliding);
    Vec3d friction = at.impulse - dot(at.impulse, at.normal) * at.normal;
    const Vec3d old = friction;
    if (speed > 0) friction -= sliding / response(inverse, at.arm, sliding / speed);
    const double size = norm(friction), most = double(wall.friction) * pressed;
    if (size > most) friction *= most / size;
    apply(at, inverse, friction - old, velocity, from_walls);
    changed += norm_squared(at.impulse - before);
    all += norm_squared(at.impulse);
  }
  MERGANSER_METHOD static void apply(WallTouch& at, const TwistMatrix& inverse, const Vec3d& impulse,
                                     Twist& velocity, Twist& from_walls) {
    const Twist given = impulse_at(at.arm, impulse);
    at.impulse += impulse;
    from_walls += given;
    velocity += inverse * given;
  }
};

MERGANSER_END
