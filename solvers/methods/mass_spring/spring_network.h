#pragma once
/// Springs of cloths and ropes, from regular grids and from triangle meshes.
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/core/initial_state.h"

namespace merganser {

/// Springs of a rectangular cloth of nu x nv vertices, vertex (i, j) being i + nu * j (Provot 1995).
/// Structural springs along both axes have stiffness `stretch` [N/m], both diagonals of every cell `shear`
/// [N/m], and springs that skip one vertex along an axis have bending/spacing^2 [N/m] with `bending` in [N m]
/// and that axis' spacing [m]. A stiffness of 0 makes no springs of that kind.
std::vector<Spring> grid_springs(int nu, int nv, float spacing_u, float spacing_v, double stretch,
                                 double shear, double bending);

/// Springs of a triangle mesh at rest: `stretch` [N/m] along every edge, and between the two vertices
/// opposite to an inner edge bending/d^2 [N/m] with `bending` in [N m] and d [m] the distance of those
/// vertices.
std::vector<Spring> mesh_springs(const std::vector<Float3>& vertices, const std::vector<Triangle>& triangles,
                                 double stretch, double bending);

/// Springs of a rope of n vertices: `stretch` [N/m] between neighbors and bending/spacing^2 [N/m] between
/// every vertex and the one after the next.
std::vector<Spring> rope_springs(int n, float spacing, double stretch, double bending);

}  // namespace merganser
