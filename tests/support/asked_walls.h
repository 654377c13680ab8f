#pragma once
/// Answers of walls on the device: distances and velocities of their surfaces, shares of a kernel.
#include "device/launch.h"
#include "solvers/coupling/boundary/wall_volume_map.h"

MERGANSER_BEGIN

/// The walls of a scene as kernels see them. Meshes keep their grids on the device.
inline std::vector<Wall> made_walls(const std::vector<WallParameters>& walls) {
  const Walls made(walls);
  const View<const Wall>& on_device = made.view();
  return to_host(on_device);
}

/// The nearest of the walls, as seen from a point.
struct NearestSurface {
  float distance;  ///< [m]
  Vec3 normal, velocity;
};
struct AskNearest {
  static constexpr const char* name = "test nearest wall";
  WallView walls;
  View<const Vec3> position;
  View<NearestSurface> found;
  MERGANSER_METHOD void operator()(int i) const {
    found[i] = {3e38f, {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < walls.count; ++k) {
      const WallDistance at = walls[k].at(position[i]);
      if (at.distance < found[i].distance)
        found[i] = {at.distance, at.normal, walls[k].velocity_at(position[i], at)};
    }
  }
};
inline std::vector<NearestSurface> nearest_surfaces(const Walls& walls, const std::vector<Vec3>& points) {
  const Array<Vec3> position(points);
  Array<NearestSurface> found(position.size());
  launch(position.size(), AskNearest{walls.view(), position.const_view(), found.view()});
  return found.to_host();
}

/// The share of the last wall in reach; a whole kernel where none is.
struct AskShare {
  static constexpr const char* name = "test wall share";
  WallView walls;
  WallFillView fill;
  View<const Vec3> position;
  View<WallShare> share;
  MERGANSER_METHOD void operator()(int i) const {
    share[i] = {{0, 0, 0}, 0, {0, 0, 0}, 1, 0, 1};
    for_each_near_wall(walls, fill, position[i],
                       [&](const Wall&, const WallShare& found) { share[i] = found; });
  }
};
inline std::vector<WallShare> wall_shares(const Walls& walls, const WallVolumeMap& map,
                                          const std::vector<Vec3>& points) {
  const Array<Vec3> position(points);
  Array<WallShare> share(position.size());
  launch(position.size(), AskShare{walls.view(), map.view(), position.const_view(), share.view()});
  return share.to_host();
}

MERGANSER_END
