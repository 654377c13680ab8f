#pragma once
/// Placement of the box of cells.
#include <utility>

#include "device/uniform_grid.h"

MERGANSER_BEGIN

struct PositionMoments {
  Vec3d sum, squares;  ///< [m], [m^2]
  double count;
};

class GridBounds {
 public:
  /// Lowest lattice cell and number of cells of a box around the particles: two cells of margin for their
  /// kernels, outwards to multiples of four, so that the box seldom changes. Where a few particles have flown
  /// so far that the box would have many more cells than there are particles, it is cut to the standard
  /// deviations around their mean that fit; those outside fly on without pressure.
  std::pair<Int3, Int3> around(View<const Vec3> position, const Bounds& bounds, float dx);

 private:
  Reduction<PositionMoments> moments_;
};

MERGANSER_END
