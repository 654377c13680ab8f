#include "solvers/geometry/sampling/closed_mesh.h"

#include "device/errors.h"

namespace merganser {

namespace {

bool is_closed(const TriangleMesh& mesh) {
  try {
    require_closed(mesh, "");
  } catch (const InputError&) {
    return false;
  }
  return true;
}

TriangleMesh joined(const TriangleMesh& mesh) {
  std::vector<Float3> corners;
  for (const Triangle& t : mesh.triangles)
    for (const int v : t) corners.push_back(mesh.vertices[size_t(v)]);
  return mesh_of_corners(corners);
}

}  // namespace

void make_closed(TriangleMesh& mesh, const std::string& name) {
  if (is_closed(mesh)) return;
  TriangleMesh whole = joined(mesh);
  require_closed(whole, name);
  mesh = std::move(whole);
}

}  // namespace merganser
