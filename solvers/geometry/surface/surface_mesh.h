#pragma once
/// A triangle mesh with what a renderer wants at its vertices, as plain host data.
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct SurfaceMesh {
  std::vector<Float3> position;     ///< [m]
  std::vector<Float3> normal;       ///< unit vectors, out of the fluid
  std::vector<Float3> velocity;     ///< [m/s]
  std::vector<Triangle> triangles;  ///< counter-clockwise seen from outside
  std::vector<Float2> uv = {};      ///< texture coordinates in [0, 1]; empty: none
};

}  // namespace merganser
