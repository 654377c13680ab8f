#include "solvers/geometry/walls/wall_mesh.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "device/errors.h"
#include "solvers/geometry/signed_distance/mesh_soundness.h"
#include "solvers/geometry/signed_distance/nearest_triangle.h"
#include "solvers/geometry/walls/wall_parameters.h"

namespace merganser {

namespace {
double cell_of(const WallParameters& wall, double spacing) {
  return wall.cell_size > 0 ? wall.cell_size : 0.5 * spacing;
}
}  // namespace

MeshTransform mesh_transform(const WallParameters& wall) {
  return {.scale = wall.scale,
          .rotation_axis = wall.rotation_axis,
          .rotation_angle = wall.rotation_angle,
          .translation = wall.translation,
          .fit_size = wall.fit_size};
}

double bytes_of_field(const WallParameters& wall, const MeshSize& mesh, double spacing) {
  constexpr double of_node = 37, of_corner = 20, of_triangle = 400;
  const double cell = cell_of(wall, spacing), brick = 8 * cell;
  const double reach = WallParameters::reach_in_spacings * spacing + cell + std::sqrt(0.75) * brick;
  double volume = 1;
  for (size_t axis = 0; axis < 3; ++axis)
    volume *= mesh.high[axis] - mesh.low[axis] + 2 * reach + wall.thickness;
  const double corners = volume / std::pow(brick, 3);
  const double bricks = std::min(corners, 2 * reach * mesh.area / std::pow(brick, 3));
  return of_node * 729 * bricks + of_corner * corners + of_triangle * mesh.triangles;
}

std::shared_ptr<const WallMesh> make_wall_mesh(const WallParameters& wall, TriangleMesh mesh, double spacing,
                                               const std::string& name) {
  if (!(wall.thickness > 0)) try {
      make_sound(mesh, name);
    } catch (const InputError& error) {
      throw InputError(
          std::string(error.what()) +
          ". A wall that is a surface without an inside needs a thickness, at least the particle spacing");
    }
  auto made = std::make_shared<WallMesh>();
  try {
    made->tree = make_mesh_tree(mesh);
  } catch (const InputError& error) {
    throw InputError(name + ": " + error.what());
  }
  const double cell = cell_of(wall, spacing);
  made->field = {.thickness = wall.thickness,
                 .inside = wall.inside && !(wall.thickness > 0),
                 .cell = cell,
                 .reach = WallParameters::reach_in_spacings * spacing + cell};
  made->name = name;
  return made;
}

std::string note_on_thin_parts(const WallMesh& mesh, double spacing) {
  const FieldParameters& field = mesh.field;
  std::ostringstream note;
  if (field.thickness > 0 && field.thickness < spacing) {
    note << "the thickness of " << field.thickness << " m is less than the particle spacing, " << spacing
         << " m; fluid may get through, raise the thickness or the resolution";
  } else if (!(field.thickness > 0) && !field.inside) {
    constexpr double least_share = 1e-3;  // a few triangles at a sharp tip are no leak
    const auto say = [&](double length, const char* than, const char* consequence) {
      const ThinParts thin = find_thin_parts(mesh.tree, length);
      if (thin.area_share > least_share)
        note << 100 * thin.area_share << " % of the mesh is thinner than " << than << length << " m, down to "
             << thin.least << " m; " << consequence;
      return thin.area_share > least_share;
    };
    constexpr double support = 2.4;  // spacings, of SPH
    say(spacing, "the particle spacing, ", "fluid may get through, thicken it or raise the resolution") ||
        say(support * spacing, "a fluid's kernel reaches, ",
            "where there is no fluid on the other side, pressures beside it are off by some ten percent; "
            "thicken it, raise the resolution, or give a surface with a thickness instead");
  }
  return note.str();
}

double signed_distance(const WallMesh& mesh, const Point3& x) {
  const cpu::MeshTreeView view{{mesh.tree.nodes.data(), static_cast<int>(mesh.tree.nodes.size())},
                               {mesh.tree.triangles.data(), static_cast<int>(mesh.tree.triangles.size())}};
  return cpu::SolidOfMesh{view, mesh.field.thickness, mesh.field.inside}.at({x[0], x[1], x[2]}).distance;
}

}  // namespace merganser
