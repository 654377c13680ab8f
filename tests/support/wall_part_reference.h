#pragma once
/// Part of a kernel behind a wall, by direct quadrature in three dimensions, in double.
#include <cmath>

#include "solvers/coupling/boundary/wall_part.h"
#include "solvers/geometry/walls/wall_sides.h"
#include "tests/support/test_namespace.h"

MERGANSER_BEGIN
namespace test {

/// As WallPart.
struct WallPartReference {
  double fraction = 0, moment = 0;
  Vec3d gradient{0, 0, 0};
};

/// Midpoint sums over a cube of n^3 cells around the kernel's centre x; which cells are behind the wall says
/// the host's signed distance. The cube is turned, so that cells that a face cuts, which count with all or
/// nothing, err to both sides alike: 1e-3 for n = 80. With r = y - x the divergence theorem turns the moment
/// into
///   int_B div(W r) = int_B 3 W + r W'.
template <class Kernel>
WallPartReference integrate_behind(const WallParameters& wall, const Kernel& kernel, double h, const Vec3d& x,
                                   int n) {
  WallPartReference sum;
  const double cell = 4 * h / n, volume = cell * cell * cell;
  const Rotation turn = Rotation::by({0.3, 0.5, 0.7});
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const Point3 turned =
            turn({-2 * h + (i + 0.5) * cell, -2 * h + (j + 0.5) * cell, -2 * h + (k + 0.5) * cell});
        const Vec3d r{turned[0], turned[1], turned[2]};
        const double distance = norm(r);
        if (distance > 2 * h) continue;
        const Vec3d y = x + r;
        if (signed_distance(wall, {float(y.x), float(y.y), float(y.z)}) > 0) continue;
        const double w = kernel.value(distance), f = kernel.gradient_factor(distance);
        sum.fraction += volume * w;
        sum.gradient -= volume * f * r;  // grad_x W(|x - y|) = -F r
        sum.moment += volume * (3 * w + f * distance * distance);
      }
  return sum;
}

}  // namespace test
MERGANSER_END
