#include "solvers/geometry/sampling/mesh_size.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace merganser {

namespace {

constexpr double openvdb = 30e6;  // bytes, without a voxel

double distance(const Float3& a, const Float3& b) {
  return std::hypot(double(b[0]) - a[0], double(b[1]) - a[1], double(b[2]) - a[2]);
}

}  // namespace

MeshSize size_of(const TriangleMesh& mesh) {
  MeshSize size{.vertices = double(mesh.vertices.size()),
                .triangles = double(mesh.triangles.size()),
                .volume = std::abs(mesh_volume(mesh)),
                .low = {1e300, 1e300, 1e300},
                .high = {-1e300, -1e300, -1e300}};
  for (const Triangle& t : mesh.triangles) {
    const Float3 &a = mesh.vertices[size_t(t[0])], &b = mesh.vertices[size_t(t[1])],
                 &c = mesh.vertices[size_t(t[2])];
    const double ab = distance(a, b), bc = distance(b, c), ca = distance(c, a), s = (ab + bc + ca) / 2;
    size.area += std::sqrt(std::max(0.0, s * (s - ab) * (s - bc) * (s - ca)));  // Heron
  }
  for (const Float3& v : mesh.vertices)
    for (size_t axis = 0; axis < 3; ++axis) {
      size.low[axis] = std::min(size.low[axis], double(v[axis]));
      size.high[axis] = std::max(size.high[axis], double(v[axis]));
    }
  return size;
}

std::string unit_advice(const MeshSize& mesh) {
  std::ostringstream text;
  text << std::setprecision(3) << "the mesh is";
  for (size_t k = 0; k < 3; ++k) text << (k > 0 ? " x " : " ") << mesh.high[k] - mesh.low[k];
  text << " m; where its file is in millimetres, set scale to 0.001";
  return text.str();
}

double bytes_of_filling(const MeshSize& mesh, double spacing) {
  return program_bytes + openvdb + 130 * mesh.volume / std::pow(spacing, 3) +
         130 * mesh.area / std::pow(0.5 * spacing, 2);
}

}  // namespace merganser
