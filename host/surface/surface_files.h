#pragma once
/// Surface meshes as files: PLY (binary), OBJ and VTKHDF.
#include <string>
#include <vector>

#include "solvers/geometry/surface/surface_mesh.h"

namespace merganser {

/// Surfaces of a frame one after the other, each of one fluid or of one body of it.
struct SurfaceFrame {
  double time = 0;  ///< [s]
  SurfaceMesh mesh;
  std::vector<std::int32_t> system;  ///< of each vertex
  std::vector<std::int32_t> body;    ///< of each vertex, where surfaces were made per body; else empty
  struct Part {
    std::string name;
    size_t first_triangle;
  };
  std::vector<Part> parts;

  /// Adds a surface; body -1 = not of a single body.
  void add(const SurfaceMesh& part, const std::string& name, int of_system, int of_body);
};

enum class SurfaceFormat { ply, obj, vtkhdf };
/// ".ply", ".obj" or ".vtkhdf".
std::string extension(SurfaceFormat format);
/// The bytes of a file. Equal frames give equal bytes. OBJ holds positions, normals and one group a part; the
/// others velocity, system and body as well.
std::vector<char> encode_surface(const SurfaceFrame& frame, SurfaceFormat format);

}  // namespace merganser
