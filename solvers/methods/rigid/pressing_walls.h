#pragma once
/// Walls in the solve of rigid bodies alone with groups (body_equations.h), by the alternating direction
/// method of multipliers (Boyd et al. 2011, sec. 3; for contact with friction: Tasora et al. 2021). Which
/// touches press, stick or slide depends on what groups give and changes it, so neither can be found first.
/// At every touch with velocity u relative to the wall stand an impulse p, a velocity z and a stiffness c. A
/// pass solves
///   (S + sum c J^T J) dq = b + sum J^T (p - p_0 + c (z - u*)),
/// S as in body_equations.h without walls, p_0 and u* of the motion q* that walls allow without groups, and
/// then
///   w = a u + (1 - a) z - p/c,   p_n = c max(0, target - w_n),   p_t = -c w_t, of a size of at most mu p_n,
///   z = w + p/c.
/// Where nothing changes any more, z = u and p is Coulomb's law at u (wall_impulses.h). The matrix is the
/// same in all passes, so it is factored once.
#include "solvers/methods/rigid/wall_touches.h"

MERGANSER_BEGIN

/// sum c of a body's touches relative to its mass. A touch that presses settles the faster the stiffer it is,
/// one that does not the softer; 10 to 50 take the fewest passes in a heap.
inline constexpr double pressing_stiffness = 20;
inline constexpr double pressing_relaxation = 1.6;  ///< a; 1.5 to 1.8 is usual
/// Passes end where what the solve felt of the walls and what these may give differ by less than this part of
/// the most that they give to a body; or after so many, of which one that is factored costs little.
inline constexpr double pressing_tolerance = 1e-3;
inline constexpr int factored_passes = 300, gradient_passes = 50;

/// What bodies get of their walls in the next pass. One entry a body.
struct PressingView {
  RigidView bodies;
  int touches;  ///< a body
  View<WallTouch> touch;
  View<const Twist> velocity;  ///< q*
  View<Twist> pressed;         ///< [N s] sum J^T (p - p_0 + c (z - u*)), written
  MERGANSER_METHOD int begin(int b) const { return b * touches; }
  MERGANSER_METHOD int end(int b) const { return (b + 1) * touches; }
  /// u*.
  MERGANSER_METHOD Vec3d alone(int b, const WallTouch& at) const {
    return velocity[b].at(at.arm) - at.wall_velocity;
  }
  MERGANSER_METHOD Twist next(const WallTouch& at, const Vec3d& alone) const {
    return impulse_at(at.arm, at.pressed - at.impulse + at.stiffness * (at.aim - alone));
  }
};

/// c, and where `first` p and z, from the impulses that walls give without groups. A rebound is the body's
/// alone: a wall that held it would throw all that lies on the body as well. One index a body.
struct StartPressing : PressingView {
  static constexpr const char* name = "rigid start pressing";
  bool first;
  MERGANSER_METHOD void operator()(int b) const {
    int count = 0;
    for (int k = begin(b); k < end(b); ++k) count += takes_part(touch[k]) ? 1 : 0;
    pressed[b] = {};
    for (int k = begin(b); k < end(b); ++k) {
      WallTouch& at = touch[k];
      at.stiffness = takes_part(at) ? pressing_stiffness * bodies.mass[b] / count : 0.0;
      if (!(at.stiffness > 0)) continue;
      if (first) {
        at.pressed = at.impulse;
        at.aim = alone(b, at);
      }
      pressed[b] += next(at, alone(b, at));
    }
  }
  MERGANSER_METHOD static bool takes_part(const WallTouch& at) {
    return at.particle >= 0 && !(at.target > 0);
  }
};

/// Adds sum c J^T J to the matrix of body b.
MERGANSER_FN void add_pressing_terms(int touches, const View<const WallTouch>& touch, int b,
                                     TwistMatrix& matrix) {
  MassMoments sum;
  for (int k = b * touches; k < (b + 1) * touches; ++k)
    if (touch[k].particle >= 0 && touch[k].stiffness > 0) sum.add(touch[k].stiffness, touch[k].arm);
  matrix.add(sum);
}

/// p and z after a pass. The greatest velocities [m/s] that a body gets of what the solve felt of its walls,
/// p + c (z - u), and of how far that was from the next p. One index a body.
struct Press : PressingView {
  static constexpr const char* name = "rigid press";
  struct Value {
    double wrong, all;
  };
  WallView walls;
  View<const double> tied;   ///< [kg] of the ties; 0: no group acts on the body
  View<const Twist> change;  ///< dq
  MERGANSER_METHOD static Value identity() { return {0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {fmax(a.wrong, b.wrong), fmax(a.all, b.all)};
  }
  MERGANSER_METHOD Value operator()(int b) const {
    if (!(tied[b] > 0)) return identity();
    Twist wrong, all;
    pressed[b] = {};
    for (int k = begin(b); k < end(b); ++k) {
      WallTouch& at = touch[k];
      if (!(at.stiffness > 0)) continue;
      const Vec3d u = alone(b, at), moved = u + change[b].at(at.arm),
                  felt = at.pressed + at.stiffness * (at.aim - moved);
      press(at, moved);
      wrong += impulse_at(at.arm, felt - at.pressed);
      all += impulse_at(at.arm, felt);
      pressed[b] += next(at, u);
    }
    return {speed(b, wrong), speed(b, all)};
  }

 private:
  MERGANSER_METHOD void press(WallTouch& at, const Vec3d& u) const {
    const double c = at.stiffness, a = pressing_relaxation;
    const Vec3d n = at.normal, w = a * u + (1 - a) * at.aim - (1 / c) * at.pressed;
    const double along = dot(w, n), pressing = c * fmax(0.0, at.target - along);
    Vec3d friction = -c * (w - along * n);
    const double size = norm(friction), most = double(walls[at.wall].friction) * pressing;
    if (size > most) friction *= most / size;
    at.pressed = pressing * n + friction;
    at.aim = w + (1 / c) * at.pressed;
  }
  /// Root of twice the energy by the mass.
  MERGANSER_METHOD double speed(int b, const Twist& momenta) const {
    return sqrt(fmax(dot(momenta, bodies.velocities(b, momenta)) / bodies.mass[b], 0.0));
  }
};

MERGANSER_END
