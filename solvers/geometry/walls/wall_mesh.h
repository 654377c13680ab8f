#pragma once
/// The solid of a wall that is a triangle mesh.
#include <memory>
#include <string>

#include "solvers/geometry/sampling/mesh_size.h"
#include "solvers/geometry/signed_distance/mesh_tree.h"

namespace merganser {

struct WallParameters;

/// Where the scene puts it at time 0, which is its body frame.
struct WallMesh {
  MeshTree tree;
  FieldParameters field;
  std::string name;  ///< for messages: the wall and its file
};

/// Makes the mesh of `wall` from one at its place: sound unless it has a thickness. `spacing`
/// [m] of particles gives the cell where the wall does not. Throws InputError, beginning with `name`.
std::shared_ptr<const WallMesh> make_wall_mesh(const WallParameters& wall, TriangleMesh mesh, double spacing,
                                               const std::string& name);
/// From the file to its place.
MeshTransform mesh_transform(const WallParameters& wall);
/// Bytes of a mesh's distance field and of the table of one fluid.
double bytes_of_field(const WallParameters& wall, const MeshSize& mesh, double spacing);
/// What is thinner than the spacing [m], to be said of the wall; "" where nothing is.
std::string note_on_thin_parts(const WallMesh& mesh, double spacing);

/// Positive where particles may be [m], of a point in the body frame.
double signed_distance(const WallMesh& mesh, const Point3& x);

}  // namespace merganser
