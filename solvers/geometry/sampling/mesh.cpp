#include "solvers/geometry/sampling/mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "device/errors.h"

namespace merganser {

TriangleMesh placed(const FileMesh& mesh, const MeshTransform& t, const std::string& file) {
  Point3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Point3& v : mesh.vertices)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], v[k]);
      high[k] = std::max(high[k], v[k]);
    }
  Point3 centre{0, 0, 0};
  double fit = 1;
  if (t.fit_size > 0) {
    fit = t.fit_size / std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300});
    for (size_t k = 0; k < 3; ++k) centre[k] = 0.5 * (low[k] + high[k]);
  }
  const double norm = std::hypot(t.rotation_axis[0], t.rotation_axis[1], t.rotation_axis[2]);
  const double c = std::cos(t.rotation_angle), s = std::sin(t.rotation_angle);
  const Point3 n =
      norm > 0 ? Point3{t.rotation_axis[0] / norm, t.rotation_axis[1] / norm, t.rotation_axis[2] / norm}
               : Point3{0, 0, 1};
  TriangleMesh made{{}, mesh.triangles};
  made.vertices.reserve(mesh.vertices.size());
  for (const Point3& v : mesh.vertices) {
    Point3 x;
    for (size_t k = 0; k < 3; ++k) x[k] = (v[k] - centre[k]) * fit * t.scale[k];
    // Rodrigues' formula.
    const double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
    const Point3 cross{n[1] * x[2] - n[2] * x[1], n[2] * x[0] - n[0] * x[2], n[0] * x[1] - n[1] * x[0]};
    Float3& at = made.vertices.emplace_back();
    for (size_t k = 0; k < 3; ++k) {
      const double moved = c * x[k] + s * cross[k] + (1 - c) * along * n[k] + t.translation[k];
      if (!(std::abs(moved) <= double(std::numeric_limits<float>::max())))
        throw InputError(file +
                         ": a vertex lies more than 3.4e38 m from the origin, beyond 32-bit floating-point "
                         "numbers; make the mesh smaller with fitSize or scale");
      at[k] = static_cast<float>(moved);
    }
  }
  if (t.scale[0] * t.scale[1] * t.scale[2] < 0)  // a reflection turns faces inside out
    for (Triangle& triangle : made.triangles) std::swap(triangle[1], triangle[2]);
  return made;
}

void require_closed(const TriangleMesh& mesh, const std::string& name) {
  std::map<std::pair<int, int>, int> forward;  // directed edge -> uses
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k) ++forward[{t[k], t[(k + 1) % 3]}];
  long long faulty = 0;
  for (const auto& [edge, uses] : forward) {
    const auto back = forward.find({edge.second, edge.first});
    if (uses != 1 || back == forward.end() || back->second != 1) ++faulty;
  }
  if (mesh.triangles.empty()) throw InputError(name + ": the mesh has no triangles");
  if (faulty > 0)
    throw InputError(name + ": the mesh is not closed: " + std::to_string(faulty) + " of " +
                     std::to_string(forward.size()) +
                     " directed edges are open, shared by more than two faces or run the same way in two "
                     "faces; fill its holes (for "
                     "example with Blender's or MeshLab's clean-up) and save it again");
}

double mesh_volume(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return 0;
  const Float3& origin = mesh.vertices.front();  // far from it terms would cancel
  const auto corner = [&](int vertex) {
    const Float3& v = mesh.vertices[size_t(vertex)];
    return Point3{double(v[0]) - origin[0], double(v[1]) - origin[1], double(v[2]) - origin[2]};
  };
  double six_volumes = 0;
  for (const Triangle& t : mesh.triangles) {
    const Point3 a = corner(t[0]), b = corner(t[1]), c = corner(t[2]);
    six_volumes += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return six_volumes / 6;
}

}  // namespace merganser
