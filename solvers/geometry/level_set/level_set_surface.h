#pragma once
/// Skinning with a level set, as [MS] sec. 6 does for fluids (its reference 80, Bhattacharya et al. 2011):
/// here the particles' balls as one signed distance, smoothed, and turned into a mesh, all by OpenVDB.
#include "solvers/geometry/surface/surface_mesh.h"
#include "solvers/geometry/surface/surface_parameters.h"

namespace merganser {

struct LevelSetSurface {
  SurfaceMesh mesh;  ///< positions and triangles only
  /// The level set as a .vdb file: signed distance [m], grid "surface". OpenVDB has no voxels below 1.5e-5 m:
  /// lengths of finer ones are in the unit that the grid's metadata tell, "metersPerUnit".
  std::vector<char> vdb;
};

/// Balls of radius 0.9 h are united, smoothed by a step of mean curvature flow per 2 of `smoothing` (at the
/// least two) and moved in by 0.4 h, which leaves a lone particle a radius of about h/2 and fills what lies
/// between neighbors. Voxels are cell_factor h wide, `threads` the
/// most threads to use. Throws InputError where a voxel is too wide for that.
LevelSetSurface level_set_surface(const FluidPoints& points, const SurfaceParameters& parameters,
                                  int threads);

}  // namespace merganser
