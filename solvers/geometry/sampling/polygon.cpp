#include "solvers/geometry/sampling/polygon.h"

#include <cmath>

#include "solvers/base/point_arithmetic.h"

namespace merganser {

using namespace point_arithmetic;

namespace {

/// The corners that are left, and what is seen of them along the normal.
struct SeenPolygon {
  const std::vector<Point3>& vertices;
  std::vector<int> corners;
  Point3 normal{0, 0, 0};
  double least = 0;  ///< [m^4] areas times that of the polygon below it are rounding

  Point3 edge(int from, int to) const {
    const Point3 &a = vertices[size_t(from)], &b = vertices[size_t(to)];
    return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  }
  /// Twice the area of a triangle, positive in the polygon's sense, times that of the polygon.
  double area(int a, int b, int c) const { return dot(cross(edge(a, b), edge(a, c)), normal); }
  int at(size_t k) const { return corners[k % corners.size()]; }

  void find_normal() {
    for (size_t k = 1; k + 1 < corners.size(); ++k) {
      const Point3 n = cross(edge(at(0), at(k)), edge(at(0), at(k + 1)));
      for (size_t c = 0; c < 3; ++c) normal[c] += n[c];
    }
    least = 1e-7 * dot(normal, normal);
  }
  bool is_fan() const {
    for (size_t k = 1; k + 1 < corners.size(); ++k)
      if (!(area(at(0), at(k), at(k + 1)) > least)) return false;
    return true;
  }
  /// Corner k, not counted from 0, is convex, and no other corner lies in its triangle or on its border.
  bool is_ear(size_t k) const {
    const size_t n = corners.size();
    const int a = at(k + n - 1), b = at(k), c = at(k + 1);
    if (!(area(a, b, c) > least)) return false;
    for (size_t other = k + 2; other < k + n - 1; ++other) {
      const int p = at(other);
      if (same(p, a) || same(p, b) || same(p, c)) continue;
      if (area(a, b, p) >= -least && area(b, c, p) >= -least && area(c, a, p) >= -least) return false;
    }
    return true;
  }
  bool same(int p, int q) const { return vertices[size_t(p)] == vertices[size_t(q)]; }
};

}  // namespace

std::vector<Triangle> triangulated(const std::vector<Point3>& vertices, const std::vector<int>& corners) {
  SeenPolygon polygon{vertices, corners};
  std::vector<Triangle> triangles;
  if (corners.size() > 3) {
    polygon.find_normal();
    size_t next = 0, refused = polygon.is_fan() ? corners.size() : 0;
    while (polygon.corners.size() > 3 && refused < polygon.corners.size()) {
      const size_t n = polygon.corners.size(), k = next % n;
      next = k + 1;
      if (!polygon.is_ear(k)) {
        ++refused;
        continue;
      }
      triangles.push_back({polygon.at(k + n - 1), polygon.at(k), polygon.at(k + 1)});
      polygon.corners.erase(polygon.corners.begin() + long(k));
      refused = 0;
    }
  }
  for (size_t k = 1; k + 1 < polygon.corners.size(); ++k)
    triangles.push_back({polygon.at(0), polygon.at(k), polygon.at(k + 1)});
  return triangles;
}

}  // namespace merganser
