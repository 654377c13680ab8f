#include "solvers/core/start_period.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/errors.h"
#include "solvers/base/parameter_table.h"
#include "solvers/base/to_vec3.h"
#include "solvers/core/nearest_image.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/geometry/walls/wall_sides.h"

namespace merganser {

bool is_periodic(const SimulationParameters& simulation) {
  const Point3& length = simulation.periodic_length;
  return std::any_of(length.begin(), length.end(), [](double period) { return period > 0; });
}

Float3 in_domain(const Float3& place, const SimulationParameters& simulation) {
  const cpu::Vec3 x =
      cpu::into_period({place[0], place[1], place[2]}, cpu::to_vec3(simulation.periodic_origin),
                       cpu::to_vec3(simulation.periodic_length));
  return {x.x, x.y, x.z};
}

void bring_into_domain(InitialState& initial) {
  if (!is_periodic(initial)) return;
  for (SystemState& system : initial.systems)
    for (Float3& x : system.position) x = in_domain(x, initial);
}

namespace {

using namespace point_arithmetic;

constexpr double endless = std::numeric_limits<double>::infinity();

/// What a wall takes of an axis [m].
struct Extent {
  double middle, half;
  double uniform = 0;  ///< half the length over which it is the same all along; of meshes that is not known
};

/// Of walls but planes.
Extent extent_of(const WallParameters& wall, const RigidPose& pose, size_t axis) {
  const double middle = pose(wall.point)[axis];
  const double along = std::min(1.0, std::abs(pose.rotation(wall.direction)[axis]));
  const double straight = wall.length > 0 ? 0.5 * wall.length : endless;  // of cylinders and capsules
  const double uniform = along > 1 - 1e-9 ? straight : 0;
  const auto of_box = [&](const Point3& low, const Point3& high, const RigidPose& turned) {
    Extent extent{pose(0.5 * (low + high))[axis], 0};
    for (size_t edge = 0; edge < 3; ++edge) {
      Point3 unit{0, 0, 0};
      unit[edge] = 1;
      const double share = std::abs(pose.rotation(turned.rotation(unit))[axis]);
      extent.half += 0.5 * (high[edge] - low[edge]) * share;
      if (share > 1 - 1e-9) extent.uniform = 0.5 * (high[edge] - low[edge]);
    }
    return extent;
  };
  switch (wall.shape) {
    case WallShape::box:
      return of_box(wall.low, wall.high, own_rotation(wall));
    case WallShape::mesh: {
      const TreeNode& box = wall.mesh->tree.nodes[0];
      Extent extent =
          of_box({box.low[0], box.low[1], box.low[2]}, {box.high[0], box.high[1], box.high[2]}, {});
      extent.half += 0.5 * wall.thickness;
      return extent.uniform = extent.half, extent;
    }
    case WallShape::cylinder:
    case WallShape::short_cylinder: {
      const double ends = along > 1e-9 ? straight * along : 0;
      return {middle, ends + wall.radius * std::sqrt(1 - along * along), uniform};
    }
    case WallShape::capsule:
      return {middle, straight * along + wall.radius, uniform};
    default:
      return {middle, wall.radius};
  }
}

/// Whether fluid sees a wall from both ends of the period alike, or from neither.
bool fits_into_period(const Extent& wall, bool inside, double low, double high, double reach) {
  const double from = wall.middle - wall.half, to = wall.middle + wall.half, rounding = 1e-6 * (high - low);
  const bool covers = wall.middle - wall.uniform <= low - reach + rounding &&
                      wall.middle + wall.uniform >= high + reach - rounding;
  if (covers) return true;
  if (inside)
    return from >= low - rounding && to <= high + rounding && to - from <= high - low - reach + rounding;
  return from >= low + reach - rounding && to <= high - reach + rounding;
}

}  // namespace

void expect_walls_in_period(const SystemState& system, const InitialState& initial, double reach) {
  constexpr int moments = 200;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!(initial.periodic_length[axis] > 0)) continue;
    const double low = initial.periodic_origin[axis], high = low + initial.periodic_length[axis];
    const std::string name(1, "xyz"[axis]), ends = number_text(low) + " and " + number_text(high) + " m";
    for (size_t w = 0; w < initial.walls.size(); ++w) {
      const WallParameters& wall = initial.walls[w];
      const std::string path =
          "walls." + std::to_string(w) + (wall.name.empty() ? "" : " ('" + wall.name + "')");
      for (int k = 0; k <= (wall.motion.moves() ? moments : 0); ++k) {
        const double time = initial.end_time * k / moments;
        const RigidPose pose = wall.motion.at(time);
        const std::string when = k > 0 ? " at " + number_text(time) + " s" : "";
        if (wall.shape == WallShape::plane) {
          if (std::abs(pose.rotation(wall.direction)[axis]) > 1e-6 * length(wall.direction))
            throw InputError(
                path + ".normal: has a component along " + name + when +
                ", an axis of simulation.periodic.length with its ends at " + ends + ": fluid of systems." +
                system.name +
                " sees what is behind the plane across them; set that period to 0 or turn the plane");
          continue;
        }
        const Extent extent = extent_of(wall, pose, axis);
        if (fits_into_period(extent, wall.inside, low, high, reach)) continue;
        const double from = extent.middle - extent.half, to = extent.middle + extent.half;
        throw InputError(path + ": reaches from " + number_text(from) + " to " + number_text(to) +
                         " m along " + name + when + ", where simulation.periodic.length has its ends at " +
                         ends + "; walls have no images, so fluid of systems." + system.name +
                         " does not see it across them; keep it " + number_text(reach) +
                         " m away from both ends, or let a straight one reach over both by as much");
      }
    }
  }
}

}  // namespace merganser
