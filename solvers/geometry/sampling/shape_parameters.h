#pragma once
/// Shapes that particles fill, as scenes give them.
#include <string>
#include <vector>

#include "solvers/geometry/sampling/mesh_size.h"
#include "solvers/geometry/sampling/rigid_placement.h"
#include "solvers/geometry/sampling/shapes.h"

namespace merganser {

struct ParameterTable;

/// Method by which particles fill a shape.
enum class SamplingMethod {
  lattice,  ///< points of a lattice that lie inside (shapes.h)
  relaxed,  ///< up to the surface, evenly spaced (../relaxation)
};

struct ShapeParameters {
  /// One table a shape: "box", "sphere", "cylinder", "torus", "bowl", "mesh".
  static const std::vector<ParameterTable>& tables();

  /// The key "sampling" of bodies that fill shapes.
  static const ParameterTable& sampling_table();

  std::string word;                     ///< which shape
  Point3 start{0, 0, 0}, end{0, 0, 0};  ///< [m] corners of a box, ends of a cylinder's axis
  Point3 centre{0, 0, 0};               ///< [m]
  Point3 axis{0, 0, 1};                 ///< of a torus
  double radius = 0, major_radius = 0, minor_radius = 0, outer_radius = 0;  ///< [m]
  double thickness = 0, rim_height = 0;                                     ///< [m] of a bowl
  std::string file;     ///< of a mesh, or of one that takes a sphere's place
  TriangleMesh mesh;    ///< at its place
  size_t welded = 0;    ///< vertices of the file that were merged with others
  MeshSize size;        ///< of the mesh, where it was measured
  double fit_size = 0;  ///< [m] see MeshTransform
  Point3 scale{1, 1, 1}, rotation_axis{0, 0, 1};
  double rotation_angle = 0;    ///< [rad]
  Point3 translation{0, 0, 0};  ///< [m]
  SamplingMethod sampling = SamplingMethod::lattice;

  bool is_mesh() const { return !file.empty(); }
  /// From the file to its place.
  MeshTransform mesh_transform() const;
  /// Keeps no more of the mesh than its size.
  void measure_mesh();
  /// Any other shape at its place.
  Shape shape() const;
  /// Place of its own frame: a cylinder's along x from its start, a torus about z, others as they are given.
  RigidPlacement placement() const;
  /// Equal but for its placement.
  bool is_congruent(const ShapeParameters& other) const;
  bool operator==(const ShapeParameters&) const = default;
};

Point3 sum_of(const Point3& a, const Point3& b);

}  // namespace merganser
