#pragma once
/// The surface of a body that follows its particles ([ES] sec. 8), behind a backend-neutral interface;
/// compiled once per backend.
#include <memory>

#include "solvers/geometry/sampling/skin_body.h"
#include "solvers/geometry/surface/surface_mesh.h"

namespace merganser {

class BodySkin {
 public:
  virtual ~BodySkin() = default;
  /// The surface with the particles where they are in a frame; of a cloth see sheet_skin.h. It has the
  /// triangles of the body's surface in their order. Its vertices are those of the body's surface and behind
  /// them, where a body is broken, copies: one for each further fragment that triangles at a vertex follow.
  /// Blocking.
  virtual SurfaceMesh follow(const SkinParticles& now) = 0;
  /// Vertices of the body's surface that lie outside the supports of all particles and follow the nearest one
  /// alone.
  virtual int lone_vertices() const = 0;
};

namespace cpu {
/// `spacing` [m]: rest distance of particles. The body has particles and vertices; all are finite.
std::unique_ptr<BodySkin> make_body_skin(const SkinBody& body, double spacing);
}  // namespace cpu
namespace gpu {
/// Throws DeviceError where this build has no CUDA half.
std::unique_ptr<BodySkin> make_body_skin(const SkinBody& body, double spacing);
}  // namespace gpu

}  // namespace merganser
