#include "solvers/geometry/sampling/shape_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace merganser {
namespace {

using std::numbers::pi;
/// Of an arc, so that bodies a few particles across look round; twice as many around an axis.
constexpr int least_parts = 12;

struct ProfilePoint {
  double radius, height;  ///< [m] off the axis, along it
};
using Profile = std::vector<ProfilePoint>;

int parts_of(double length, double edge, int least) {
  return std::max(least, static_cast<int>(std::ceil(length / edge * (1 - 1e-6))));
}

/// Points behind the last one, on a straight line to `end`.
void add_line(Profile& profile, const ProfilePoint& end, const Facets& facets) {
  const ProfilePoint start = profile.back();
  const double length = std::hypot(end.radius - start.radius, end.height - start.height);
  if (!(length > 1e-9 * (std::abs(end.radius) + std::abs(end.height)))) return;
  const int parts = parts_of(length, facets.edge, 1);
  for (int p = 1; p <= parts; ++p) {
    const double t = double(p) / parts;
    profile.push_back(
        {start.radius + t * (end.radius - start.radius), start.height + t * (end.height - start.height)});
  }
}

/// Points of an arc about `centre` on the axis or beside it, from one angle [rad] to another; the first one
/// only where the profile has none.
void add_arc(Profile& profile, const ProfilePoint& centre, double radius, double from, double to,
             const Facets& facets) {
  const int parts = parts_of(radius * std::abs(to - from), facets.side(radius), least_parts);
  for (int p = profile.empty() ? 0 : 1; p <= parts; ++p) {
    const double angle = from + (to - from) * p / parts;
    profile.push_back(
        {std::max(0.0, centre.radius + radius * std::cos(angle)), centre.height + radius * std::sin(angle)});
  }
}

/// Triangles between rings of vertices, each ring given by its first vertex and their number.
class Revolution {
 public:
  Revolution(const Point3& origin, const Point3& axis, const Facets& facets)
      : origin_(origin), facets_(facets) {
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    for (size_t k = 0; k < 3; ++k) axis_[k] = axis[k] / length;
    const size_t least =
        size_t(std::min_element(axis_.begin(), axis_.end(),
                                [](double a, double b) { return std::abs(a) < std::abs(b); }) -
               axis_.begin());
    Point3 other{0, 0, 0};
    other[least] = 1;
    const Point3 c = cross(axis_, other);
    const double norm = std::hypot(c[0], c[1], c[2]);
    first_ = {c[0] / norm, c[1] / norm, c[2] / norm};
    second_ = cross(axis_, first_);
  }

