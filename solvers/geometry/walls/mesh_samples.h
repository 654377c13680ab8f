#pragma once
/// Points that stand for a mesh's surface, one layer of them behind it.
#include <vector>

#include "solvers/geometry/walls/wall_mesh.h"

namespace merganser {

/// Points [m] in the body frame, half a spacing [m] behind the surface, about one a square of the spacing. In
/// parts that are thinner than the spacing there are none; those of a surface with less thickness stand in
/// its middle. The same mesh gives the same points.
///
/// Candidates, 25 a square of the spacing, are spread over the triangles by area: each triangle takes its
/// share of one sequence of low discrepancy (the R2 sequence: Roberts 2018, folded into the triangle). They
/// are taken in the order of one direction, each that keeps 0.88 spacings from all taken before: such a sweep
/// packs a face nearly as a hexagonal lattice and leaves no gap of a spacing.
std::vector<Point3> sample_surface(const WallMesh& mesh, double spacing);

}  // namespace merganser
