#pragma once
/// Touches of a body on walls: of all its particles that are near a wall or may come there, the deepest and
/// those that lie furthest in eight directions of the body. Their hull is nearly that of all. What is further
/// off the wall counts as less far: beyond the edge of a wall that is narrower than the body others are near
/// it, but do not touch it.
#include "device/group_sums.h"
#include "solvers/geometry/walls/wall.h"
#include "solvers/methods/rigid/rigid_state.h"

MERGANSER_BEGIN

inline constexpr int touches_of_wall = 9;  ///< of a body, at most

/// How a wall holds a body in the solve with groups.
enum class WallHold : int { none, sliding, sticking };

/// A particle of a body at a wall.
struct WallTouch {
  int particle = -1;  ///< local index; -1: none
  int wall = 0;
  Vec3d wall_velocity{0, 0, 0};  ///< [m/s]
  Vec3d arm{0, 0, 0};            ///< [m] of the place of contact on the particle's surface
  Vec3d normal{0, 0, 1};
  double target = 0;          ///< [m/s] least normal velocity relative to the wall
  double normal_impulse = 0;  ///< [N s]
  Vec3d impulse{0, 0, 0};     ///< [N s] with friction, given to the body
  WallHold hold = WallHold::none;
  double stiffness = 0;    ///< [kg] this and what follows: see pressing_walls.h; 0: takes no part
  Vec3d pressed{0, 0, 0};  ///< [N s]
  Vec3d aim{0, 0, 0};      ///< [m/s]
};

/// The touches of every body with every wall: row body * walls + wall.
struct FindWallTouches {
  static constexpr const char* name = "rigid wall touches";
  struct Value {
    float key[touches_of_wall];
    int particle[touches_of_wall];
  };
  RigidView bodies;
  WallView walls;
  View<const Vec3> position, velocity;  ///< [m], [m/s] of the system's particles
  View<const float> radius;
  Vec3 gravity;           ///< [m/s^2]
  double dt;              ///< [s]
  View<WallTouch> touch;  ///< touches_of_wall a row, written

  MERGANSER_METHOD int begin(int row) const { return bodies.first[row / walls.count]; }
  MERGANSER_METHOD int end(int row) const { return bodies.first[row / walls.count + 1]; }
  MERGANSER_METHOD static Value identity() {
    Value none{};
    for (int s = 0; s < touches_of_wall; ++s) none.particle[s] = -1;
    return none;
  }
  /// The lower index of equals, so that the order of combining does not matter.
  MERGANSER_METHOD static void take(Value& best, int s, float key, int particle) {
    if (particle < 0) return;
    const int now = best.particle[s];
    if (now >= 0 && (best.key[s] > key || (best.key[s] == key && now < particle))) return;
    best.key[s] = key;
    best.particle[s] = particle;
  }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    Value best = a;
    for (int s = 0; s < touches_of_wall; ++s) take(best, s, b.key[s], b.particle[s]);
    return best;
  }
  MERGANSER_METHOD void add(Value& best, int row, int i) const {
    const Wall& wall = walls[row % walls.count];
    const WallDistance at = wall.at(position[i]);
    const float gap = at.distance - radius[i];
    const float approach = most_of(-dot(velocity[i] - wall.velocity_at(position[i], at), at.normal), 0.0f);
    // A body that an impact turns may bring other particles to the wall within the step.
    if (!(gap < 0.5f * radius[i] + float(dt) * (2 * approach + norm(gravity) * float(dt)))) return;
    take(best, 0, -gap, i);
    const Vec3 x = bodies.rest[i];
    const float off = 20 * most_of(gap, 0.0f);
    // Unequal components: of the particles of a straight edge, its ends are furthest.
    for (int s = 0; s < 8; ++s)
      take(best, s + 1,
           (s & 1 ? 1.0f : -1.0f) * x.x + (s & 2 ? 0.9f : -0.9f) * x.y + (s & 4 ? 0.8f : -0.8f) * x.z - off,
           i);
  }
  MERGANSER_METHOD void finish(int row, const Value& best) const {
    for (int s = 0; s < touches_of_wall; ++s) {
      WallTouch& made = touch[row * touches_of_wall + s];
      made = {};
      bool known = false;
      for (int other = 0; other < s; ++other) known = known || best.particle[other] == best.particle[s];
      if (best.particle[s] >= 0 && !known) describe(made, row, best.particle[s]);
    }
  }
  /// The least normal velocity: to the surface and no further in the step, or the rebound of what hits it.
  MERGANSER_METHOD void describe(WallTouch& made, int row, int i) const {
    const int b = row / walls.count;
    const Wall& wall = walls[row % walls.count];
    const WallDistance at = wall.at(position[i]);
    const Vec3d n = to_double(at.normal);
    const double gap = double(at.distance) - double(radius[i]);
    made.particle = i;
    made.wall = row % walls.count;
    made.wall_velocity = to_double(wall.velocity_at(position[i], at));
    made.normal = n;
    made.arm = bodies.arm(b, i) - double(radius[i]) * n;
    made.target = gap > 0 ? -gap / dt : 0.0;
    const double speed = dot(to_double(velocity[i]) - made.wall_velocity, n),
                 weight = fmin(dt * dot(to_double(gravity), n), 0.0), with_weight = speed + weight;
    const double resting = 2 * dt * norm(to_double(gravity));
    if (!(wall.restitution > 0) || !(gap + dt * with_weight < 0) || !(-with_weight > resting)) return;
    // Rebound with e^2 of the energy that it hits with: u^2/2 + g (gap + dt u) = e^2 (speed^2/2 + g gap).
    const double fall = -weight / dt * fmax(gap, 0.0), e = wall.restitution;
    const double square = weight * weight + e * e * (speed * speed + 2 * fall) - 2 * fall;
    if (square > 0) made.target = fmax(made.target, weight + sqrt(square));
  }
};

MERGANSER_END
