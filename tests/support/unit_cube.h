#pragma once
/// A closed mesh.
#include <string>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser::test {

/// A unit cube, all faces outwards.
inline TriangleMesh cube() {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.push_back({float(i & 1), float((i >> 1) & 1), float(i >> 2)});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// The same as an OBJ file.
inline std::string cube_as_obj() {
  std::string text;
  const TriangleMesh mesh = cube();
  for (const Float3& v : mesh.vertices) {
    text += "v";
    for (const float x : v) text += x > 0 ? " 1" : " 0";
    text += "\n";
  }
  for (const Triangle& t : mesh.triangles) {
    text += "f";
    for (const int corner : t) text += " " + std::to_string(corner + 1);
    text += "\n";
  }
  return text;
}

}  // namespace merganser::test
