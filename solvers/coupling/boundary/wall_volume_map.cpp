#include "solvers/coupling/boundary/wall_volume_map.h"

#include "solvers/coupling/boundary/find_near_walls.h"

MERGANSER_BEGIN

void WallVolumeMap::expect_reach(const DistanceField& field, float support) {
  if (support <= field.reach()) return;
  throw InputError(field.name() + ": the fluid's kernel reaches " + std::to_string(support) +
                   " m, the mesh's distance field only " + std::to_string(field.reach()) +
                   " m from the surface; lower smoothingLengthFactor to at most 1.5");
}

void WallVolumeMap::tabulate_shapes(UnitKernel kernel, const Walls& walls) {
  std::vector<RoundSample> round;
  std::vector<int> first;
  bool any = false;
  int meshes = 0;
  const auto add = [&](const std::vector<RoundSample>& table) {
    round.insert(round.end(), table.begin(), table.end());
  };
  for (const Wall& wall : to_host(all_of(walls.view()))) {
    first.push_back(wall.shape == WallShape::mesh ? meshes : static_cast<int>(round.size()));
    if (wall.sampled) continue;
    meshes += wall.shape == WallShape::mesh;
    any = any || wall.shape != WallShape::plane;
    const double radius = double(wall.radius) * double(inverse_h_);
    if (wall.shape == WallShape::box && blocks_.empty()) blocks_.assign(tabulate_blocks(kernel));
    if (wall.shape == WallShape::sphere) add(tabulate_sphere(kernel, radius));
    if (wall.shape == WallShape::plane || wall.shape == WallShape::box || wall.shape == WallShape::sphere ||
        wall.shape == WallShape::mesh)
      continue;
    add(tabulate_cylinder(kernel, radius));
    if (wall.shape == WallShape::capsule) add(tabulate_sphere(kernel, radius));
    if (wall.shape == WallShape::short_cylinder) add(tabulate_cylinder_end(kernel, radius));
  }
  if (!any) return;
  round_.assign(round);
  first_round_.assign(first);
}

void WallVolumeMap::sample_walls(const EitherKernel& kernel, const Walls& walls, float h, float spacing) {
  constexpr float most = 1.5f;  // spacings; a second layer would have 10 % of the kernel sum behind a plane
  const std::vector<Wall> all = to_host(all_of(walls.view()));
  std::vector<SampledWallView> views;
  for (int k = 0; k < walls.count(); ++k) {
    const Wall& wall = all[size_t(k)];
    views.push_back({.kernel = kernel});
    if (!wall.sampled) continue;
    if (h > 1.001f * most * spacing)
      throw InputError(
          "walls." + std::to_string(wall.owner) +
          ".boundary samples: one layer of samples does not fill kernels of smoothingLengthFactor " +
          std::to_string(h / spacing) + "; lower it to at most 1.5 or take boundary volumeMap");
    sampled_.emplace_back(sample_wall(wall, walls.mesh(k).get(), spacing, 2 * h), kernel, h, spacing);
    views.back() = sampled_.back().view();
  }
  if (!sampled_.empty()) sampled_views_.assign(views);
}

void WallVolumeMap::find_near(const WallView& walls, View<const Vec3> position) {
  first_near_.clear();  // what the view of the last step says does not hold any more
  if (walls.are_planes() || position.count == 0) return;
  const WallFillView fill = view();
  first_near_.resize(position.count + 1);
  seen_.resize(position.count);
  launch(position.count, CountNearWalls{walls, fill, position, first_near_.view(), seen_.view()});
  exclusive_scan(first_near_.const_view().subview(0, position.count), first_near_.view(), scratch_);
  near_.resize(read_back(first_near_.const_view(), position.count));
  launch(position.count,
         FindNearWalls{walls, fill, position, first_near_.const_view(), seen_.const_view(), near_.view()});
}

MERGANSER_END
