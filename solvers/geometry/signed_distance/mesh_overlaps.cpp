#include "solvers/geometry/signed_distance/mesh_overlaps.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "solvers/geometry/sampling/mesh_parts.h"
#include "solvers/geometry/signed_distance/tree_search.h"
#include "solvers/geometry/signed_distance/triangle_contact.h"

namespace merganser {

using cpu::Vec3d;

namespace {

bool boxes_touch(const TreeNode& node, const TreeTriangle& t, double slack) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax({t.corner[0][axis], t.corner[1][axis], t.corner[2][axis]});
    if (low > node.high[axis] + slack || high < node.low[axis] - slack) return false;
  }
  return true;
}

int shared_corners(const Triangle& a, const Triangle& b) {
  return int(
      std::count_if(a.begin(), a.end(), [&](int v) { return std::find(b.begin(), b.end(), v) != b.end(); }));
}

/// Signed crossings of a ray with the mesh.
class WindingNumbers {
 public:
  explicit WindingNumbers(const MeshTree& tree) : tree_(tree) {
    const TreeNode& box = tree.nodes[0];
    for (int axis = 0; axis < 3; ++axis) reach_ = std::hypot(reach_, double(box.high[axis]) - box.low[axis]);
  }
  /// In front of a point of the triangle `own`: the ray's way out of the mesh, +1 for each face that it
  /// leaves the solid through. None where every ray meets an edge, or the point lies on another triangle.
  std::optional<int> in_front(const Vec3d& x, int own) const {
    for (int attempt = 0; attempt < 6; ++attempt)
      if (const auto number = along(x, own, attempt)) return number;
    return {};
  }

 private:
  std::optional<int> along(const Vec3d& x, int own, int attempt) const {
    const Vec3d direction = normalized_or_zero(
        Vec3d{std::sin(1.3 + 2.1 * attempt), std::cos(0.7 + 3.7 * attempt), std::sin(2.9 + 5.3 * attempt)});
    const Vec3d way = direction * (2 * reach_);
    int number = 0;
    bool sure = true;
    for_each_triangle(
        tree_, [&](const TreeNode& node) { return sure && ray_touches(node, x, way); },
        [&](int other) {
          if (other == own) return;
          const int crossed = crossing(x, direction, tree_.triangles[size_t(other)]);
          if (crossed == unsure)
            sure = false;
          else
            number += crossed;
        });
    const double leaves = dot(direction, to_vec(tree_.triangles[size_t(own)].normal[6]));
    if (!sure || std::abs(leaves) < 1e-3) return {};
    return leaves > 0 ? number : number - 1;  // behind the face it is one more
  }

  static constexpr int unsure = 2;
  /// +1 out of the solid, -1 into it, 0 past the triangle (Moeller and Trumbore 1997).
  int crossing(const Vec3d& x, const Vec3d& direction, const TreeTriangle& t) const {
    const Vec3d a = to_vec(t.corner[0]), ab = to_vec(t.corner[1]) - a, ac = to_vec(t.corner[2]) - a;
    const Vec3d u = cross(direction, ac), from = x - a, v = cross(from, ab);
    const double determinant = dot(ab, u), slack = 1e-9;
    if (std::abs(determinant) <= slack * norm(ab) * norm(ac)) {  // along the face
      const Vec3d normal = normalized_or_zero(cross(ab, ac));
      return std::abs(dot(from, normal)) > coordinate_rounding * reach_ ? 0 : unsure;
    }
    const double b = dot(from, u) / determinant, c = dot(direction, v) / determinant,
                 way = dot(ac, v) / determinant;
    if (b < -slack || c < -slack || b + c > 1 + slack || way < -coordinate_rounding * reach_) return 0;
    if (b < slack || c < slack || b + c > 1 - slack || way < coordinate_rounding * reach_) return unsure;
    return determinant < 0 ? 1 : -1;
  }

  const MeshTree& tree_;
  double reach_ = 0;  ///< [m] across the mesh
};

