#include "solvers/geometry/relaxation/filled_solid.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include "device/errors.h"
#include "solvers/core/smoothing_kernels.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/geometry/walls/wall_parameters.h"

MERGANSER_BEGIN

FilledSolid::FilledSolid(const TriangleMesh& given, double spacing, double unit)
    : unit_(unit), spacing_(float(spacing / unit)) {
  TriangleMesh mesh = given;
  require_closed(mesh, "mesh");
  if (mesh_volume(mesh) < 0)
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);  // all faces look inwards
  Float3 high = low_ = mesh.vertices[0];
  for (const Float3& v : mesh.vertices)
    for (size_t axis = 0; axis < 3; ++axis) {
      low_[axis] = std::min(low_[axis], v[axis]);
      high[axis] = std::max(high[axis], v[axis]);
    }
  const auto to_frame = [&](Float3& v) {
    for (size_t axis = 0; axis < 3; ++axis) v[axis] = (v[axis] - low_[axis]) / float(unit);
  };
  for (Float3& v : mesh.vertices) to_frame(v);
  to_frame(high);
  extent_ = {high[0], high[1], high[2]};
  volume_ = std::abs(mesh_volume(mesh));
  WallParameters wall{.shape = WallShape::mesh, .inside = true};
  const double cell = 0.5 * spacing / unit,
               reach = (WallParameters::reach_in_spacings * spacing) / unit + cell;
  wall.mesh = std::make_shared<WallMesh>(
      WallMesh{make_mesh_tree(mesh), {.inside = true, .cell = cell, .reach = reach}, "mesh"});
  nodes_.assign(wall.mesh->tree.nodes);
  triangles_.assign(wall.mesh->tree.triangles);
  grid_error_ = float(0.5 * cell);  // distance_field.h: 0.43 cell at most
  try {
    walls_ = Walls({wall});
  } catch (const InputError&) {  // names keys of walls, and lengths of the frame
    std::ostringstream message;
    message << "the box around the mesh, " << extent_.x * unit << " x " << extent_.y * unit << " x "
            << extent_.z * unit << " m, is too large for the relaxed sampling with a spacing of " << spacing
            << " m; raise the spacing (particleRadius) or lower --resolution";
    throw InputError(message.str());
  }
  map_ = WallVolumeMap(CubicSpline<double>(1), spacing_, walls_);
}

MERGANSER_END
