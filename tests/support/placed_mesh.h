#pragma once
/// Meshes made in a test, moved as those of files are.
#include "solvers/geometry/sampling/mesh.h"

namespace merganser::test {

inline void transform(TriangleMesh& mesh, const MeshTransform& transform) {
  FileMesh file{{}, mesh.triangles};
  for (const Float3& v : mesh.vertices) file.vertices.push_back({v[0], v[1], v[2]});
  mesh = placed(file, transform, "made in a test");
}

}  // namespace merganser::test
