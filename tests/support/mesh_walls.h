#pragma once
/// Walls that are meshes made in a test.
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/geometry/walls/wall_parameters.h"
#include "tests/support/placed_mesh.h"

namespace merganser::test {

inline WallParameters mesh_wall(TriangleMesh mesh, double spacing, WallParameters wall = {}) {
  wall.shape = WallShape::mesh;
  transform(mesh, mesh_transform(wall));
  wall.mesh = make_wall_mesh(wall, mesh, spacing, "walls.0.geometryFile (test)");
  return wall;
}

}  // namespace merganser::test
