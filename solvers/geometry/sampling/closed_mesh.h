#pragma once
/// Meshes that are to be closed, and are not as a file holds them.
#include <string>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser {

/// `require_closed` of a mesh that may be changed for it: where it is not closed (each face has corners of
/// its own, a seam of texture coordinates doubles vertices), vertices at equal places become one
/// (weld.h). Throws InputError, beginning with `name`, also where no part encloses a volume.
void make_closed(TriangleMesh& mesh, const std::string& name);

}  // namespace merganser
