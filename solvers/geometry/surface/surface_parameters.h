#pragma once
/// Parameters and sources of a surface, as plain host data.
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

enum class SurfaceMethod {
  topological,  ///< [TN] eq. 4 where neighborhoods are adjusted, the sum elsewhere
  sum,          ///< sum of the particles' functions, [TN] eq. 1
};

struct SurfaceParameters {
  SurfaceMethod method = SurfaceMethod::topological;
  double h = 0.01;            ///< [m] the kernel's support is 2h, a lone particle is a ball of radius h/2
  double spacing = 0.01;      ///< [m] rest distance of the particles; tells what a deficient density is
  double cell_factor = 0.25;  ///< side of a cell / h
  int refinements = 0;        ///< secant steps that move a vertex onto the field's iso-surface
  int smoothing = 0;          ///< Taubin steps on the mesh
  /// Particles further than this many h from a brick do not count in [TN] eq. 4. The paper takes 3.25;
  /// from 2.5 on the field changes by no more than rounding, at 2.25 by 6e-4 (tests/kernels).
  double search_radius_factor = 2.5;
  bool early_stop = true;  ///< stop adding up where the point is far inside
};

/// Particles of one fluid.
struct FluidPoints {
  std::vector<Float3> position;  ///< [m]
  std::vector<Float3> velocity;  ///< [m/s]
  std::vector<float> mass;       ///< [kg]
};

/// Topological neighborhoods in compressed rows: linked pairs alone, in both directions.
struct TopologyLinks {
  std::vector<int> first;     ///< one more than particles
  std::vector<int> neighbor;  ///< indices of particles
  std::vector<float> age;     ///< in [0, 1], [TN] eq. 6
};

}  // namespace merganser
