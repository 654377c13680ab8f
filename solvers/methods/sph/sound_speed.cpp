/// Estimate of the largest speed a fluid will reach, from the initial state.
#include <algorithm>
#include <cmath>

#include "solvers/core/initial_state.h"
#include "solvers/geometry/walls/wall_sides.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

namespace {
template <class A, class B>
double inner(const A& a, const B& b) {
  return double(a[0]) * b[0] + double(a[1]) * b[1] + double(a[2]) * b[2];
}
}  // namespace

double expected_sound_speed(const SystemState& state, const InitialState& initial) {
  const double g = std::sqrt(inner(initial.gravity, initial.gravity));
  Point3 up{0, 0, 1};
  if (g > 0) up = {-initial.gravity[0] / g, -initial.gravity[1] / g, -initial.gravity[2] / g};

  double speed = 0, top = -1e300, bottom = 1e300;
  for (const Float3& v : state.velocity) speed = std::max(speed, std::sqrt(inner(v, v)));
  for (const Float3& x : state.position) top = std::max(top, inner(x, up));
  for (const EmitterParameters& emitter : state.emitters) {
    speed = std::max(speed, emitter.velocity);
    top = std::max(top, inner(emitter.position, up));
  }
  const Ball ball = ball_around(state.position);
  for (const WallParameters& wall : initial.walls)
    speed = std::max(speed, greatest_speed(wall, ball, 0, initial.end_time));
  bottom = top;
  for (const SystemState& system : initial.systems)
    for (const Float3& x : system.position) bottom = std::min(bottom, inner(x, up));
  for (const Float3& x : state.position) bottom = std::min(bottom, inner(x, up));
  for (const WallParameters& wall : initial.walls) {
    const bool floor_plane =
        wall.shape == WallShape::plane &&
        inner(wall.direction, up) > 0.7 * std::sqrt(inner(wall.direction, wall.direction));
    const bool tank = wall.shape == WallShape::box && wall.inside;
    if (floor_plane) bottom = std::min(bottom, inner(wall.point, up));
    if (tank) {
      double floor = 0;  // lowest corner of the tank
      for (size_t axis = 0; axis < 3; ++axis)
        floor += std::min(wall.low[axis] * up[axis], wall.high[axis] * up[axis]);
      bottom = std::min(bottom, floor);
    }
  }
  const double height = top > bottom ? top - bottom : 0;
  const double expected = std::sqrt(speed * speed + 2 * g * height);
  return expected > 0 ? 10 * expected : 10;
}

}  // namespace merganser
