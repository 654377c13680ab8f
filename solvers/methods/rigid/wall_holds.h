#pragma once
/// Walls that hold a body in the solve with groups that other solids share (of rigid bodies alone:
/// pressing_walls.h): those that press, and across their normal where friction
/// does not give way. Nobody knows before the solve which they are, and a wall that pulled, or held against
/// more than its friction, would let a light body stop a heavy one. So the solve is repeated until they
/// agree: an active-set method, started from what presses without groups. After some solves walls only let
/// go: one that then lacks stops the body afterwards, which takes energy, where one too many would give it.
#include "device/atomics.h"
#include "solvers/methods/rigid/wall_impulses.h"

MERGANSER_BEGIN

/// Stiffness of ties and holds relative to the body's mass: what a step does to a tied particle differs from
/// what it does to the body by a 500th.
inline constexpr double tie_strength = 500;

/// Adds W to the matrix of body b.
MERGANSER_FN void add_wall_terms(const RigidView& bodies, int walls, const View<const WallTouch>& touch,
                                 double strength, int b, TwistMatrix& matrix) {
  const double size = strength * bodies.mass[b];
  const int first = b * walls * touches_of_wall, end = first + walls * touches_of_wall;
  for (int k = first; k < end; ++k) {
    if (touch[k].hold == WallHold::sticking) {
      MassMoments stuck;
      stuck.add(size, touch[k].arm);
      matrix.add(stuck);
    } else if (touch[k].hold == WallHold::sliding) {
      matrix.add_outer(size, impulse_at(touch[k].arm, touch[k].normal));
    }
  }
}

/// What holds without groups. A rebound is the body's alone: a wall that held it would throw all that lies on
/// the body as well. One index a touch.
struct HoldTouches {
  static constexpr const char* name = "rigid holds";
  WallView walls;
  View<WallTouch> touch;
  MERGANSER_METHOD void operator()(int k) const {
    WallTouch& at = touch[k];
    at.hold = WallHold::none;
    if (at.particle < 0 || at.target > 0 || !(at.normal_impulse > 0)) return;
    const Vec3d across = at.impulse - at.normal_impulse * at.normal;
    const bool sticks = norm(across) < 0.999 * double(walls[at.wall].friction) * at.normal_impulse;
    at.hold = sticks ? WallHold::sticking : WallHold::sliding;
  }
};

/// Lets go what would pull, lets slide what friction does not hold, and holds what the body would go behind.
/// `impulse` of the touches is that without groups. One index a body.
struct ReviseHolds {
  static constexpr const char* name = "rigid revise holds";
  RigidView bodies;
  WallView walls;
  double strength;                     ///< of holds relative to the body's mass
  View<const double> stiffness;        ///< [kg] of the ties; 0: no group acts on the body
  View<const Twist> velocity, change;  ///< q*, dq
  View<WallTouch> touch;
  bool may_hold;      ///< false: only let go, so that it ends
  View<int> revised;  ///< [0] = 1 where something was, 0 before
  MERGANSER_METHOD void operator()(int b) const {
    if (!(stiffness[b] > 0)) return;
    bool any = false;
    for (int row = b * walls.count; row < (b + 1) * walls.count; ++row) {
      const int first = row * touches_of_wall, end = first + touches_of_wall;
      const bool sticks = within_friction(b, first, end);
      for (int k = first; k < end; ++k) {
        if (touch[k].particle < 0 || touch[k].target > 0) continue;
        const WallHold hold = revise(b, touch[k], sticks);
        any = any || hold != touch[k].hold;
        touch[k].hold = hold;
      }
    }
    if (any) atomic_max(&revised[0], 1);
  }

 private:
  /// [N s] what a wall that holds gives.
  MERGANSER_METHOD Vec3d whole(int b, const WallTouch& at) const {
    const Vec3d moved = change[b].at(at.arm);
    const Vec3d held = at.hold == WallHold::sticking ? moved : dot(moved, at.normal) * at.normal;
    return at.impulse - (strength * bodies.mass[b]) * held;
  }
  /// Of all touches with a wall together: how the load is shared among them is not determined.
  MERGANSER_METHOD bool within_friction(int b, int first, int end) const {
    double pressing = 0;
    Vec3d across{0, 0, 0};
    for (int k = first; k < end; ++k) {
      const WallTouch& at = touch[k];
      if (at.particle < 0 || at.hold != WallHold::sticking) continue;
      const Vec3d impulse = whole(b, at);
      const double along = dot(impulse, at.normal);
      pressing += double(walls[at.wall].friction) * along;
      across += impulse - along * at.normal;
    }
    return norm(across) <= pressing;
  }
  MERGANSER_METHOD WallHold revise(int b, const WallTouch& at, bool sticks) const {
    const Vec3d moved = change[b].at(at.arm), n = at.normal;
    if (at.hold == WallHold::none) {
      const double speed = dot(velocity[b].at(at.arm) + moved - at.wall_velocity, n);
      if (!may_hold || !(speed < at.target - 1e-3 * norm(moved))) return WallHold::none;
      return walls[at.wall].friction > 0 ? WallHold::sticking : WallHold::sliding;
    }
    if (!(dot(whole(b, at), n) > 0)) return WallHold::none;
    return at.hold == WallHold::sticking && !sticks ? WallHold::sliding : at.hold;
  }
};

MERGANSER_END
