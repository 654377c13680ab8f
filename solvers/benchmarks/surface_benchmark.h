#pragma once
/// Surfaces at the moment when a drop touches a pool ([TN] fig. 10 and table 1), method against method.
#include <string>
#include <utility>
#include <vector>

#include "solvers/geometry/surface/surface_builder.h"
#include "solvers/geometry/surface/topology_tracker.h"

namespace merganser {

/// Medians, [ms].
struct SurfaceTiming {
  long long particles = 0;
  double milliseconds = 0;                             ///< of a topological surface
  std::vector<std::pair<std::string, double>> stages;  ///< of both methods, and of the graph's update
  double field_ratio = 0;                              ///< time of the topological field / of the sum
  size_t vertices = 0, triangles = 0;
};
/// Surfaces of a pool of nx x nx x nz particles on a jittered lattice and a drop of about 180 that touches
/// it.
SurfaceTiming time_surface(SurfaceBuilder& builder, TopologyTracker& tracker, int nx, int nz,
                           int repetitions);

}  // namespace merganser
