#pragma once
/// Surfaces of fluids behind a backend-neutral interface; compiled once per backend.
#include <map>
#include <memory>
#include <string>

#include "solvers/geometry/surface/surface_mesh.h"
#include "solvers/geometry/surface/surface_parameters.h"

namespace merganser {

/// Times and sizes of the making of surfaces.
struct SurfaceReport {
  std::map<std::string, double> stage_milliseconds;  ///< of all surfaces so far
  int bricks = 0;                                    ///< evaluated
  int topological_bricks = 0;                        ///< with [TN] eq. 4
  int rounds = 0;                                    ///< until no crossing led out of the bricks
  size_t device_bytes = 0;
};

class SurfaceBuilder {
 public:
  virtual ~SurfaceBuilder() = default;
  /// The surface of a fluid, whose positions must be finite. With the method `topological`, `links` are its
  /// topological neighborhoods.
  virtual SurfaceMesh build(const FluidPoints& points, const TopologyLinks* links,
                            const SurfaceParameters& parameters) = 0;
  /// Velocities, and normals from the triangles, for a mesh made elsewhere.
  virtual void complete(SurfaceMesh& mesh, const FluidPoints& points,
                        const SurfaceParameters& parameters) = 0;
  virtual SurfaceReport report() const = 0;
};

namespace cpu {
std::unique_ptr<SurfaceBuilder> make_surface_builder();
}
namespace gpu {
/// Throws DeviceError where this build has no CUDA half.
std::unique_ptr<SurfaceBuilder> make_surface_builder();
}  // namespace gpu

}  // namespace merganser
