#pragma once
/// Memory estimate of a surface, before its grid is made.
#include "solvers/geometry/surface/surface_parameters.h"

namespace merganser {

struct SurfaceEstimate {
  double area = 0;    ///< [m^2] of the particles' outside, within a factor of two
  double bricks = 0;  ///< of 4 x 4 x 4 cells
  double bytes = 0;
};

/// Counts the faces that occupied cells of twice h turn to empty ones: eight bytes a particle, whatever the
/// distance of the particles and the size of a surface cell.
SurfaceEstimate estimate_surface(const FluidPoints& points, const SurfaceParameters& parameters);

}  // namespace merganser
