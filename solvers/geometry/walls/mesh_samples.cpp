#include "solvers/geometry/walls/mesh_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "solvers/geometry/walls/rigid_pose.h"

namespace merganser {

using namespace point_arithmetic;

namespace {

Point3 corner_of(const TreeTriangle& triangle, size_t k) {
  return {triangle.corner[k][0], triangle.corner[k][1], triangle.corner[k][2]};
}

/// Points that keep a distance from each other, in cells as wide as that.
class ApartPoints {
 public:
  explicit ApartPoints(double distance) : distance_(distance) {}
  bool keeps_away(const Point3& x) const {
    const auto [i, j, k] = cell_of(x);
    for (int cell = 0; cell < 27; ++cell) {
      const auto found = cells_.find({i + cell % 3 - 1, j + cell / 3 % 3 - 1, k + cell / 9 - 1});
      if (found == cells_.end()) continue;
      for (const Point3& other : found->second)
        if (length(x - other) < distance_) return false;
    }
    return true;
  }
  void add(const Point3& x) { cells_[cell_of(x)].push_back(x); }

 private:
  using Cell = std::tuple<long, long, long>;
  Cell cell_of(const Point3& x) const {
    return {std::lround(x[0] / distance_), std::lround(x[1] / distance_), std::lround(x[2] / distance_)};
  }
  double distance_;
  std::map<Cell, std::vector<Point3>> cells_;
};

/// On the triangles, moved along their normals by `shifts` [m].
std::vector<Point3> candidates(const MeshTree& tree, double per_area, const std::vector<double>& shifts) {
  std::vector<Point3> points;
  double area = 0;
  for (const TreeTriangle& triangle : tree.triangles) {
    const Point3 a = corner_of(triangle, 0), ab = corner_of(triangle, 1) - a, ac = corner_of(triangle, 2) - a;
    const Point3 normal = cross(ab, ac);
    const double twice = length(normal);
    const auto first = static_cast<long>(area * per_area);
    area += twice / 2;
    for (long k = first; k < static_cast<long>(area * per_area); ++k) {
      constexpr double plastic = 1.32471795724474602596;  // the root of x^3 = x + 1
      double u = std::fmod(0.5 + double(k) / plastic, 1),
             v = std::fmod(0.5 + double(k) / plastic / plastic, 1);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      for (const double shift : shifts) points.push_back(a + u * ab + v * ac + (shift / twice) * normal);
    }
  }
  return points;
}

}  // namespace

std::vector<Point3> sample_surface(const WallMesh& mesh, double spacing) {
  constexpr double apart = 0.88, per_square = 25, least_depth = 0.8;
  const FieldParameters& solid = mesh.field;
  const double half = solid.thickness / 2;
  const double depth = half > 0 ? std::min(spacing / 2, half) : spacing / 2;
  std::vector<double> shifts{solid.inside ? depth : -depth};
  if (half > 0)
    shifts = half > depth ? std::vector<double>{half - depth, depth - half} : std::vector<double>{0};
  std::vector<Point3> points = candidates(mesh.tree, per_square / (spacing * spacing), shifts);
  // Hardly a face of a mesh is perpendicular to this direction.
  const Point3 sweep{0.8017, 0.4643, 0.3768};
  std::stable_sort(points.begin(), points.end(),
                   [&](const Point3& a, const Point3& b) { return dot(a, sweep) < dot(b, sweep); });
  ApartPoints taken(apart * spacing);
  std::vector<Point3> samples;
  for (const Point3& x : points) {
    if (!taken.keeps_away(x) || signed_distance(mesh, x) > -least_depth * depth) continue;
    taken.add(x);
    samples.push_back(x);
  }
  return samples;
}

}  // namespace merganser
