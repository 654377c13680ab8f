#pragma once
/// Rectangular sheets of particles.
#include <vector>

#include "solvers/base/host_types.h"

namespace merganser {

struct Sheet {
  std::vector<Float3> vertices;         ///< [m] row by row, u fastest
  std::vector<Triangle> triangles;      ///< two a cell; normals along edge_u x edge_v
  int nu = 0, nv = 0;                   ///< vertices along each edge
  double spacing_u = 0, spacing_v = 0;  ///< [m]
  std::vector<double> area;             ///< [m^2] each vertex's share; they add up to the sheet's area
  std::vector<char> border;             ///< 1 on the rim
};

/// A sheet spanned by two edges from `origin`; the spacing is the nearest to the wanted one that divides each
/// edge. Throws InputError where an edge has no length or the edges are not perpendicular.
Sheet make_sheet(const Point3& origin, const Point3& edge_u, const Point3& edge_v, double spacing);

}  // namespace merganser
