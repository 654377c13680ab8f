#pragma once
/// Size of a mesh, for estimates.
#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// Size of a mesh, at resolution 1 as at any other.
struct MeshSize {
  double vertices = 0, triangles = 0;
  double volume = 0, area = 0;  ///< [m^3], [m^2]
  Point3 low{0, 0, 0}, high{0, 0, 0};
  bool operator==(const MeshSize&) const = default;
};
MeshSize size_of(const TriangleMesh& mesh);

/// "the mesh is 200 x 100 x 50 m; where its file is in millimetres, set scale to 0.001": for messages about
/// meshes that are far larger than their scene.
std::string unit_advice(const MeshSize& mesh);

/// Bytes that a program takes without a particle.
constexpr double program_bytes = 38e6;
/// Bytes for filling a closed mesh: its points, and OpenVDB's distances around its surface.
double bytes_of_filling(const MeshSize& mesh, double spacing);

}  // namespace merganser
