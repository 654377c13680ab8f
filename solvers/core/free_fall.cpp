#include "solvers/core/free_fall.h"

#include <algorithm>
#include <cmath>

#include "solvers/core/method.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

namespace {

/// What a body is to others: a box around its particles.
struct FallingBody {
  const SystemState* system = nullptr;
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};  ///< [m]
  std::vector<Float3> places = {};                                ///< [m] of some of its particles
  Point3 velocity{0, 0, 0};                                       ///< [m/s] of its last particle
  double radius = 0, start = 0;                                   ///< [m], [s]
  bool held = false;
};

double dot_product(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::vector<FallingBody> bodies_of(const InitialState& initial) {
  constexpr size_t most_places = 512;
  size_t particles = 0;
  for (const SystemState& system : initial.systems) particles += system.position.size();
  const size_t stride = std::max<size_t>(1, particles / most_places);
  std::vector<FallingBody> bodies(initial.bodies.size());
  for (const SystemState& system : initial.systems) {
    for (size_t i = 0; i < system.position.size(); ++i) {
      FallingBody& body = bodies[size_t(system.body[i])];
      const Float3 &x = system.position[i], &v = system.velocity[i];
      if (body.places.empty() || i % stride == 0) body.places.push_back(x);
      body.system = &system;
      body.radius = system.radius[i];
      body.velocity = {v[0], v[1], v[2]};
      body.held = body.held || (!system.immobile.empty() && system.immobile[i]);
      for (size_t axis = 0; axis < 3; ++axis) {
        body.low[axis] = std::min(body.low[axis], double(x[axis]));
        body.high[axis] = std::max(body.high[axis], double(x[axis]));
      }
    }
    for (const LateBody& late : system.late) bodies[size_t(late.body)].start = late.start_time;
    if (system.method->jointed_bodies)
      for (const int b : system.method->jointed_bodies(system)) bodies[size_t(b)].held = true;
  }
  return bodies;
}

bool is_removed(const Regions& kept, const Point3& x) {
  const auto holds = [&](const Region& region) {
    bool in = true;
    for (size_t axis = 0; axis < 3; ++axis)
      in = in && x[axis] >= region.box[0][axis] && x[axis] <= region.box[1][axis];
    return in;
  };
  return !kept.boxes.empty() && std::none_of(kept.boxes.begin(), kept.boxes.end(), holds);
}

/// [m] along the unit vector `down` from the place to a wall or out of the kill boxes, `most` at most.
double way_to_wall(const InitialState& initial, const SystemState& system, const Float3& place, double radius,
                   const Point3& down, double most) {
  constexpr int most_steps = 1000;
  double way = 0;
  for (int k = 0; k < most_steps && way < most; ++k) {
    Point3 x{};
    for (size_t axis = 0; axis < 3; ++axis) x[axis] = place[axis] + way * down[axis];
    if (is_removed(system.fluid.kill_box, x)) return way;
    double room = initial.walls.empty() ? most : 1e300;
    for (const WallParameters& wall : initial.walls)
      room = std::min(room, signed_distance(wall, {float(x[0]), float(x[1]), float(x[2])}));
    if (room < 0.3 * radius) return std::max(0.0, way - radius);  // beside a wall there is a radius
    if (!system.fluid.kill_box.boxes.empty()) room = std::min(room, 10 * radius);
    way += room;
  }
  return std::min(way, most);
}

/// [m] that the box [low, high] moves along `down` until it meets the body's; 0 where they overlap.
double way_to_body(const Point3& low, const Point3& high, const FallingBody& other, const Point3& down,
                   double most) {
  double from = 0, to = most;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double least = other.low[axis] - high[axis], greatest = other.high[axis] - low[axis];
    if (std::abs(down[axis]) < 1e-12) {
      if (least > 0 || greatest < 0) return most;
      continue;
    }
    const double a = least / down[axis], b = greatest / down[axis];
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return from <= to ? from : most;
}

/// What falls, from when on, how fast, and for how long it keeps the speed that it ends with.
struct Fall {
  double start, end;        ///< [s]
  double speed, downwards;  ///< [m/s] at the start, and its part along gravity
  double way;               ///< [m]
  bool flows;               ///< as fluid does: behind the fall it goes on as long again
  double kept_until;        ///< [s] after its end a jet still lands
};

void add_phases(const Fall& fall, double gravity, std::vector<SpeedPhase>& phases) {
  const double u = fall.downwards;
  const double landing = (std::sqrt(u * u + 2 * gravity * fall.way) - u) / gravity;
  const double time = std::min(landing, fall.end - fall.start);
  if (!(time > 0)) return;
  const double way = u * time + 0.5 * gravity * time * time;
  const double speed = std::sqrt(fall.speed * fall.speed + 2 * gravity * std::max(0.0, way));
  phases.push_back({fall.start, fall.start + time, fall.speed, (speed - fall.speed) / time});
  const double kept = std::max(fall.flows ? fall.start + 2 * time : 0, fall.kept_until + time);
  if (kept > fall.start + time) phases.push_back({fall.start + time, kept, speed, 0});
}

}  // namespace

std::vector<SpeedPhase> speeds_of_falls(const InitialState& initial) {
  const double g = std::sqrt(dot_product(initial.gravity, initial.gravity));
  std::vector<SpeedPhase> phases;
  if (!(g > 0)) return phases;
  Point3 down{};
  for (size_t axis = 0; axis < 3; ++axis) {
    if (initial.gravity[axis] != 0 && initial.periodic_length[axis] > 0) return phases;
    down[axis] = initial.gravity[axis] / g;
  }
  const std::vector<FallingBody> bodies = bodies_of(initial);
  const auto way_before_bodies = [&](const Point3& low, const Point3& high, const FallingBody* own,
                                     double way) {
    for (const FallingBody& other : bodies)
      if (&other != own && !other.places.empty())
        way = std::min(way, way_to_body(low, high, other, down, way));
    return way;
  };
  for (const FallingBody& body : bodies) {
    const double time = initial.end_time - body.start,
                 speed = std::hypot(body.velocity[0], body.velocity[1], body.velocity[2]);
    if (body.places.empty() || body.held || !(time > 0)) continue;
    double way = way_before_bodies(body.low, body.high, &body, speed * time + 0.5 * g * time * time);
    for (const Float3& place : body.places)
      way = std::min(way, way_to_wall(initial, *body.system, place, body.radius, down, way));
    add_phases({body.start, initial.end_time, speed, dot_product(body.velocity, down), way,
                is_fluid(*body.system), 0},
               g, phases);
  }
  for (const SystemState& system : initial.systems)
    for (const EmitterParameters& emitter : system.emitters) {
      const double time = initial.end_time - emitter.start_time, speed = emitter.velocity;
      if (!(time > 0)) continue;
      const Point3 &x = emitter.position, &n = emitter.direction;
      const double length = std::sqrt(dot_product(n, n)),
                   along = length > 0 ? speed * dot_product(n, down) / length : 0;
      double way = way_before_bodies(x, x, nullptr, speed * time + 0.5 * g * time * time);
      way = way_to_wall(initial, system, {float(x[0]), float(x[1]), float(x[2])},
                        system.fluid.particle_radius, down, way);
      add_phases({emitter.start_time, initial.end_time, speed, along, way, true,
                  std::min(emitter.end_time, initial.end_time)},
                 g, phases);
    }
  return phases;
}

}  // namespace merganser
