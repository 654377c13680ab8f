#pragma once
/// Vertices that a mesh does not need. Those at one place become one: seams of texture coordinates, faces
/// with corners of their own.
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// Share of a mesh's longest side within which vertices count as one place: what writers round, and less than
/// meshes resolve.
inline constexpr double weld_tolerance = 1e-5;

/// Merges each vertex with the first one before it that lies within `share` of the longest side of the
/// mesh's box; 0: with an equal one. Triangles that lose a corner are left out. Vertices keep their order.
/// Coordinates must be finite. Returns how many vertices were merged.
template <class Mesh>
size_t weld(Mesh& mesh, double share);

/// Leaves out the vertices that no triangle names, which would widen the bounds of a mesh. The others keep
/// their order.
void keep_named_vertices(FileMesh& mesh);

}  // namespace merganser