  /// A profile that ends on the axis at both ends, or whose end is joined to its beginning (`ring`). It runs
  /// so that the solid is on its left in the plane of radius and height.
  void add(const Profile& profile, bool ring) {
    double widest = 0;
    for (const ProfilePoint& p : profile) widest = std::max(widest, p.radius);
    const int around = parts_of(2 * pi * widest, facets_.side(widest), 2 * least_parts);
    std::vector<int> start;
    for (const ProfilePoint& p : profile) {
      start.push_back(static_cast<int>(mesh_.vertices.size()));
      const bool on_axis = p.radius <= 1e-9 * widest;
      for (int k = 0; k < (on_axis ? 1 : around); ++k) add_vertex(p, 2 * pi * k / around);
    }
    start.push_back(static_cast<int>(mesh_.vertices.size()));
    const size_t rings = profile.size();
    for (size_t i = 0; i + (ring ? 0 : 1) < rings; ++i) join(start, i, (i + 1) % rings, around);
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  static Point3 cross(const Point3& a, const Point3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  void add_vertex(const ProfilePoint& p, double angle) {
    Float3 x;
    for (size_t k = 0; k < 3; ++k)
      x[k] = static_cast<float>(origin_[k] + p.height * axis_[k] +
                                p.radius * (std::cos(angle) * first_[k] + std::sin(angle) * second_[k]));
    mesh_.vertices.push_back(x);
  }
  void join(const std::vector<int>& start, size_t low, size_t high, int around) {
    const bool low_point = start[low + 1] - start[low] == 1, high_point = start[high + 1] - start[high] == 1;
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around;
      const auto at = [&](size_t i, bool point, int of) { return start[i] + (point ? 0 : of); };
      const int a = at(low, low_point, k), b = at(low, low_point, next), c = at(high, high_point, next),
                d = at(high, high_point, k);
      if (a != b) mesh_.triangles.push_back({a, b, c});
      if (c != d) mesh_.triangles.push_back({a, c, d});
    }
  }
  Point3 origin_, axis_, first_, second_;
  Facets facets_;
  TriangleMesh mesh_;
};

TriangleMesh box_surface(const Point3& low, const Point3& high, const Facets& facets) {
  TriangleMesh mesh;
  std::array<int, 3> cells;
  for (size_t k = 0; k < 3; ++k) cells[k] = parts_of(high[k] - low[k], facets.edge, 1);
  std::map<std::array<int, 3>, int> number;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [found, added] = number.try_emplace(at, static_cast<int>(mesh.vertices.size()));
    if (added) {
      Float3 x;
      for (size_t k = 0; k < 3; ++k)
        x[k] = static_cast<float>(low[k] + (high[k] - low[k]) * at[k] / cells[k]);
      mesh.vertices.push_back(x);
    }
    return found->second;
  };
  for (size_t normal = 0; normal < 3; ++normal)
    for (const bool upper : {false, true}) {
      const size_t u = (normal + 1) % 3, v = (normal + 2) % 3;
      for (int j = 0; j < cells[v]; ++j)
        for (int i = 0; i < cells[u]; ++i) {
          const auto corner = [&](int di, int dj) {
            std::array<int, 3> at;
            at[normal] = upper ? cells[normal] : 0;
            at[u] = i + di;
            at[v] = j + dj;
            return vertex(at);
          };
          const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          mesh.triangles.push_back(upper ? Triangle{a, b, c} : Triangle{a, c, b});
          mesh.triangles.push_back(upper ? Triangle{a, c, d} : Triangle{a, d, c});
        }
    }
  return mesh;
}

/// The part below the rim of a spherical shell: outside up, over the rim, inside down. Where the rim lies
/// above the hollow, the hollow has a surface of its own.
TriangleMesh bowl_surface(const ShapeParameters& s, const Point3& centre, const Facets& facets) {
  const double outer = s.outer_radius, inner = outer - s.thickness;
  const double rim = std::min(s.rim_height - outer, outer);
  Revolution made(centre, {0, 0, 1}, facets);
  Profile profile;
  add_arc(profile, {0, 0}, outer, -pi / 2, std::asin(rim / outer), facets);
  if (inner > 0 && std::abs(rim) < inner) {
    const double angle = std::asin(rim / inner);
    add_line(profile, {inner * std::cos(angle), rim}, facets);
    add_arc(profile, {0, 0}, inner, angle, -pi / 2, facets);
  } else {
    add_line(profile, {0, rim}, facets);
  }
  made.add(profile, false);
  if (inner > 0 && rim >= inner) {
    Profile hollow;
    add_arc(hollow, {0, 0}, inner, pi / 2, -pi / 2, facets);
    made.add(hollow, false);
  }
  return made.take();
}

}  // namespace

TriangleMesh surface_of(const ShapeParameters& s, const Facets& facets) {
  if (s.is_mesh()) return s.mesh;
  const auto moved = [&](const Point3& x) { return sum_of(x, s.translation); };
  if (s.word == "box") return box_surface(moved(s.start), moved(s.end), facets);
  Profile profile;
  if (s.word == "sphere") {
    Revolution made(moved(s.centre), {0, 0, 1}, facets);
    add_arc(profile, {0, 0}, s.radius, -pi / 2, pi / 2, facets);
    made.add(profile, false);
    return made.take();
  }
  if (s.word == "cylinder") {
    const Point3 axis{s.end[0] - s.start[0], s.end[1] - s.start[1], s.end[2] - s.start[2]};
    const double height = std::hypot(axis[0], axis[1], axis[2]);
    Revolution made(moved(s.start), axis, facets);
    profile.push_back({0, 0});
    for (const ProfilePoint& corner : {ProfilePoint{s.radius, 0}, {s.radius, height}, {0, height}})
      add_line(profile, corner, facets);
    made.add(profile, false);
    return made.take();
  }
  if (s.word == "torus") {
    Revolution made(moved(s.centre), s.axis, facets);
    add_arc(profile, {s.major_radius, 0}, s.minor_radius, 0, 2 * pi, facets);
    profile.pop_back();  // the first point again
    made.add(profile, true);
    return made.take();
  }
  return bowl_surface(s, moved(s.centre), facets);
}

}  // namespace merganser
