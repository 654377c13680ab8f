#pragma once
/// Sides of walls on the host: which points are on which side, how fast walls come.
#include <vector>

#include "solvers/geometry/walls/rigid_pose.h"
#include "solvers/geometry/walls/wall_parameters.h"

namespace merganser {

/// That of a box about its middle; none for others.
RigidPose own_rotation(const WallParameters& wall);
/// Positive where particles may be [m], at time 0.
double signed_distance(const WallParameters& wall, const Float3& position);

/// A ball around some particles: most walls have all of them on one side, and no particle is looked at.
struct Ball {
  Float3 centre{0, 0, 0};  ///< [m]
  double radius = 0;       ///< [m]
};
Ball ball_around(const std::vector<Float3>& positions);
/// True where no particle in the ball is behind the wall: the distance changes by no more than the way.
bool all_before(const WallParameters& wall, const Ball& ball);
/// Bound of the speed [m/s] of a wall's points that are no further from its centre of rotation than its ends,
/// or than the ball where it has none, at all times in [from, to].
double greatest_speed(const WallParameters& wall, const Ball& ball, double from, double to);

}  // namespace merganser
