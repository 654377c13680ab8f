#include "host/scene/gltf_nodes.h"

#include <algorithm>
#include <cmath>

namespace merganser {

namespace {

/// T R S (sec. 5.25); the quaternion has length 1.
GltfMatrix matrix_of(const std::array<double, 3>& t, const std::array<double, 4>& q,
                     const std::array<double, 3>& s) {
  const auto [x, y, z, w] = q;
  return {s[0] * (1 - 2 * (y * y + z * z)),
          s[0] * 2 * (x * y + z * w),
          s[0] * 2 * (x * z - y * w),
          0,
          s[1] * 2 * (x * y - z * w),
          s[1] * (1 - 2 * (x * x + z * z)),
          s[1] * 2 * (y * z + x * w),
          0,
          s[2] * 2 * (x * z + y * w),
          s[2] * 2 * (y * z - x * w),
          s[2] * (1 - 2 * (x * x + y * y)),
          0,
          t[0],
          t[1],
          t[2],
          1};
}

template <size_t n>
std::array<double, n> array_or(const std::vector<double>& given, const std::array<double, n>& otherwise) {
  std::array<double, n> made = otherwise;
  std::copy(given.begin(), given.end(), made.begin());
  return made;
}

}  // namespace

GltfMatrix product(const GltfMatrix& a, const GltfMatrix& b) {
  GltfMatrix c{};
  for (size_t column = 0; column < 4; ++column)
    for (size_t row = 0; row < 4; ++row)
      for (size_t k = 0; k < 4; ++k) c[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return c;
}

GltfNodes::GltfNodes(const GltfFile& file) : file_(file) {
  const GltfFile::Value& nodes = file.list("nodes");
  children_.resize(nodes.size());
  parent_.assign(nodes.size(), none);
  to_scene_.resize(nodes.size());
  for (size_t index = 0; index < nodes.size(); ++index) {
    const std::string path = file.place("nodes", index);
    const GltfFile::Value& given = file.object(nodes[index], path);
    if (!given.contains("children")) continue;
    for (const GltfFile::Value& entry : file.array(given["children"], path + ".children")) {
      const size_t child = file.whole(entry, path + ".children");
      node(child, path);
      if (parent_[child] != none)
        file.fail(file.place("nodes", child) + " is a child of both " + file.place("nodes", parent_[child]) +
                  " and " + path + ", a node has one parent at most; save it again");
      parent_[child] = index;
      children_[index].push_back(child);
    }
  }
  // Where every node has one parent, those that no root leads to go in circles.
  size_t reached = 0;
  std::vector<size_t> open;
  for (size_t index = 0; index < nodes.size(); ++index)
    if (parent_[index] == none) open.push_back(index);
  for (; !open.empty(); ++reached) {
    const size_t index = open.back();
    open.pop_back();
    open.insert(open.end(), children_[index].begin(), children_[index].end());
  }
  if (reached < nodes.size()) file.fail("its nodes go in a circle; save it again");
}

const GltfFile::Value& GltfNodes::node(size_t index, const std::string& said_by) const {
  return file_.element("nodes", index, said_by);
}

std::vector<size_t> GltfNodes::of_scene(size_t scene) const {
  const GltfFile::Value& given = file_.element("scenes", scene, "the file");
  const std::string path = file_.place("scenes", scene);
  std::vector<size_t> found, open;
  if (!given.contains("nodes")) return found;
  std::vector<char> is_listed(parent_.size(), 0);
  for (const GltfFile::Value& entry : file_.array(given["nodes"], path + ".nodes")) {
    const size_t root = file_.whole(entry, path + ".nodes");
    node(root, path);
    if (parent_[root] != none || is_listed[root])
      file_.fail(path + " names " + file_.place("nodes", root) +
                 (is_listed[root] ? " twice" : ", a child of " + file_.place("nodes", parent_[root])) +
                 "; a scene names roots of nodes, each once; save it again");
    is_listed[root] = 1;
    open.push_back(root);
  }
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    found.push_back(open.back());
    open.pop_back();
    const std::vector<size_t>& children = children_[found.back()];
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return found;
}

const GltfMatrix& GltfNodes::to_scene(size_t index) {
  std::vector<size_t> open;
  for (size_t up = index; up != none && !to_scene_[up]; up = parent_[up]) open.push_back(up);
  for (; !open.empty(); open.pop_back()) {  // parents first
    const size_t at = open.back(), parent = parent_[at];
    to_scene_[at] = parent == none ? own_matrix(at) : product(*to_scene_[parent], own_matrix(at));
  }
  return *to_scene_[index];
}

GltfMatrix GltfNodes::own_matrix(size_t index) const {
  const std::string path = file_.place("nodes", index);
  const GltfFile::Value& given = file_.list("nodes")[index];
  if (given.contains("matrix")) {
    for (const char* part : {"translation", "rotation", "scale"})
      if (given.contains(part))
        file_.fail(path + " has a matrix and a " + part + ", of which a node has one alone; save it again");
    return array_or(file_.numbers(given, "matrix", 16, path), gltf_identity);
  }
  auto q = array_or<4>(file_.numbers(given, "rotation", 4, path), {0, 0, 0, 1});
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(length > 0) || !std::isfinite(length))
    file_.fail(path + ".rotation is " + given["rotation"].dump() +
               ", which is no direction to turn to; a quaternion of length 1 is allowed; save it again");
  for (double& part : q) part /= length;
  return matrix_of(array_or<3>(file_.numbers(given, "translation", 3, path), {0, 0, 0}), q,
                   array_or<3>(file_.numbers(given, "scale", 3, path), {1, 1, 1}));
}

}  // namespace merganser
