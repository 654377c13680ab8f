#pragma once
/// Properties of a triangle mesh, counted from its triangles alone.
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "solvers/geometry/surface/surface_mesh.h"

namespace merganser {

struct MeshFacts {
  int faulty_edges = 0;     ///< not run through exactly once in each direction
  int faulty_vertices = 0;  ///< whose triangles are not one closed fan, or that have none
  int euler = 0;            ///< vertices - edges + triangles
  int components = 0;
  double volume = 0;
  double least_area = 1e300;
};

inline MeshFacts mesh_facts(const SurfaceMesh& mesh) {
  MeshFacts facts;
  const size_t vertices = mesh.position.size();
  std::map<std::pair<int, int>, int> directed;
  std::vector<std::map<int, int>> following(vertices);  // around a vertex: neighbor -> next neighbor
  std::vector<int> root(vertices);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int v) {
    while (root[size_t(v)] != v) v = root[size_t(v)] = root[size_t(root[size_t(v)])];
    return v;
  };
  for (const Triangle& t : mesh.triangles) {
    double cross[3], volume = 0, area = 0;
    const Float3 &a = mesh.position[size_t(t[0])], &b = mesh.position[size_t(t[1])],
                 &c = mesh.position[size_t(t[2])];
    for (size_t k = 0; k < 3; ++k) {
      const size_t l = (k + 1) % 3, m = (k + 2) % 3;
      cross[k] =
          (double(b[l]) - a[l]) * (double(c[m]) - a[m]) - (double(b[m]) - a[m]) * (double(c[l]) - a[l]);
      area += cross[k] * cross[k];
      volume += cross[k] * (double(a[k]) + b[k] + c[k]) / 18;
    }
    facts.volume += volume;
    facts.least_area = std::min(facts.least_area, std::sqrt(area) / 2);
    for (size_t k = 0; k < 3; ++k) {
      ++directed[{t[k], t[(k + 1) % 3]}];
      following[size_t(t[k])][t[(k + 1) % 3]] = t[(k + 2) % 3];
      root[size_t(find(t[k]))] = find(t[(k + 1) % 3]);
    }
  }
  int undirected = 0;
  for (const auto& [edge, times] : directed) {
    const auto back = directed.find({edge.second, edge.first});
    if (times != 1 || back == directed.end() || back->second != 1) ++facts.faulty_edges;
    undirected += edge.first < edge.second;
  }
  for (size_t v = 0; v < vertices; ++v) {
    const auto& fan = following[v];
    size_t steps = 0;
    if (!fan.empty()) {
      int at = fan.begin()->first;
      do {
        const auto next = fan.find(at);
        if (next == fan.end()) break;
        at = next->second;
        ++steps;
      } while (at != fan.begin()->first && steps <= fan.size());
    }
    if (fan.empty() || steps != fan.size()) ++facts.faulty_vertices;
    facts.components += find(int(v)) == int(v);
  }
  facts.euler = int(vertices) - undirected + int(mesh.triangles.size());
  return facts;
}

}  // namespace merganser
