#include "solvers/geometry/walls/wall_sides.h"

#include "solvers/geometry/walls/wall_mesh.h"

#include <algorithm>
#include <cmath>

namespace merganser {

using namespace point_arithmetic;

namespace {
/// The position in the frame where the wall stays as the scene puts it.
Point3 in_wall_frame(const WallParameters& wall, const Float3& position) {
  const Point3 x{position[0], position[1], position[2]};
  const bool moves = wall.motion.moves();
  const RigidPose turned = own_rotation(wall);
  if (!moves && turned.rotation.none()) return x;
  return turned.back(moves ? wall.motion.at(0).back(x) : x);
}

/// Greatest distance [m] of a wall's points from a point; infinite walls end at the ball.
double reach_of(const WallParameters& wall, const Ball& ball, const Point3& from) {
  switch (wall.shape) {
    case WallShape::box:
      return length(0.5 * (wall.low + wall.high) - from) + 0.5 * length(wall.high - wall.low);
    case WallShape::sphere:
      return length(wall.point - from) + wall.radius;
    case WallShape::capsule:
      return length(wall.point - from) + wall.radius + 0.5 * wall.length;
    case WallShape::mesh: {
      const TreeNode& box = wall.mesh->tree.nodes[0];
      const Point3 low{box.low[0], box.low[1], box.low[2]}, high{box.high[0], box.high[1], box.high[2]};
      return length(0.5 * (low + high) - from) + 0.5 * length(high - low) + wall.thickness;
    }
    default:
      if (wall.shape == WallShape::cylinder && wall.length > 0)
        return length(wall.point - from) + wall.radius + 0.5 * wall.length;
      return length(Point3{ball.centre[0], ball.centre[1], ball.centre[2]} - from) + ball.radius;
  }
}
}  // namespace

RigidPose own_rotation(const WallParameters& wall) {
  if (wall.shape != WallShape::box) return {};
  return {Rotation::about(wall.rotation_axis, wall.rotation_angle), 0.5 * (wall.low + wall.high), {0, 0, 0}};
}

double greatest_speed(const WallParameters& wall, const Ball& ball, double from, double to) {
  if (!wall.motion.moves()) return 0;
  return wall.motion.greatest_speed(from, to, reach_of(wall, ball, wall.motion.centre));
}

double signed_distance(const WallParameters& wall, const Float3& place) {
  const Point3 position = in_wall_frame(wall, place);
  if (wall.shape == WallShape::mesh) return signed_distance(*wall.mesh, position);
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
  const double over_end = std::abs(along) - 0.5 * wall.length;
  switch (wall.shape) {
    case WallShape::plane:
    case WallShape::mesh:
      return along;
    case WallShape::box:
      inside = outside > 0 ? -std::sqrt(outside) : nearest;
      break;
    case WallShape::sphere:
      inside = wall.radius - std::sqrt(square);
      break;
    case WallShape::cylinder:
    case WallShape::short_cylinder:
      inside = wall.radius - std::sqrt(std::max(0.0, square - along * along));
      if (wall.length > 0)
        inside = over_end > 0 && inside < 0 ? -std::hypot(over_end, inside) : std::min(inside, -over_end);
      break;
    case WallShape::capsule:
      inside = wall.radius -
               std::sqrt(std::max(0.0, square - along * along + std::pow(std::max(over_end, 0.0), 2)));
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
