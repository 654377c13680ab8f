#include "solvers/geometry/sampling/mesh_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace merganser {

std::vector<int> parts_of(const TriangleMesh& mesh) {
  std::vector<int> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int v) {
    while (root[size_t(v)] != v) v = root[size_t(v)] = root[size_t(root[size_t(v)])];
    return v;
  };
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 1; k < 3; ++k) root[size_t(find(t[k]))] = find(t[0]);
  std::map<int, int> number;  // of a part, by its root
  std::vector<int> part;
  for (const Triangle& t : mesh.triangles)
    part.push_back(number.try_emplace(find(t[0]), int(number.size())).first->second);
  return part;
}

std::vector<TriangleMesh> split_parts(const TriangleMesh& mesh) {
  const std::vector<int> part = parts_of(mesh);
  std::vector<TriangleMesh> parts;
  std::vector<int> number(mesh.vertices.size(), -1);  // in its part
  for (size_t k = 0; k < mesh.triangles.size(); ++k) {
    if (size_t(part[k]) >= parts.size()) parts.emplace_back();
    TriangleMesh& to = parts[size_t(part[k])];
    Triangle own{};
    for (size_t c = 0; c < 3; ++c) {
      const size_t v = size_t(mesh.triangles[k][c]);
      if (number[v] < 0) {
        number[v] = static_cast<int>(to.vertices.size());
        to.vertices.push_back(mesh.vertices[v]);
      }
      own[c] = number[v];
    }
    to.triangles.push_back(own);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const TriangleMesh& a, const TriangleMesh& b) {
    return std::abs(mesh_volume(a)) > std::abs(mesh_volume(b));
  });
  return parts;
}

}  // namespace merganser
