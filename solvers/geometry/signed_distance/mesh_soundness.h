#pragma once
/// Whether a mesh has an inside, and how thin what it encloses is.
#include <string>

#include "solvers/geometry/signed_distance/mesh_tree.h"

namespace merganser {

/// Two triangles of a mesh, by their numbers in it; -1 where there are none.
struct TrianglePair {
  int first = -1, second = -1;
  bool found() const { return first >= 0; }
};

/// Two triangles that cut each other: an edge of one passes through the inside of the other, further than
/// rounding can bring it. Triangles that share a corner count only where the edge opposite to it does.
/// Overlaps within one plane are not looked for.
TrianglePair find_intersection(const TriangleMesh& mesh, const MeshTree& tree);

/// What is thinner than a length, looking from the middle of each triangle straight into the solid.
struct ThinParts {
  double area_share = 0;  ///< of the surface
  double least = 1e300;   ///< [m] thinnest of them, 1e300 where there is none
};
ThinParts find_thin_parts(const MeshTree& tree, double length);

/// A mesh that is to enclose a solid. Vertices at equal places become one where it is not closed
/// without that; faces that all look inwards are turned outwards. Throws InputError with
/// `name`: an edge is not shared by exactly two faces that run through it in opposite directions, or two
/// triangles cut each other.
void make_sound(TriangleMesh& mesh, const std::string& name);

}  // namespace merganser
