/// Particles on the wrong side of walls.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/check_state.h"
#include "host/scene/json_reader.h"
#include "host/scene/scene_report.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser {

namespace {

/// Positive where particles may be.
double signed_distance(const WallParameters& wall, const Float3& position) {
  double r[3], along = 0, square = 0, outside = 0, nearest = 1e300;
  for (size_t axis = 0; axis < 3; ++axis) {
    r[axis] = position[axis] - wall.point[axis];
    along += r[axis] * wall.direction[axis];
    square += r[axis] * r[axis];
    const double into = std::min(position[axis] - wall.low[axis], wall.high[axis] - position[axis]);
    nearest = std::min(nearest, into);
    outside += into < 0 ? into * into : 0;
  }
  double inside = 0;
  switch (wall.shape) {
    case WallShape::plane:
      return along;
    case WallShape::box:
      inside = outside > 0 ? -std::sqrt(outside) : nearest;
      break;
    case WallShape::sphere:
      inside = wall.radius - std::sqrt(square);
      break;
    case WallShape::cylinder:
      inside = wall.radius - std::sqrt(std::max(0.0, square - along * along));
      break;
  }
  return wall.inside ? inside : -inside;
}

/// A ball around some particles.
struct Ball {
  Float3 centre{0, 0, 0};  ///< [m]
  double radius = 0;       ///< [m]
};

Ball ball_around(const std::vector<Float3>& positions) {
  if (positions.empty()) return {};
  Float3 low = positions[0], high = positions[0];
  for (const Float3& x : positions)
    for (size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], x[axis]);
      high[axis] = std::max(high[axis], x[axis]);
    }
  Ball ball;
  for (size_t axis = 0; axis < 3; ++axis) {
    ball.centre[axis] = static_cast<float>(0.5 * (double(low[axis]) + high[axis]));
    ball.radius +=
        std::pow(std::max(double(high[axis]) - ball.centre[axis], double(ball.centre[axis]) - low[axis]), 2);
  }
  ball.radius = std::sqrt(ball.radius) * (1 + 1e-6);
  return ball;
}

/// True where no particle in the ball is behind the wall: the distance changes by no more than the way.
bool all_before(const WallParameters& wall, const Ball& ball) {
  return signed_distance(wall, ball.centre) >= ball.radius;
}

}  // namespace

std::vector<long long> count_behind_walls(const InitialState& initial) {
  std::vector<Ball> balls;
  for (const SystemState& system : initial.systems) balls.push_back(ball_around(system.position));
  std::vector<long long> counts;
  for (const WallParameters& wall : initial.walls) {
    counts.push_back(0);
    for (size_t s = 0; s < balls.size(); ++s) {
      if (all_before(wall, balls[s])) continue;
      for (const Float3& position : initial.systems[s].position)
        counts.back() += signed_distance(wall, position) < 0;
    }
  }
  return counts;
}

void expect_fluid_before_walls(const InitialState& initial) {
  // A wall puts all of them on its surface in the first step: of a layer this deep so many lie on one
  // another.
  constexpr int most_layers = 10;
  for (const SystemState& system : initial.systems) {
    if (!system.parameters.find<SphParameters>()) continue;
    const Ball ball = ball_around(system.position);
    const double most = most_layers * 2 * system.fluid.particle_radius;
    for (size_t w = 0; w < initial.walls.size(); ++w) {
      if (all_before(initial.walls[w], ball)) continue;
      for (size_t i = 0; i < system.position.size(); ++i) {
        const double depth = -signed_distance(initial.walls[w], system.position[i]);
        if (depth > most)
          throw InputError(
              "systems." + system.name + ".bodies." + initial.bodies[size_t(system.body[i])].name +
              ": a particle of it starts " + shown(depth) + " m behind walls." + std::to_string(w) +
              ", at most " + shown(most) + " m (" + shown(most_layers) +
              " particle spacings) are allowed; move the body or the wall, or turn the wall's normal "
              "or \"inside\"");
      }
    }
  }
}

}  // namespace merganser
