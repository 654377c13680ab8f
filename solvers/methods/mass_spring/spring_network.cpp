#include "solvers/methods/mass_spring/spring_network.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace merganser {

namespace {
/// Adds springs of one kind; leaves out those without stiffness.
void add_spring(std::vector<Spring>& springs, int a, int b, double rest_length, double stiffness,
                SpringKind kind) {
  if (stiffness > 0)
    springs.push_back({std::min(a, b), std::max(a, b), static_cast<float>(rest_length),
                       static_cast<float>(stiffness), kind});
}
/// Stiffness [N/m] of a bend spring of a curve with the given bending stiffness and vertex spacing.
double bend_stiffness(double bending, double spacing) { return bending / (spacing * spacing); }

double distance(const Float3& a, const Float3& b) {
  return std::hypot(double(a[0]) - b[0], double(a[1]) - b[1], double(a[2]) - b[2]);
}
}  // namespace

std::vector<Spring> grid_springs(int nu, int nv, float spacing_u, float spacing_v, double stretch,
                                 double shear, double bending) {
  std::vector<Spring> springs;
  const double diagonal = std::hypot(double(spacing_u), double(spacing_v));
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      auto join = [&](int di, int dj, double rest_length, double stiffness, SpringKind kind) {
        if (i + di >= 0 && i + di < nu && j + dj < nv)
          add_spring(springs, i + nu * j, i + di + nu * (j + dj), rest_length, stiffness, kind);
      };
      join(1, 0, spacing_u, stretch, SpringKind::structural);
      join(0, 1, spacing_v, stretch, SpringKind::structural);
      join(1, 1, diagonal, shear, SpringKind::shear);
      join(-1, 1, diagonal, shear, SpringKind::shear);
      join(2, 0, 2.0 * spacing_u, bend_stiffness(bending, spacing_u), SpringKind::bend);
      join(0, 2, 2.0 * spacing_v, bend_stiffness(bending, spacing_v), SpringKind::bend);
    }
  return springs;
}

std::vector<Spring> mesh_springs(const std::vector<Float3>& vertices, const std::vector<Triangle>& triangles,
                                 double stretch, double bending) {
  std::map<std::pair<int, int>, std::vector<int>>
      opposite;  // edge -> vertices of its triangles that are not on it
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      if (a != b) opposite[std::minmax(a, b)].push_back(t[(k + 2) % 3]);
    }
  auto rest_length = [&](int a, int b) {
    return distance(vertices[static_cast<size_t>(a)], vertices[static_cast<size_t>(b)]);
  };
  std::vector<Spring> springs;
  for (const auto& [edge, ends] : opposite)
    add_spring(springs, edge.first, edge.second, rest_length(edge.first, edge.second), stretch,
               SpringKind::structural);
  std::set<std::pair<int, int>> bends;
  for (const auto& [edge, ends] : opposite)
    if (ends.size() == 2 && ends[0] != ends[1]) bends.insert(std::minmax(ends[0], ends[1]));
  for (const auto& [a, b] : bends) {
    const double length = rest_length(a, b);
    if (!opposite.contains({a, b}) && length > 0)
      add_spring(springs, a, b, length, bend_stiffness(bending, length), SpringKind::bend);
  }
  return springs;
}

std::vector<Spring> rope_springs(int n, float spacing, double stretch, double bending) {
  std::vector<Spring> springs;
  for (int i = 0; i + 1 < n; ++i) add_spring(springs, i, i + 1, spacing, stretch, SpringKind::structural);
  for (int i = 0; i + 2 < n; ++i)
    add_spring(springs, i, i + 2, 2.0 * spacing, bend_stiffness(bending, spacing), SpringKind::bend);
  return springs;
}

}  // namespace merganser
