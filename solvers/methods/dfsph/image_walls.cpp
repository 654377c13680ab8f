#include "solvers/methods/dfsph/image_walls.h"

#include <algorithm>
#include <cmath>

#include "solvers/base/parameter_table.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

using namespace point_arithmetic;

namespace {

bool turns(const WallMotion& motion) {
  const auto turned = [](const WallKeyFrame& frame) { return frame.angle != 0; };
  return length(motion.angular_velocity) > 0 || length(motion.rotation_amplitude) > 0 ||
         std::any_of(motion.key_frames.begin(), motion.key_frames.end(), turned);
}

std::vector<Point3> normals_of(const WallParameters& wall) {
  if (wall.shape == WallShape::plane) return {(1 / length(wall.direction)) * wall.direction};
  const Rotation turned = own_rotation(wall).rotation;
  return {turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})};
}

}  // namespace

void expect_image_walls(const SystemState& system, const InitialState& initial) {
  constexpr double parallel = 1e-4;  // [rad]
  std::vector<std::pair<size_t, Point3>> known;
  for (size_t k = 0; k < initial.walls.size(); ++k) {
    const WallParameters& wall = initial.walls[k];
    const std::string path = "systems." + system.name +
                             ".wallPressure: images are of planes and tanks that do not turn, but walls[" +
                             std::to_string(k) + "] ";
    const std::string remedy = "; choose \"mirrored\" or \"conservative\"";
    if (wall.shape != WallShape::plane && !(wall.shape == WallShape::box && wall.inside))
      throw InputError(path + "is another shape" + remedy);
    if (wall.boundary == BoundaryMethod::samples)
      throw InputError(path + "has \"boundary\": \"samples\"" + remedy);
    if (turns(wall.motion)) throw InputError(path + "turns" + remedy);
    for (const Point3& normal : normals_of(wall)) {
      for (size_t axis = 0; axis < 3; ++axis)
        if (initial.periodic_length[axis] > 0 && std::abs(normal[axis]) > parallel)
          throw InputError("systems." + system.name + ".wallPressure: is \"images\", but behind walls[" +
                           std::to_string(k) + "], across the axis " + "xyz"[axis] +
                           ", they would lie among the particles of the next period; set "
                           "simulation.periodic.length, there " +
                           number_text(initial.periodic_length[axis]) +
                           " m, to 0, or choose \"mirrored\" or \"conservative\"");
      for (const auto& [other, theirs] : known)
        if (const double cosine = std::abs(dot(normal, theirs)); cosine > parallel && cosine < 1 - parallel)
          throw InputError(path + "and walls[" + std::to_string(other) +
                           "] stand neither parallel nor at right angles" + remedy);
      known.push_back({k, normal});
    }
  }
}

}  // namespace merganser
