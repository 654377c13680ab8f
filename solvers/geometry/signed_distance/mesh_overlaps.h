#pragma once
/// Test for a closed mesh that overlaps itself, so that it is not the surface of what it encloses.
#include <string>

#include "solvers/geometry/signed_distance/mesh_tree.h"

namespace merganser {

/// Triangles of a mesh, by their numbers in it.
struct MeshOverlap {
  int first = -1;   ///< -1: there is none
  int second = -1;  ///< that the first one cuts or covers; -1: the first one lies within the solid
  bool found() const { return first >= 0; }
  /// "the mesh intersects itself, for example its triangles 1 and 2 do", numbers from 1.
  std::string text() const;
};

/// A mesh is sound where its winding number is 1 behind every triangle and 0 in front of it. Looked for are,
/// in this order,
/// - two triangles whose insides cross, or which cover a part of each other in one plane, further than
/// rounding
///   can bring them; of neighbors that share a corner only the former, of those that share an edge neither;
/// - cuts along edges and through corners, where no insides cross: triangles that touch others are asked for
///   the winding number in front of seven of their points;
/// - parts without contact that lie within others, or whose faces look the other way: one point of each is
/// asked. Faces must not all look inwards.
MeshOverlap find_overlap(const TriangleMesh& mesh, const MeshTree& tree);

}  // namespace merganser
