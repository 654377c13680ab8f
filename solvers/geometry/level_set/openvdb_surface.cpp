#include "solvers/geometry/level_set/openvdb_module.h"

#include <algorithm>
#include <sstream>

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/global_control.h>

#include "device/errors.h"
#include "solvers/geometry/sampling/unit_of_length.h"

namespace merganser::openvdb_module {

namespace {

constexpr double ball_radius = 0.9, moved_in = 0.4;  // in h
constexpr double widest_voxel = 0.6;                 // in h: ParticlesToLevelSet drops balls below 1.5 voxels
constexpr double least_voxel = 1.5e-5;               // [m] OpenVDB refuses a voxel of less than 3e-15 m^3

/// The particles as OpenVDB asks for them.
struct ParticleBalls {
  using PosType = openvdb::Vec3R;
  const std::vector<Float3>& position;  ///< [m]
  double unit;                          ///< [m] of OpenVDB's lengths
  size_t size() const { return position.size(); }
  void getPos(size_t i, openvdb::Vec3R& x) const {
    x = openvdb::Vec3R(position[i][0], position[i][1], position[i][2]) / unit;
  }
};

void mesh_of(const openvdb::FloatGrid& distance, double unit, SurfaceMesh& mesh) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(distance, points, triangles, quads, 0.0, 0.0, false);
  for (const auto& p : points)
    mesh.position.push_back({float(unit * p.x()), float(unit * p.y()), float(unit * p.z())});
  // OpenVDB's faces are clockwise seen from outside.
  const auto add = [&](unsigned a, unsigned b, unsigned c) {
    mesh.triangles.push_back({int(a), int(c), int(b)});
  };
  for (const auto& t : triangles) add(t[0], t[1], t[2]);
  for (const auto& q : quads) {
    add(q[0], q[1], q[2]);
    add(q[0], q[2], q[3]);
  }
}

}  // namespace

LevelSetSurface level_set_surface(const FluidPoints& points, const SurfaceParameters& parameters,
                                  int threads) {
  const double width = parameters.cell_factor * parameters.h, unit = width < least_voxel ? unit_of(width) : 1;
  const double h = parameters.h / unit, voxel = parameters.cell_factor * h;
  if (parameters.cell_factor > widest_voxel)
    throw InputError("--cell-size " + std::to_string(parameters.cell_factor) +
                     ": the method levelSet needs cells of at most 0.6 h");
  openvdb::initialize();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, size_t(std::max(threads, 1)));
  // Wide enough for the surface to move through.
  const float half_width = static_cast<float>(moved_in / parameters.cell_factor + 3);
  auto distance = openvdb::createLevelSet<openvdb::FloatGrid>(voxel, half_width);
  LevelSetSurface surface;
  if (!points.position.empty()) {
    openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*distance);
    raster.rasterizeSpheres(ParticleBalls{points.position, unit}, ball_radius * h);
    raster.finalize(true);
    openvdb::tools::LevelSetFilter<openvdb::FloatGrid> filter(*distance);
    const int flows = std::max(2, parameters.smoothing / 2);
    // Before the surface moves in: small balls would shrink more than large ones.
    for (int step = 0; step < flows; ++step) filter.meanCurvature();
    filter.offset(static_cast<float>(moved_in * h));
    mesh_of(*distance, unit, surface.mesh);
  }
  distance->setName("surface");
  if (unit != 1) distance->insertMeta("metersPerUnit", openvdb::DoubleMetadata(unit));
  std::ostringstream stream(std::ios::binary);
  openvdb::io::Stream file(stream);
  file.write(openvdb::GridCPtrVec{distance});
  const std::string bytes = stream.str();
  surface.vdb.assign(bytes.begin(), bytes.end());
  return surface;
}

}  // namespace merganser::openvdb_module