class OverlapSearch {
 public:
  OverlapSearch(const TriangleMesh& mesh, const MeshTree& tree)
      : mesh_(mesh), tree_(tree), winding_(tree), touched_(tree.triangles.size(), false) {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis)
      most = std::max(
          {most, std::abs(double(tree.nodes[0].low[axis])), std::abs(double(tree.nodes[0].high[axis]))});
    rounding_ = 2 * coordinate_rounding * most;
  }
  MeshOverlap find() {
    for (int t = 0; t < count() && !found_.found(); ++t) look_around(t);
    for (int t = 0; t < count() && !found_.found(); ++t)
      if (touched_[size_t(t)]) look_in_front(t, 7);
    if (!found_.found()) look_at_parts();
    return found_;
  }

 private:
  int count() const { return static_cast<int>(tree_.triangles.size()); }
  const Triangle& corners(int t) const { return mesh_.triangles[size_t(tree_.source[size_t(t)])]; }

  /// Each pair once.
  void look_around(int one) {
    const TreeTriangle& triangle = tree_.triangles[size_t(one)];
    for_each_triangle(
        tree_,
        [&](const TreeNode& node) { return !found_.found() && boxes_touch(node, triangle, rounding_); },
        [&](int other) {
          if (other <= one) return;
          const int shared = shared_corners(corners(one), corners(other));
          if (shared > 1) return;
          const TriangleContact contact =
              TrianglePairTest(triangle, tree_.triangles[size_t(other)], rounding_).contact(shared > 0);
          if (contact == TriangleContact::cross)
            found_ = {tree_.source[size_t(one)], tree_.source[size_t(other)]};
          else if (contact == TriangleContact::touch && shared == 0)
            touched_[size_t(one)] = touched_[size_t(other)] = true;
        });
  }
  /// At its middle, near its corners and near the middles of its edges.
  /// False where nothing could be told.
  bool look_in_front(int t, int points) {
    constexpr double near = 0.9;
    constexpr double weights[7][3] = {{1 / 3.0, 1 / 3.0, 1 / 3.0}, {near, 0.06, 0.04}, {0.04, near, 0.06},
                                      {0.06, 0.04, near},          {0.46, 0.45, 0.09}, {0.09, 0.46, 0.45},
                                      {0.45, 0.09, 0.46}};
    const auto& corner = tree_.triangles[size_t(t)].corner;
    bool known = false;
    for (int p = 0; p < points; ++p) {
      const double* w = weights[p];
      const auto number = winding_.in_front(
          to_vec(corner[0]) * w[0] + to_vec(corner[1]) * w[1] + to_vec(corner[2]) * w[2], t);
      if (number.value_or(0) != 0) found_ = {tree_.source[size_t(t)], -1};
      known = known || number;
    }
    return known;
  }
  void look_at_parts() {
    const std::vector<int> part = parts_of(mesh_);
    std::vector<char> asked(mesh_.triangles.size(), false);
    for (int t = 0; t < count() && !found_.found(); ++t) {
      char& done = asked[size_t(part[size_t(tree_.source[size_t(t)])])];
      if (!done) done = look_in_front(t, 1);
    }
  }

  const TriangleMesh& mesh_;
  const MeshTree& tree_;
  WindingNumbers winding_;
  std::vector<char> touched_;  ///< other triangles, without a common corner
  double rounding_ = 0;        ///< [m]
  MeshOverlap found_;
};

}  // namespace

std::string MeshOverlap::text() const {
  const std::string one = std::to_string(first + 1);
  if (second >= 0)
    return "the mesh intersects itself, for example its triangles " + one + " and " +
           std::to_string(second + 1) + " do";
  return "the mesh overlaps itself: its triangle " + one +
         " lies within another part of it or looks the other way";
}

MeshOverlap find_overlap(const TriangleMesh& mesh, const MeshTree& tree) {
  return OverlapSearch(mesh, tree).find();
}

}  // namespace merganser
