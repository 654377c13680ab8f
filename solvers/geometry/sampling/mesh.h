#pragma once
/// Triangle meshes.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/host_types.h"
#include "solvers/geometry/sampling/shapes.h"

namespace merganser {

/// At its place in the scene.
struct TriangleMesh {
  std::vector<Float3> vertices;  ///< [m]
  std::vector<Triangle> triangles;
  bool operator==(const TriangleMesh&) const = default;
};

/// As a file holds it: coordinates of surveys lie thousands of kilometres off, where float has no
/// centimetres.
struct FileMesh {
  std::vector<Point3> vertices;  ///< in the file's unit
  std::vector<Triangle> triangles;
};

/// Applied in this order: fit_size, scale, rotation, translation.
struct MeshTransform {
  Point3 scale{1, 1, 1};
  Point3 rotation_axis{0, 0, 1};
  double rotation_angle = 0;    ///< [rad]
  Point3 translation{0, 0, 0};  ///< [m]
  double fit_size = 0;  ///< [m] > 0: the bounding box's longest side becomes this and its centre the origin
};

/// The mesh at its place, computed in double and then rounded to float. Throws InputError, beginning with
/// `file`, where a vertex is out of the range of float.
TriangleMesh placed(const FileMesh& mesh, const MeshTransform& transform, const std::string& file);

/// The content of an OBJ or OFF (polygons are cut into triangles), PLY (ASCII, little- and big-endian binary)
/// or STL file (ASCII and binary; equal corners become one vertex), by the extension of its name. Texts are
/// UTF-8, with or without a byte order mark, or UTF-16. Throws InputError with that name, line and remedy.
TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& file,
                        const MeshTransform& transform = {});

/// Throws InputError, naming `name` and the number of faulty edges, unless every edge is shared by exactly
/// two faces that run through it in opposite directions.
void require_closed(const TriangleMesh& mesh, const std::string& name);
/// Volume enclosed by a closed mesh, by the divergence theorem; negative where faces look inwards.
double mesh_volume(const TriangleMesh& mesh);
/// Lattice points inside a closed mesh, by its signed distance (OpenVDB) on voxels of half the spacing.
std::vector<Float3> sample_mesh(const TriangleMesh& mesh, const Sampling& sampling);
/// The surface of the union of a closed mesh's parts less its cavities, by a level set (OpenVDB) with voxels
/// of `cell` [m], which chamfers edges by as much. Faces look outwards. Throws InputError where nothing is
/// left or there are too many voxels.
TriangleMesh united_mesh(const TriangleMesh& mesh, double cell);

}  // namespace merganser
