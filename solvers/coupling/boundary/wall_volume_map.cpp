#include "solvers/coupling/boundary/wall_volume_map.h"

MERGANSER_BEGIN

void WallVolumeMap::tabulate_shapes(UnitKernel kernel, const Walls& walls) {
  std::vector<RoundSample> round;
  std::vector<int> first;
  bool any = false;
  const auto add = [&](const std::vector<RoundSample>& table) {
    round.insert(round.end(), table.begin(), table.end());
  };
  for (const Wall& wall : to_host(walls.view())) {
    first.push_back(static_cast<int>(round.size()));
    any = any || wall.shape != WallShape::plane;
    const double radius = double(wall.radius) * double(inverse_h_);
    if (wall.shape == WallShape::box && blocks_.empty()) blocks_.assign(tabulate_blocks(kernel));
    if (wall.shape == WallShape::sphere) add(tabulate_sphere(kernel, radius));
    if (wall.shape == WallShape::plane || wall.shape == WallShape::box || wall.shape == WallShape::sphere)
      continue;
    add(tabulate_cylinder(kernel, radius));
    if (wall.shape == WallShape::capsule) add(tabulate_sphere(kernel, radius));
    if (wall.shape == WallShape::short_cylinder) add(tabulate_cylinder_end(kernel, radius));
  }
  if (!any) return;
  round_.assign(round);
  first_round_.assign(first);
}

MERGANSER_END
