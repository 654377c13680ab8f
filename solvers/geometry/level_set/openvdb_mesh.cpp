/// Filling closed meshes.
#include <algorithm>
#include <cmath>

#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>

#include "solvers/geometry/level_set/openvdb_module.h"
#include "solvers/geometry/sampling/mesh_parts.h"
#include "solvers/geometry/sampling/unit_of_length.h"

namespace merganser::openvdb_module {

namespace {

using Grid = openvdb::FloatGrid;
using Sampler = openvdb::tools::GridSampler<Grid::ConstAccessor, openvdb::tools::BoxSampler>;

/// OpenVDB's frame of a mesh: from the mesh's corner, for far from the origin its float coordinates would be
/// coarse, and small ones in a unit of the order of a voxel. OpenVDB takes no voxels below 1.4e-5 m, and
/// distances are off by 1e-7 m.
struct Frame {
  Point3 low;   ///< [m]
  double unit;  ///< [m]
  double cell;  ///< [unit] width of a voxel

  Frame(const Point3& low_, double width)
      : low(low_), unit(width < small ? unit_of(width) : 1), cell(width / unit) {}
  openvdb::Vec3d to_frame(const auto& x) const {
    return {(x[0] - low[0]) / unit, (x[1] - low[1]) / unit, (x[2] - low[2]) / unit};
  }
  Float3 from_frame(const openvdb::Vec3s& p) const {
    return {float(low[0] + unit * p[0]), float(low[1] + unit * p[1]), float(low[2] + unit * p[2])};
  }

 private:
  static constexpr double small = 1e-4;  // [m] that is off by a thousandth of a voxel at most
};

/// Signed distance to the mesh, in the frame.
Grid::Ptr distance_to(const TriangleMesh& mesh, const Frame& frame) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Float3& v : mesh.vertices) points.emplace_back(frame.to_frame(v));
  for (const Triangle& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const auto to_world = openvdb::math::Transform::createLinearTransform(frame.cell);
  return openvdb::tools::meshToLevelSet<Grid>(*to_world, points, triangles, 3.0f);
}

/// OpenVDB fills all that the outside does not reach, cavities too. A part within the solid whose faces look
/// the other way is one: it is taken off.
/// `each`: the parts are united one by one, also where none is a cavity; else faces of one within another
/// have distances around 0.
Grid::Ptr solid_distance(const TriangleMesh& mesh, const Frame& frame, bool each = false) {
  const std::vector<TriangleMesh> parts = split_parts(mesh);
  const auto inverted = [&](const TriangleMesh& part) {
    return (mesh_volume(part) < 0) != (mesh_volume(parts[0]) < 0);
  };
  if (!each && std::none_of(parts.begin(), parts.end(), inverted)) return distance_to(mesh, frame);
  Grid::Ptr solid;
  for (const TriangleMesh& part : parts) {
    const Grid::Ptr distance = distance_to(part, frame);
    if (!solid) {
      solid = distance;
      continue;
    }
    const auto accessor = solid->getConstAccessor();
    const bool within = Sampler(accessor, solid->transform()).wsSample(frame.to_frame(part.vertices[0])) < 0;
    if (inverted(part) && within)
      openvdb::tools::csgDifference(*solid, *distance);
    else
      openvdb::tools::csgUnion(*solid, *distance);
  }
  return solid;
}

std::pair<Point3, Point3> box_of(const TriangleMesh& mesh) {
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Float3& v : mesh.vertices)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], double(v[k]));
      high[k] = std::max(high[k], double(v[k]));
    }
  return {low, high};
}

/// The surface of distance 0.
TriangleMesh surface_of(const Grid& distance, const Frame& frame) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(distance, points, triangles, quads);
  TriangleMesh made;
  for (const openvdb::Vec3s& p : points) made.vertices.push_back(frame.from_frame(p));
  const auto add = [&](openvdb::Index32 a, openvdb::Index32 b, openvdb::Index32 c) {
    made.triangles.push_back({int(a), int(c), int(b)});  // OpenVDB's faces look inwards
  };
  for (const openvdb::Vec3I& t : triangles) add(t[0], t[1], t[2]);
  for (const openvdb::Vec4I& q : quads) add(q[0], q[1], q[2]), add(q[0], q[2], q[3]);
  return made;
}

}  // namespace

/// Within a part that cuts itself distances are near 0, and a voxel's may be 0: what is smaller than some
/// voxels is left out.
TriangleMesh united_mesh(const TriangleMesh& mesh, double cell) {
  openvdb::initialize();
  const auto [low, high] = box_of(mesh);
  (void)Lattice(low, high, {.spacing = cell});  // refuses a grid that is too large
  const Frame frame(low, cell);
  const Grid::Ptr distance = solid_distance(mesh, frame, true);
  TriangleMesh united;
  for (const TriangleMesh& part : split_parts(surface_of(*distance, frame))) {
    if (std::abs(mesh_volume(part)) < 8 * cell * cell * cell) continue;
    const int first = static_cast<int>(united.vertices.size());
    united.vertices.insert(united.vertices.end(), part.vertices.begin(), part.vertices.end());
    for (const Triangle& t : part.triangles)
      united.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  require_closed(united, "the union of the mesh's parts");
  return united;
}

std::vector<Float3> sample_mesh(const TriangleMesh& mesh, const Sampling& sampling) {
  openvdb::initialize();
  const auto [low, high] = box_of(mesh);
  (void)Lattice(low, high,
                sampling);  // refuses a lattice that is too large before the mesh is turned into voxels
  const Frame frame(low, 0.5 * sampling.spacing);
  const Grid::Ptr distance = solid_distance(mesh, frame);
  const auto accessor = distance->getConstAccessor();  // the sampler keeps its address
  const Sampler sample(accessor, distance->transform());
  return sample_where(low, high, sampling,
                      [&](const Point3& p) { return sample.wsSample(frame.to_frame(p)) < 0; });
}

}  // namespace merganser::openvdb_module
