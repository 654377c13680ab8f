#pragma once
/// Soundness of a mesh: whether it has an inside, and how thin what it encloses is.
#include <string>

#include "solvers/geometry/signed_distance/mesh_tree.h"

namespace merganser {

/// Parts thinner than a length, looking from the middle of each triangle straight into the solid.
struct ThinParts {
  double area_share = 0;  ///< of the surface
  double least = 1e300;   ///< [m] thinnest of them, 1e300 where there is none
};
ThinParts find_thin_parts(const MeshTree& tree, double length);

/// A mesh that is to enclose a solid. Vertices at equal places become one where it is not closed
/// without that; faces that all look inwards are turned outwards. Throws InputError with
/// `name`: an edge is not shared by exactly two faces that run through it in opposite directions, or the mesh
/// overlaps itself (mesh_overlaps.h).
void make_sound(TriangleMesh& mesh, const std::string& name);

/// The surface of the solid that a closed mesh encloses: the mesh, or where it overlaps itself that of the
/// union of its parts, from a level set with this cell [m]. Faces that all look inwards are turned outwards.
/// [spacings] fine enough for particles that are relaxed up to it.
inline constexpr double relaxed_surface_cell = 0.3;
TriangleMesh solid_surface(TriangleMesh closed, double cell);

}  // namespace merganser
