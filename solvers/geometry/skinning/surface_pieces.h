#pragma once
/// The surface of a broken body: each triangle follows one fragment, whole.
#include "device/scan.h"
#include "device/sort.h"
#include "solvers/geometry/skinning/vertex_supports.h"
#include "solvers/geometry/surface/marching_cubes.h"

MERGANSER_BEGIN

/// A vertex as it is drawn: which one of the body's surface, and the particle whose fragment it follows.
struct FollowingVertex {
  int vertex, anchor;
};

/// A vertex belongs to the fragment of its nearest particle, a triangle to that of most of its vertices
/// (where all three differ, of its first). Where a triangle belongs to another fragment than one of its
/// vertices, it gets a copy of the vertex, which the fragment's triangles there share. So no triangle spans a
/// crack, and none is lost.
class SurfacePieces {
 public:
  /// `fragment` of particles, in the order of `supports`. Blocking.
  void split(View<const MeshTriangle> triangle, const VertexSupportsView& supports, View<const int> fragment);
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
