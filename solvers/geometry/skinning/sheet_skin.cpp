#include "solvers/geometry/skinning/sheet_skin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "device/vector_math.h"

MERGANSER_BEGIN

namespace {

Vec3d sheet_point(const Float3& x) { return {x[0], x[1], x[2]}; }
Float3 plain_point(const Vec3d& x) { return {float(x.x), float(x.y), float(x.z)}; }

/// Twice the area along the normal.
Vec3d area_vector(const std::vector<Float3>& points, const Triangle& t) {
  const Vec3d a = sheet_point(points[size_t(t[0])]);
  return cross(sheet_point(points[size_t(t[1])]) - a, sheet_point(points[size_t(t[2])]) - a);
}

/// Sides of triangles that belong to one triangle, as that runs through them.
std::vector<std::pair<int, int>> border(const std::vector<Triangle>& triangles) {
  struct Side {
    int low, high;
    bool forward;
    bool operator<(const Side& other) const {
      return std::pair(low, high) < std::pair(other.low, other.high);
    }
    bool same(const Side& other) const { return low == other.low && high == other.high; }
  };
  std::vector<Side> sides;
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), a < b});
    }
  std::stable_sort(sides.begin(), sides.end());
  std::vector<std::pair<int, int>> found;
  for (size_t i = 0; i < sides.size();) {
    size_t end = i + 1;
    while (end < sides.size() && sides[end].same(sides[i])) ++end;
    const Side& s = sides[i];
    if (end == i + 1) found.push_back(s.forward ? std::pair(s.low, s.high) : std::pair(s.high, s.low));
    i = end;
  }
  return found;
}

class SheetSkin final : public BodySkin {
 public:
  explicit SheetSkin(const SkinBody& body)
      : body_(body), uv_(sheet_coordinates({body.rest, body.surface.triangles})) {}

  SurfaceMesh follow(const SkinParticles& now) override {
    SurfaceMesh mesh{now.position, {}, now.velocity, whole_triangles(now), uv_};
    mesh.normal = normals(mesh);
    if (body_.binding.thickness > 0) thicken(mesh, 0.5 * double(body_.binding.thickness));
    return mesh;
  }
  int lone_vertices() const override { return 0; }

 private:
  std::vector<Triangle> whole_triangles(const SkinParticles& now) const {
    std::vector<Triangle> whole;
    const double most = 1 + double(body_.binding.most_stretch);
    const auto holds = [&](int a, int b) {
      if (!now.fragment.empty() && now.fragment[size_t(a)] != now.fragment[size_t(b)]) return false;
      const auto length = [&](const std::vector<Float3>& at) {
        return norm(sheet_point(at[size_t(a)]) - sheet_point(at[size_t(b)]));
      };
      return length(now.position) <= most * length(body_.rest);
    };
    for (const Triangle& t : body_.surface.triangles)
      if (holds(t[0], t[1]) && holds(t[1], t[2]) && holds(t[2], t[0])) whole.push_back(t);
    return whole;
  }
  /// Of a vertex without an area: along z.
  static std::vector<Float3> normals(const SurfaceMesh& mesh) {
    std::vector<Vec3d> sums(mesh.position.size());
    for (const Triangle& t : mesh.triangles) {
      const Vec3d area = area_vector(mesh.position, t);
      for (const int corner : t) sums[size_t(corner)] += area;
    }
    std::vector<Float3> made;
    for (const Vec3d& sum : sums) {
      const double length = norm(sum);
      made.push_back(length > 0 ? plain_point(sum / length) : Float3{0, 0, 1});
    }
    return made;
  }
  static void thicken(SurfaceMesh& mesh, double half) {
    const auto count = static_cast<int>(mesh.position.size());
    const std::vector<Triangle> front = mesh.triangles;
    for (const Triangle& t : front) mesh.triangles.push_back({t[0] + count, t[2] + count, t[1] + count});
    for (const auto& [a, b] : border(front)) {
      mesh.triangles.push_back({b, a, a + count});
      mesh.triangles.push_back({b, a + count, b + count});
    }
    for (size_t v = 0; v < size_t(count); ++v) {
      const Vec3d x = sheet_point(mesh.position[v]), n = sheet_point(mesh.normal[v]);
      mesh.position[v] = plain_point(x + half * n);
      mesh.position.push_back(plain_point(x - half * n));
      mesh.normal.push_back(plain_point(-n));
      mesh.velocity.push_back(Float3(mesh.velocity[v]));
      mesh.uv.push_back(Float2(mesh.uv[v]));
    }
  }

  const SkinBody& body_;
  std::vector<Float2> uv_;
};

}  // namespace

std::vector<Float2> sheet_coordinates(const TriangleMesh& sheet) {
  Vec3d normal{}, low = sheet_point(sheet.vertices.at(0)), high = low;
  double area = 0;
  for (const Triangle& t : sheet.triangles) {
    const Vec3d own = area_vector(sheet.vertices, t);
    normal += own;
    area += norm(own);
  }
  for (const Float3& vertex : sheet.vertices) {
    const Vec3d x = sheet_point(vertex);
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  constexpr double least_share = 1e-3;  // of a closed mesh rounding is left
  if (!(norm(normal) > least_share * area)) {
    const Vec3d extent = high - low;
    normal = extent.z <= extent.x && extent.z <= extent.y ? Vec3d{0, 0, 1}
             : extent.y <= extent.x                       ? Vec3d{0, 1, 0}
                                                          : Vec3d{1, 0, 0};
  }
  const Vec3d n = normal / norm(normal);
  const auto across = [&](const Vec3d& x) { return x - dot(x, n) * n; };
  Vec3d u{};
  if (!sheet.triangles.empty()) {
    const Triangle& first = sheet.triangles.front();
    u = across(sheet_point(sheet.vertices[size_t(first[1])]) - sheet_point(sheet.vertices[size_t(first[0])]));
  }
  if (!(norm(u) > 0)) u = across(std::abs(n.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0});
  u = u / norm(u);
  const Vec3d axes[2] = {u, cross(n, u)};
  std::vector<Float2> made(sheet.vertices.size());
  for (size_t k = 0; k < 2; ++k) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Float3& vertex : sheet.vertices) {
      const double along = dot(sheet_point(vertex), axes[k]);
      least = std::min(least, along);
      most = std::max(most, along);
    }
    const double extent = most > least ? most - least : 1;
    for (size_t v = 0; v < made.size(); ++v)
      made[v][k] =
          std::clamp(float((dot(sheet_point(sheet.vertices[v]), axes[k]) - least) / extent), 0.f, 1.f);
  }
  return made;
}

std::unique_ptr<BodySkin> make_sheet_skin(const SkinBody& body) { return std::make_unique<SheetSkin>(body); }

MERGANSER_END
