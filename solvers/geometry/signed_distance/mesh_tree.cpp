#include "solvers/geometry/signed_distance/mesh_tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "device/errors.h"
#include "device/vector_math.h"

namespace merganser {

using cpu::Vec3d;

namespace {

Vec3d to_vec(const Float3& p) { return {p[0], p[1], p[2]}; }

void put(float (&to)[3], const Vec3d& from) {
  to[0] = float(from.x), to[1] = float(from.y), to[2] = float(from.z);
}

/// Sums of weighted face normals, at corners and along edges.
struct Pseudonormals {
  std::vector<Vec3d> corner;
  std::map<std::pair<int, int>, Vec3d> edge;  ///< by its vertices in ascending order
};

/// Unit normal; zero without an area.
Vec3d face_normal(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3d a = to_vec(mesh.vertices[size_t(t[0])]), b = to_vec(mesh.vertices[size_t(t[1])]),
              c = to_vec(mesh.vertices[size_t(t[2])]);
  return normalized_or_zero(cross(b - a, c - a));
}

double angle_at(const TriangleMesh& mesh, const Triangle& t, size_t corner) {
  const Vec3d at = to_vec(mesh.vertices[size_t(t[corner])]);
  const Vec3d u = to_vec(mesh.vertices[size_t(t[(corner + 1) % 3])]) - at,
              v = to_vec(mesh.vertices[size_t(t[(corner + 2) % 3])]) - at;
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

Pseudonormals pseudonormals(const TriangleMesh& mesh) {
  Pseudonormals sums{std::vector<Vec3d>(mesh.vertices.size(), Vec3d{0, 0, 0}), {}};
  for (const Triangle& t : mesh.triangles) {
    const Vec3d n = face_normal(mesh, t);
    for (size_t k = 0; k < 3; ++k) {
      sums.corner[size_t(t[k])] += n * angle_at(mesh, t, k);
      sums.edge.try_emplace(std::minmax(t[k], t[(k + 1) % 3]), Vec3d{0, 0, 0}).first->second += n;
    }
  }
  return sums;
}

TreeTriangle triangle_of(const TriangleMesh& mesh, const Triangle& t, const Pseudonormals& sums) {
  TreeTriangle made{};
  for (size_t k = 0; k < 3; ++k) {
    put(made.corner[k], to_vec(mesh.vertices[size_t(t[k])]));
    put(made.normal[k], normalized_or_zero(sums.corner[size_t(t[k])]));
    put(made.normal[3 + k], normalized_or_zero(sums.edge.at(std::minmax(t[k], t[(k + 1) % 3]))));
  }
  put(made.normal[6], face_normal(mesh, t));
  return made;
}

TreeNode node_around(const std::vector<TreeTriangle>& triangles, const int* first, const int* last) {
  TreeNode node{{3e38f, 3e38f, 3e38f}, {-3e38f, -3e38f, -3e38f}, 0, 0};
  for (; first != last; ++first)
    for (const auto& corner : triangles[size_t(*first)].corner)
      for (int axis = 0; axis < 3; ++axis) {
        node.low[axis] = std::min(node.low[axis], corner[axis]);
        node.high[axis] = std::max(node.high[axis], corner[axis]);
      }
  return node;
}

/// Splits order[first, last) at the middle of its triangles along the longest side of their box. The depth is
/// that of a balanced tree.
void split(const std::vector<TreeTriangle>& triangles, std::vector<int>& order, int first, int last, int at,
           std::vector<TreeNode>& nodes) {
  nodes[size_t(at)] = node_around(triangles, order.data() + first, order.data() + last);
  TreeNode& node = nodes[size_t(at)];
  node.first = first;
  node.count = last - first;
  if (node.count <= MeshTree::leaf_size) return;
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (node.high[k] - node.low[k] > node.high[axis] - node.low[axis]) axis = k;
  const auto middle_of = [&](int t) {
    const auto& corner = triangles[size_t(t)].corner;
    return corner[0][axis] + corner[1][axis] + corner[2][axis];
  };
  const int middle = (first + last) / 2, child = static_cast<int>(nodes.size());
  std::nth_element(order.begin() + first, order.begin() + middle, order.begin() + last,
                   [&](int a, int b) { return std::pair(middle_of(a), a) < std::pair(middle_of(b), b); });
  node.first = child;
  node.count = 0;
  nodes.resize(nodes.size() + 2);
  split(triangles, order, first, middle, child, nodes);
  split(triangles, order, middle, last, child + 1, nodes);
}

}  // namespace

MeshTree make_mesh_tree(const TriangleMesh& mesh) {
  const Pseudonormals sums = pseudonormals(mesh);
  std::vector<TreeTriangle> triangles;
  std::vector<int> source;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (norm(face_normal(mesh, mesh.triangles[t])) == 0) continue;
    triangles.push_back(triangle_of(mesh, mesh.triangles[t], sums));
    source.push_back(static_cast<int>(t));
  }
  if (triangles.empty()) throw InputError("the mesh has no triangle with an area");
  std::vector<int> order(triangles.size());
  std::iota(order.begin(), order.end(), 0);
  MeshTree tree;
  tree.nodes.resize(1);
  split(triangles, order, 0, static_cast<int>(order.size()), 0, tree.nodes);
  for (const int t : order) {
    tree.triangles.push_back(triangles[size_t(t)]);
    tree.source.push_back(source[size_t(t)]);
  }
  return tree;
}

}  // namespace merganser
