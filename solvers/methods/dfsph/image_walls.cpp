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

std::string why_no_images(const std::vector<WallParameters>& walls, const Point3& period) {
  constexpr double parallel = 1e-4;  // [rad]
  const std::string remedy = "choose \"mirrored\" or \"conservative\"";
  std::vector<std::pair<size_t, Point3>> known;
  for (size_t k = 0; k < walls.size(); ++k) {
    const WallParameters& wall = walls[k];
    const std::string number = "walls[" + std::to_string(k) + "]";
    const auto unfit = [&](const std::string& why) {
      return "images are of planes and tanks that do not turn, but " + number + " " + why + "; " + remedy;
    };
    if (wall.shape != WallShape::plane && !(wall.shape == WallShape::box && wall.inside))
      return unfit("is another shape");
    if (wall.boundary == BoundaryMethod::samples) return unfit("has \"boundary\": \"samples\"");
    if (turns(wall.motion)) return unfit("turns");
    for (const Point3& normal : normals_of(wall)) {
      for (size_t axis = 0; axis < 3; ++axis)
        if (period[axis] > 0 && std::abs(normal[axis]) > parallel)
          return "is \"images\", but behind " + number + ", across the axis " + "xyz"[axis] +
                 ", they would lie among the particles of the next period; set simulation.periodic.length, "
                 "there " +
                 number_text(period[axis]) + " m, to 0, or " + remedy;
      for (const auto& [other, theirs] : known)
        if (const double cosine = std::abs(dot(normal, theirs)); cosine > parallel && cosine < 1 - parallel)
          return unfit("and walls[" + std::to_string(other) + "] stand neither parallel nor at right angles");
      known.push_back({k, normal});
    }
  }
  return "";
}

void expect_image_walls(const SystemState& system, const InitialState& initial) {
  const std::string why = why_no_images(initial.walls, initial.periodic_length);
  if (!why.empty()) throw InputError("systems." + system.name + ".wallPressure: " + why);
}

}  // namespace merganser
