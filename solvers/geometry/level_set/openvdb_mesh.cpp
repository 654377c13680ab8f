/// Filling closed meshes.
#include <algorithm>

#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>

#include "solvers/geometry/level_set/openvdb_module.h"

namespace merganser::openvdb_module {

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
  // The voxel grid starts at the mesh's corner: far from the origin its float coordinates would be coarse.
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Float3& v : mesh.vertices) points.emplace_back(v[0] - low[0], v[1] - low[1], v[2] - low[2]);
  for (const Triangle& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const auto to_world = openvdb::math::Transform::createLinearTransform(0.5 * sampling.spacing);
  const auto distance =
      openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*to_world, points, triangles, 3.0f);
  const auto accessor = distance->getConstAccessor();  // the sampler keeps its address
  const openvdb::tools::GridSampler<openvdb::FloatGrid::ConstAccessor, openvdb::tools::BoxSampler> sample(
      accessor, distance->transform());
  return sample_where(low, high, sampling, [&](const Point3& p) {
    return sample.wsSample(openvdb::Vec3d(p[0] - low[0], p[1] - low[1], p[2] - low[2])) < 0;
  });
}

}  // namespace merganser::openvdb_module
