#pragma once
/// Closed meshes whose distance is known in closed form, and their text as OBJ files.
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser::test {

/// A box of twelve triangles, faces outwards.
inline TriangleMesh box_mesh(const Point3& low, const Point3& high) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        {float(i & 1 ? high[0] : low[0]), float(i & 2 ? high[1] : low[1]), float(i & 4 ? high[2] : low[2])});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// The unit cube, each side of n x n squares of two triangles.
inline TriangleMesh box_of_squares(int n) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, int> known;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [entry, is_new] = known.try_emplace(at, int(mesh.vertices.size()));
    if (is_new)
      mesh.vertices.push_back({float(at[0]) / float(n), float(at[1]) / float(n), float(at[2]) / float(n)});
    return entry->second;
  };
  for (size_t axis = 0; axis < 3; ++axis)
    for (const int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int u, int v) {
            std::array<int, 3> place{};
            place[axis] = side, place[(axis + 1) % 3] = i + u, place[(axis + 2) % 3] = j + v;
            return vertex(place);
          };
          for (Triangle t :
               {Triangle{at(0, 0), at(1, 0), at(1, 1)}, Triangle{at(0, 0), at(1, 1), at(0, 1)}}) {
            if (side == 0) std::swap(t[1], t[2]);
            mesh.triangles.push_back(t);
          }
        }
  return mesh;
}

/// A grid of `around` x `across` quads that closes both ways, as a torus about z: tube radius `small` at the
/// radius `large`.
inline TriangleMesh torus_mesh(double large, double small, int around, int across) {
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = 2 * std::numbers::pi * i / around, v = 2 * std::numbers::pi * j / across;
      const double r = large + small * std::cos(v);
      mesh.vertices.push_back({float(r * std::cos(u)), float(r * std::sin(u)), float(small * std::sin(v))});
    }
  const auto at = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

/// A ball: an octahedron, each of whose triangles is cut into four `rounds` times.
inline TriangleMesh ball_mesh(const Point3& centre, double radius, int rounds) {
  std::vector<Point3> points{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<Triangle> triangles{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int round = 0; round < rounds; ++round) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), int(points.size()));
      if (is_new) {
        const Point3 &p = points[size_t(a)], &q = points[size_t(b)];
        const double length = std::hypot(p[0] + q[0], p[1] + q[1], p[2] + q[2]);
        points.push_back({(p[0] + q[0]) / length, (p[1] + q[1]) / length, (p[2] + q[2]) / length});
      }
      return entry->second;
    };
    std::vector<Triangle> finer;
    for (const auto& [a, b, c] : triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    triangles = finer;
  }
  TriangleMesh mesh;
  for (const Point3& p : points)
    mesh.vertices.push_back({float(centre[0] + radius * p[0]), float(centre[1] + radius * p[1]),
                             float(centre[2] + radius * p[2])});
  mesh.triangles = triangles;
  return mesh;
}

/// Both meshes in one.
inline TriangleMesh both(TriangleMesh mesh, const TriangleMesh& other) {
  const int first = int(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return mesh;
}

/// Faces turned to the other side.
inline TriangleMesh inverted(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

/// All of it larger by a factor; a power of two keeps the bits of its coordinates.
inline TriangleMesh scaled(TriangleMesh mesh, float factor) {
  for (Float3& v : mesh.vertices)
    for (float& x : v) x *= factor;
  return mesh;
}

inline std::string obj_text(const TriangleMesh& mesh) {
  std::string text;
  for (const Float3& v : mesh.vertices)
    text += "v " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + "\n";
  for (const Triangle& t : mesh.triangles)
    text += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " +
            std::to_string(t[2] + 1) + "\n";
  return text;
}

}  // namespace merganser::test
