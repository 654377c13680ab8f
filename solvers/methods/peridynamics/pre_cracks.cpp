#include "solvers/methods/peridynamics/pre_cracks.h"

#include <algorithm>
#include <string>

#include "device/errors.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

MERGANSER_BEGIN

std::vector<Parallelogram> pre_cracks(const SystemState& state) {
  std::vector<Parallelogram> cracks;
  for (const PreCrack& crack : state.parameters.of<PeridynamicsParameters>().pre_cracks) {
    auto vector = [](const Point3& p) { return Vec3d{p[0], p[1], p[2]}; };
    const Parallelogram shape{crack.body, vector(crack.corner), vector(crack.edge_u), vector(crack.edge_v)};
    const std::string which = "system '" + state.name + "', pre-crack " + std::to_string(cracks.size());
    if (std::find(state.body.begin(), state.body.end(), crack.body) == state.body.end())
      throw InputError(which + ": body " + std::to_string(crack.body) + " has no particles in this system");
    if (!(norm_squared(cross(shape.u, shape.v)) > 0))
      throw InputError(which + ": its edges span no area; give two edges that are not parallel");
    cracks.push_back(shape);
  }
  return cracks;
}

MERGANSER_END
