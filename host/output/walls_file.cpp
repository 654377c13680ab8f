#include "host/output/walls_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/files/sealed_image.h"
#include "host/output/vtkhdf_cells.h"
#include "solvers/base/point_arithmetic.h"
#include "solvers/geometry/sampling/shape_mesh.h"
#include "solvers/geometry/sampling/weld.h"
#include "solvers/geometry/walls/rigid_pose.h"
#include "solvers/geometry/walls/wall_mesh.h"

namespace merganser {
namespace {

using namespace point_arithmetic;

Point3 unit(const Point3& a) { return (1 / length(a)) * a; }

/// [m] of what is to be seen.
struct Surroundings {
  Point3 low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
  void add(const Point3& x, double reach = 0) {
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k] - reach);
      high[k] = std::max(high[k], x[k] + reach);
    }
  }
  void add(const TriangleMesh& mesh) {
    for (const Float3& v : mesh.vertices) add(Point3{v[0], v[1], v[2]});
  }
  bool none() const { return high[0] < low[0]; }
  Point3 middle() const { return 0.5 * (low + high); }
  /// [m] half of its length along a unit vector.
  double reach(const Point3& axis) const {
    const Point3 size = 0.5 * (high - low);
    return std::abs(axis[0]) * size[0] + std::abs(axis[1]) * size[1] + std::abs(axis[2]) * size[2];
  }
};

void append(TriangleMesh& mesh, const TriangleMesh& more) {
  const int before = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), more.vertices.begin(), more.vertices.end());
  for (const Triangle& t : more.triangles)
    mesh.triangles.push_back({t[0] + before, t[1] + before, t[2] + before});
}

TriangleMesh surface_of_shape(const char* word, const Point3& start, const Point3& end, double radius) {
  ShapeParameters shape;
  shape.word = word;
  shape.start = start;
  shape.end = end;
  shape.centre = start;
  shape.radius = radius;
  return surface_of(shape, {.deviation = 0.002 * radius});
}

TriangleMesh plane_surface(const WallParameters& wall, const Surroundings& seen) {
  const Point3 n = unit(wall.direction);
  const Point3 other = std::abs(n[2]) < 0.9 ? Point3{0, 0, 1} : Point3{0, 1, 0};
  const Point3 u = unit(cross(other, n)), v = cross(n, u);
  const Point3 middle = seen.middle() - dot(seen.middle() - wall.point, n) * n;
  TriangleMesh mesh{{}, {{0, 1, 2}, {0, 2, 3}}};
  for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
    const Point3 x = middle + (a * seen.reach(u)) * u + (b * seen.reach(v)) * v;
    mesh.vertices.push_back({float(x[0]), float(x[1]), float(x[2])});
  }
  return mesh;
}

TriangleMesh cylinder_surface(const WallParameters& wall, const Surroundings& seen) {
  const Point3 axis = unit(wall.direction);
  const bool endless = wall.length == 0;
  const Point3 middle = endless ? wall.point + dot(seen.middle() - wall.point, axis) * axis : wall.point;
  const double half = endless ? seen.reach(axis) : wall.length / 2;
  return surface_of_shape("cylinder", middle - half * axis, middle + half * axis, wall.radius);
}

TriangleMesh capsule_surface(const WallParameters& wall) {
  const Point3 half = (wall.length / 2) * unit(wall.direction);
  TriangleMesh mesh = surface_of_shape("cylinder", wall.point - half, wall.point + half, wall.radius);
  for (const Point3& end : {wall.point - half, wall.point + half})
    append(mesh, surface_of_shape("sphere", end, end, wall.radius));
  return mesh;
}

TriangleMesh box_surface(const WallParameters& wall) {
  TriangleMesh mesh = surface_of_shape("box", wall.low, wall.high, 0);
  const RigidPose turned{Rotation::about(wall.rotation_axis, wall.rotation_angle),
                         0.5 * (wall.low + wall.high)};
  for (Float3& v : mesh.vertices) {
    const Point3 x = turned({v[0], v[1], v[2]});
    v = {float(x[0]), float(x[1]), float(x[2])};
  }
  return mesh;
}

TriangleMesh mesh_surface(const WallMesh& wall) {
  TriangleMesh mesh;
  for (const TreeTriangle& t : wall.tree.triangles) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (const auto& corner : t.corner) mesh.vertices.push_back({corner[0], corner[1], corner[2]});
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  weld(mesh, 0);
  return mesh;
}

bool is_endless(const WallParameters& wall) {
  return wall.shape == WallShape::plane || (wall.shape == WallShape::cylinder && wall.length == 0);
}

/// Where the scene puts it.
TriangleMesh surface_of_wall(const WallParameters& wall, const Surroundings& seen) {
  switch (wall.shape) {
    case WallShape::plane:
      return plane_surface(wall, seen);
    case WallShape::box:
      return box_surface(wall);
    case WallShape::sphere:
      return surface_of_shape("sphere", wall.point, wall.point, wall.radius);
    case WallShape::capsule:
      return capsule_surface(wall);
    case WallShape::mesh:
      return wall.mesh ? mesh_surface(*wall.mesh) : TriangleMesh{};
    default:
      return cylinder_surface(wall, seen);
  }
}

/// Of all but the endless walls.
Surroundings surroundings_of(const InitialState& initial, const std::vector<TriangleMesh>& walls) {
  Surroundings seen;
  for (const SystemState& system : initial.systems) {
    for (size_t i = 0; i < system.position.size(); ++i) {
      const Float3& x = system.position[i];
      seen.add(Point3{x[0], x[1], x[2]}, system.radius[i]);
    }
    for (const EmitterParameters& emitter : system.emitters) seen.add(emitter.position, emitter.radius);
  }
  for (const TriangleMesh& wall : walls) seen.add(wall);
  if (seen.none()) seen.add(Point3{0, 0, 0}, 1);
  return seen;
}

}  // namespace

std::vector<char> encode_walls(const InitialState& initial) {
  if (initial.walls.empty()) return {};
  std::vector<TriangleMesh> surfaces(initial.walls.size());
  for (size_t k = 0; k < surfaces.size(); ++k)
    if (!is_endless(initial.walls[k])) surfaces[k] = surface_of_wall(initial.walls[k], {});
  const Surroundings seen = surroundings_of(initial, surfaces);
  TriangleMesh all;
  std::vector<std::int32_t> wall_of;
  std::vector<std::string> names;
  for (size_t k = 0; k < surfaces.size(); ++k) {
    const WallParameters& wall = initial.walls[k];
    if (is_endless(wall)) surfaces[k] = surface_of_wall(wall, seen);
    append(all, surfaces[k]);
    wall_of.resize(all.triangles.size(), static_cast<std::int32_t>(k));
    names.push_back(wall.name.empty() ? fmt::format("walls[{}]", k) : wall.name);
  }
  Hdf5Builder file;
  begin_polydata(file, all.vertices);
  for (const char* none : {"VTKHDF/Vertices", "VTKHDF/Lines", "VTKHDF/Strips"}) add_cells(file, none, {}, 1);
  add_triangles(file, all.triangles);
  file.dataset("VTKHDF/CellData/wall", ElementType::int32, {wall_of.size()}, wall_of.data(), true);
  add_names(file, "wall_names", names);
  return sealed("walls", vtkhdf_format, file.finish());
}

void write_walls_file(const std::filesystem::path& file, const InitialState& initial,
                      const InPlace& in_place) {
  const std::vector<char> bytes = encode_walls(initial);
  if (!bytes.empty()) write_file_atomically(file, {{bytes.data(), bytes.size()}}, in_place);
}

}  // namespace merganser
