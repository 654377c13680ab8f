/// Filling closed meshes.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>

#include "solvers/geometry/level_set/openvdb_module.h"

namespace merganser::openvdb_module {

namespace {

using Grid = openvdb::FloatGrid;
using Sampler = openvdb::tools::GridSampler<Grid::ConstAccessor, openvdb::tools::BoxSampler>;

/// Parts of a mesh that share no vertex, the one that encloses most first.
std::vector<TriangleMesh> connected_parts(const TriangleMesh& mesh) {
  std::vector<int> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int v) {
    while (root[size_t(v)] != v) v = root[size_t(v)] = root[size_t(root[size_t(v)])];
    return v;
  };
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 1; k < 3; ++k) root[size_t(find(t[k]))] = find(t[0]);
  std::map<int, TriangleMesh> parts;
  std::vector<int> number(mesh.vertices.size(), -1);  // in its part
  for (const Triangle& t : mesh.triangles) {
    TriangleMesh& part = parts[find(t[0])];
    Triangle own{};
    for (size_t k = 0; k < 3; ++k) {
      int& there = number[size_t(t[k])];
      if (there < 0) {
        there = static_cast<int>(part.vertices.size());
        part.vertices.push_back(mesh.vertices[size_t(t[k])]);
      }
      own[k] = there;
    }
    part.triangles.push_back(own);
  }
  std::vector<TriangleMesh> sorted;
  for (auto& [vertex, part] : parts) sorted.push_back(std::move(part));
  std::stable_sort(sorted.begin(), sorted.end(), [](const TriangleMesh& a, const TriangleMesh& b) {
    return std::abs(mesh_volume(a)) > std::abs(mesh_volume(b));
  });
  return sorted;
}

/// Signed distance to the mesh from `low`, voxels of `cell`.
Grid::Ptr distance_to(const TriangleMesh& mesh, const Point3& low, double cell) {
  // The voxel grid starts at the mesh's corner: far from the origin its float coordinates would be coarse.
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Float3& v : mesh.vertices) points.emplace_back(v[0] - low[0], v[1] - low[1], v[2] - low[2]);
  for (const Triangle& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const auto to_world = openvdb::math::Transform::createLinearTransform(cell);
  return openvdb::tools::meshToLevelSet<Grid>(*to_world, points, triangles, 3.0f);
}

/// OpenVDB fills all that the outside does not reach, cavities too. A part within the solid whose faces look
/// the other way is one: it is taken off.
Grid::Ptr solid_distance(const TriangleMesh& mesh, const Point3& low, double cell) {
  const std::vector<TriangleMesh> parts = connected_parts(mesh);
  const auto inverted = [&](const TriangleMesh& part) {
    return (mesh_volume(part) < 0) != (mesh_volume(parts[0]) < 0);
  };
  if (std::none_of(parts.begin(), parts.end(), inverted)) return distance_to(mesh, low, cell);
  Grid::Ptr solid;
  for (const TriangleMesh& part : parts) {
    const Grid::Ptr distance = distance_to(part, low, cell);
    if (!solid) {
      solid = distance;
      continue;
    }
    const auto accessor = solid->getConstAccessor();
    const Float3& v = part.vertices[0];
    const bool within = Sampler(accessor, solid->transform())
                            .wsSample(openvdb::Vec3d(v[0] - low[0], v[1] - low[1], v[2] - low[2])) < 0;
    if (inverted(part) && within)
      openvdb::tools::csgDifference(*solid, *distance);
    else
      openvdb::tools::csgUnion(*solid, *distance);
  }
  return solid;
}

}  // namespace

std::vector<Float3> sample_mesh(const TriangleMesh& mesh, const Sampling& sampling) {
  openvdb::initialize();
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Float3& v : mesh.vertices)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], double(v[k]));
      high[k] = std::max(high[k], double(v[k]));
    }
  (void)Lattice(low, high,
                sampling);  // refuses a lattice that is too large before the mesh is turned into voxels
  const Grid::Ptr distance = solid_distance(mesh, low, 0.5 * sampling.spacing);
  const auto accessor = distance->getConstAccessor();  // the sampler keeps its address
  const Sampler sample(accessor, distance->transform());
  return sample_where(low, high, sampling, [&](const Point3& p) {
    return sample.wsSample(openvdb::Vec3d(p[0] - low[0], p[1] - low[1], p[2] - low[2])) < 0;
  });
}

}  // namespace merganser::openvdb_module
