#include "solvers/geometry/walls/wall_sides.h"

#include <algorithm>
#include <cmath>

namespace merganser {

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

bool all_before(const WallParameters& wall, const Ball& ball) {
  return signed_distance(wall, ball.centre) >= ball.radius;
}

}  // namespace merganser
