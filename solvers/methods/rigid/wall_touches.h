#pragma once
/// Touches of a body on walls: of all its particles that are near a wall or may come there, the deepest and
/// those that lie furthest in eight directions of the body. Their hull is nearly that of all. What is further
/// off the wall counts as less far: beyond the edge of a wall that is narrower than the body others are near
/// it, but do not touch it. Balls and cylinders touch with their own surface where a particle is near, so
/// that they roll on no bumps.
#include "device/group_sums.h"
#include "device/not_inlined.h"
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

/// A point of a body's surface before a wall.
struct SurfacePoint {
  WallDistance at;  ///< what its distance was found from
  double gap;       ///< [m] from the wall to the point
  Vec3d arm;        ///< [m] of the point
};

/// Of a ball or cylinder: the particle moves along its circle around the centre or axis, whose radius is the
/// body's less the particle's, to where that is nearest to the wall; unless a cylinder stands on its end (30
/// degrees). The wall is asked at the circle's centre where it faces that as it faces the particle, else it
/// counts as flat. Fields of meshes end near their surface.
MERGANSER_FN SurfacePoint round_surface_point(const RigidView& bodies, const Wall& wall, int b,
                                              const Vec3d& arm, float radius,
                                              const SurfacePoint& of_particle) {
  const Vec3d n = to_double(of_particle.at.normal), centre = rotated(bodies.turn[b], bodies.offset[b]),
              axis = rotated(bodies.turn[b], bodies.round_axis[b]),
              middle = centre + dot(arm - centre, axis) * axis;
  SurfacePoint round{of_particle.at, double(of_particle.at.distance) + dot(n, middle - arm), middle};
  if (wall.shape != WallShape::mesh)
    if (const WallDistance other = wall.at(to_float(bodies.place[b] + middle));
        dot(other.normal, round.at.normal) > 0.8f) {
      round.at = other;
      round.gap = double(other.distance);
    }
  const Vec3d normal = to_double(round.at.normal), across = normal - dot(normal, axis) * axis;
  const double size = norm(across), circle = bodies.round_radius[b] - double(radius);
  if (!(size > 0.5)) return of_particle;
  round.gap -= circle * size + double(radius);
  round.arm = round.arm - (circle / size) * across - double(radius) * normal;
  return round;
}
/// That of a particle at x.
MERGANSER_FN SurfacePoint surface_point(const RigidView& bodies, const Wall& wall, int b, int i,
                                        const Vec3& x, float radius) {
  const WallDistance at = wall.at(x);
  const Vec3d arm = bodies.arm(b, i);
  const SurfacePoint of_particle{at, double(at.distance) - double(radius),
                                 arm - double(radius) * to_double(at.normal)};
  return bodies.is_round(b) ? round_surface_point(bodies, wall, b, arm, radius, of_particle) : of_particle;
}
MERGANSER_FN MERGANSER_NOT_INLINED Vec3d velocity_at(const RigidView& bodies, int b, const Vec3d& arm) {
  return bodies.velocities(b, bodies.momenta(b)).at(arm);
}

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
    // A body that an impact turns may bring other particles to the wall within the step. Round surfaces reach
    // beyond particles.
    const float slack = bodies.is_round(row / walls.count) ? 2.5f : 0.5f;
    if (!(gap < slack * radius[i] + float(dt) * (2 * approach + norm(gravity) * float(dt)))) return;
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
      bool known = best.particle[s] < 0;
      for (int other = 0; other < s; ++other) known = known || best.particle[other] == best.particle[s];
      if (known) continue;
      describe(made, row, best.particle[s]);
      if (!bodies.is_round(row / walls.count)) continue;
      const double same = 0.5 * double(radius[made.particle]);
      for (int other = 0; other < s && made.particle >= 0; ++other) {
        const WallTouch& before = touch[row * touches_of_wall + other];
        if (before.particle >= 0 && norm_squared(before.arm - made.arm) < same * same) made = {};
      }
    }
  }
  /// The least normal velocity: to the surface and no further in the step, or the rebound of what hits it.
  MERGANSER_METHOD void describe(WallTouch& made, int row, int i) const {
    const int b = row / walls.count;
    const Wall& wall = walls[row % walls.count];
    const SurfacePoint point = surface_point(bodies, wall, b, i, position[i], radius[i]);
    const bool round = bodies.is_round(b);
    const Vec3d n = to_double(point.at.normal);
    const double gap = point.gap;
    made.particle = i;
    made.wall = row % walls.count;
    made.wall_velocity =
        to_double(wall.velocity_at(round ? to_float(bodies.place[b] + point.arm) : position[i], point.at));
    made.normal = n;
    made.arm = point.arm;
    made.target = gap > 0 ? -gap / dt : 0.0;
    const Vec3d meets = round ? velocity_at(bodies, b, point.arm) : to_double(velocity[i]);
    const double speed = dot(meets - made.wall_velocity, n),
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
