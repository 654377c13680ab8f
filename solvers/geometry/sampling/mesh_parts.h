#pragma once
/// Parts of a mesh that share no vertex.
#include <vector>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// The part of each triangle, from 0 in the order in which they come.
std::vector<int> parts_of(const TriangleMesh& mesh);
/// As meshes, the one that encloses most first.
std::vector<TriangleMesh> split_parts(const TriangleMesh& mesh);

}  // namespace merganser
