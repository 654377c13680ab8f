#pragma once
/// Which points are on which side of walls.
#include <vector>

#include "solvers/geometry/walls/wall_parameters.h"

namespace merganser {

/// Positive where particles may be [m].
double signed_distance(const WallParameters& wall, const Float3& position);

/// A ball around some particles: most walls have all of them on one side, and no particle is looked at.
struct Ball {
  Float3 centre{0, 0, 0};  ///< [m]
  double radius = 0;       ///< [m]
};
Ball ball_around(const std::vector<Float3>& positions);
/// True where no particle in the ball is behind the wall: the distance changes by no more than the way.
bool all_before(const WallParameters& wall, const Ball& ball);

}  // namespace merganser
