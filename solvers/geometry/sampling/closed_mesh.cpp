#include "solvers/geometry/sampling/closed_mesh.h"

#include <cmath>

#include "device/errors.h"
#include "solvers/geometry/sampling/mesh_parts.h"
#include "solvers/geometry/sampling/mesh_size.h"
#include "solvers/geometry/sampling/weld.h"

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

/// Of faces that lie upon one another, for example.
void require_volume(const TriangleMesh& mesh, const std::string& name) {
  constexpr double least = 1e-7;  // of area^(3/2); a needle a millionth as wide as long has 1e-4
  const TriangleMesh largest = split_parts(mesh).front();
  const MeshSize size = size_of(largest);
  if (!(size.volume > least * std::pow(size.area, 1.5)))
    throw InputError(name + ": the mesh encloses no volume; give its faces a distance");
}

}  // namespace

void make_closed(TriangleMesh& mesh, const std::string& name) {
  if (!is_closed(mesh)) {
    TriangleMesh whole = mesh;
    weld(whole, weld_tolerance);
    require_closed(whole, name);
    mesh = std::move(whole);
  }
  require_volume(mesh, name);
}

}  // namespace merganser
