#pragma once
/// The surface of a broken body: each triangle follows one fragment, whole.
#include "device/scan.h"
#include "device/sort.h"
#include "solvers/geometry/skinning/deformation.h"
#include "solvers/geometry/skinning/vertex_supports.h"
#include "solvers/geometry/surface/marching_cubes.h"

MERGANSER_BEGIN

/// A vertex as it is drawn: which one of the body's surface, and the particle with whose piece it moves.
struct FollowingVertex {
  int vertex, anchor;
};

/// A vertex moves with its nearest particle and what that is tied to. Where the nearest particles of a
/// triangle's vertices are not tied to each other, the triangle moves with two of them that are (else with
/// its first) and has a copy of the third vertex. All its triangles of one fragment share a vertex's copy;
/// within a fragment, along a crack that ends in it, those of one particle do. So no triangle spans a crack,
/// and none is lost.
class SurfacePieces {
 public:
  /// Particles are numbered as in `supports`. Blocking.
  void split(View<const MeshTriangle> triangle, const VertexSupportsView& supports, const Ties& tied);
  /// The body's vertices, then the copies.
  View<const FollowingVertex> vertex() const { return vertex_.const_view(); }
  View<const MeshTriangle> triangle() const { return triangle_.const_view(); }

 private:
  Array<FollowingVertex> vertex_;
  Array<MeshTriangle> triangle_;
  Array<Word64> key_;
  Array<int> foreign_, corner_, count_, offsets_, is_first_, copies_before_;
  Scratch scratch_;
};

MERGANSER_END
