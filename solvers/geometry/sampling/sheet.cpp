#include "solvers/geometry/sampling/sheet.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"

namespace merganser {

Sheet make_sheet(const Point3& origin, const Point3& edge_u, const Point3& edge_v, double spacing) {
  const double length_u = std::hypot(edge_u[0], edge_u[1], edge_u[2]),
               length_v = std::hypot(edge_v[0], edge_v[1], edge_v[2]);
  const Point3 normal{edge_u[1] * edge_v[2] - edge_u[2] * edge_v[1],
                      edge_u[2] * edge_v[0] - edge_u[0] * edge_v[2],
                      edge_u[0] * edge_v[1] - edge_u[1] * edge_v[0]};
  const double area = std::hypot(normal[0], normal[1], normal[2]);
  if (!(area > 1e-9 * length_u * length_v) || !(length_u > 0))
    throw InputError("the two edges of a sheet must have a length and not be parallel");
  // The springs of a grid know right angles only; 1e-4 allows for edges written with four digits.
  const double along = edge_u[0] * edge_v[0] + edge_u[1] * edge_v[1] + edge_u[2] * edge_v[2];
  if (!(std::abs(along) <= 1e-4 * length_u * length_v))
    throw InputError(
        "the two edges of a sheet must be perpendicular; for other outlines give a triangle mesh");
  if (!((length_u / spacing + 1) * (length_v / spacing + 1) <= 2e9))
    throw InputError("a sheet takes at most 2e9 particles; raise its spacing or lower --resolution");
  Sheet sheet;
  const int cells_u = std::max(1, static_cast<int>(std::lround(length_u / spacing)));
  const int cells_v = std::max(1, static_cast<int>(std::lround(length_v / spacing)));
  sheet.nu = cells_u + 1;
  sheet.nv = cells_v + 1;
  sheet.spacing_u = length_u / cells_u;
  sheet.spacing_v = length_v / cells_v;
  const double cell_area = area / (double(cells_u) * cells_v);
  for (int j = 0; j < sheet.nv; ++j)
    for (int i = 0; i < sheet.nu; ++i) {
      Float3 x;
      for (size_t k = 0; k < 3; ++k)
        x[k] = float(origin[k] + edge_u[k] * i / cells_u + edge_v[k] * j / cells_v);
      sheet.vertices.push_back(x);
      const bool end_u = i == 0 || i == cells_u, end_v = j == 0 || j == cells_v;
      sheet.area.push_back(cell_area * (end_u ? 0.5 : 1.0) * (end_v ? 0.5 : 1.0));
      sheet.border.push_back(end_u || end_v);
    }
  for (int j = 0; j < cells_v; ++j)
    for (int i = 0; i < cells_u; ++i) {
      const int a = j * sheet.nu + i, b = a + 1, c = a + sheet.nu, d = c + 1;
      sheet.triangles.push_back({a, b, d});
      sheet.triangles.push_back({a, d, c});
    }
  return sheet;
}

}  // namespace merganser
