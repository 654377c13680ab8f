#pragma once
/// Walls that are meshes made in a test.
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/geometry/walls/wall_parameters.h"

namespace merganser::test {

inline WallParameters mesh_wall(const TriangleMesh& mesh, double spacing, WallParameters wall = {}) {
  wall.shape = WallShape::mesh;
  wall.mesh = make_wall_mesh(wall, mesh, spacing, "walls.0.geometryFile (test)");
  return wall;
}

}  // namespace merganser::test
