#pragma once
/// Density that walls add to a particle where forces are to be the gradient of it.
///
/// Walls that mirror the particle push it with 2 p grad lambda while its density has lambda alone: next to a
/// wall the pressures of a solve answer another density than the one that is measured, and what a particle
/// gains on its way to the wall it does not give back on its way from it. Here the density has
///   Lambda = lambda_0 (lambda/lambda_0)^n,
/// and the force p grad Lambda is derived from it. With the wall's offset, lambda_0 is the share at half a
/// spacing from a plane. Formulas with 2 lambda' remain: they get Lambda'/2.
#include "solvers/coupling/boundary/for_each_near_wall.h"
#include "solvers/coupling/boundary/wall_density.h"
#include "solvers/methods/dfsph/wall_offset.h"

MERGANSER_BEGIN

/// The density that a kernel of double with h = 1 asks for.
template <class Kernel>
WallDensity conservative_wall_density(const Kernel& kernel, double spacing, double h) {
  return lattice_wall_density(kernel, spacing, h, double(wall_offset(kernel, spacing, h)),
                              lattice_density(kernel, spacing, h));
}

/// Shares of walls as densities and pressures of this fluid take them.
struct DfsphWallFill : WallFillView {
  WallDensity density;
  DfsphWallFill(const WallFillView& fill, const WallDensity& density_ = {})
      : WallFillView(fill), density(density_) {}
};

/// for_each_near_wall() of for_each_near_wall.h with the shares that `fill.density` makes of them.
template <class Shapes, class Visit>
MERGANSER_FN void for_each_near_wall(const Shapes& walls, const DfsphWallFill& fill, int particle,
                                     const Vec3& x, const Visit& visit) {
  for_each_near_wall(walls, static_cast<const WallFillView&>(fill), particle, x,
                     [&](const Wall& wall, const WallShare& share) { visit(wall, fill.density.of(share)); });
}

MERGANSER_END
