#pragma once
/// Polygons as triangles.
#include <vector>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// Triangles of a simple polygon, convex or not, whose corners are vertices of the mesh: two fewer
/// than the corners, with the polygon's edges and sense. The polygon need not be quite flat: it is seen
/// along the sum of its edges' cross products (Newell). Where all triangles from the first corner lie on the
/// same side these are taken; else corners are cut off that no other one lies in (ear clipping; Meisters
/// 1975). What has no such corner left, a face without area or one that crosses itself, becomes triangles
/// from its first corner.
std::vector<Triangle> triangulated(const std::vector<Point3>& vertices, const std::vector<int>& corners);

}  // namespace merganser
