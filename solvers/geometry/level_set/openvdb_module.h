#pragma once
/// OpenVDB as a library that is loaded when it is first asked for. The shared library that Debian builds
/// takes 27 MB of memory and a tenth of a second at every start, and few runs need it.
///
/// sample_mesh() and united_mesh() (solvers/geometry/sampling/mesh.h) and level_set_surface() forward to what
/// the library holds.
#include "solvers/geometry/level_set/level_set_surface.h"
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

struct OpenVdbModule {
  const char* version;  ///< of the program that the library was built with
  std::vector<Float3> (*sample_mesh)(const TriangleMesh& mesh, const Sampling& sampling);
  TriangleMesh (*united_mesh)(const TriangleMesh& mesh, double cell);
  LevelSetSurface (*level_set_surface)(const FluidPoints& points, const SurfaceParameters& parameters,
                                       int threads);
};
/// The library's only symbol.
inline constexpr const char* openvdb_module_symbol = "merganser_openvdb_module";

namespace openvdb_module {
std::vector<Float3> sample_mesh(const TriangleMesh& mesh, const Sampling& sampling);
TriangleMesh united_mesh(const TriangleMesh& mesh, double cell);
LevelSetSurface level_set_surface(const FluidPoints& points, const SurfaceParameters& parameters,
                                  int threads);
}  // namespace openvdb_module

}  // namespace merganser
