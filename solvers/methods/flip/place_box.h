#pragma once
/// Placement of the box of cells.
#include <utility>
#include <vector>

#include "device/uniform_grid.h"

MERGANSER_BEGIN

struct PositionMoments {
  Vec3d sum, squares;  ///< [m], [m^2]
  double count;
};

class GridBounds {
 public:
  /// Lowest lattice cell and number of cells of a box around the particles: two cells of margin for their
  /// kernels, outwards to multiples of four, so that the box seldom changes. Where it has many more cells
  /// than there are particles, up to a tenth of these stay outside, those that are more than four standard
  /// deviations from the mean along an axis. Where it still has too many, it is cut to the standard
  /// deviations that fit. Particles outside fly on without pressure.
  std::pair<Int3, Int3> around(const std::vector<View<const Vec3>>& positions, const Bounds& bounds,
                               float dx);

 private:
  struct Spread;
  Spread spread(const std::vector<View<const Vec3>>& positions, const double* low, const double* high,
                float inverse_dx);
  Reduction<PositionMoments> moments_;
};

MERGANSER_END
