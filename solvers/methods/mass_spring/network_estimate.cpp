/// Memory estimate of cloths and ropes.
#include <algorithm>
#include <cmath>

#include "solvers/methods/mass_spring/network_body.h"

#include "solvers/base/point_arithmetic.h"

namespace merganser {

using point_arithmetic::length;

namespace {}  // namespace

BodyEstimate SheetBody::estimate(const BodySite& site, const SystemState&) const {
  const auto [u, v] = particles_along(site.resolution);
  BodyEstimate made;
  made.particles = u * v;
  made.springs = (u - 1) * v + u * (v - 1);
  if (bending_stiffness > 0) made.springs += std::max(0.0, u - 2) * v + u * std::max(0.0, v - 2);
  if (shear_stiffness > 0) made.springs += 2 * (u - 1) * (v - 1);
  made.triangles = 2 * (u - 1) * (v - 1);
  made.mass = length(edge_u) * length(edge_v) * areal_density;
  return made;
}

BodyEstimate ClothMeshBody::estimate(const BodySite&, const SystemState&) const {
  BodyEstimate made;
  made.particles = shape.size.vertices;
  made.triangles = shape.size.triangles;
  // A closed mesh has 3/2 edges a face.
  made.springs = (bending_stiffness > 0 ? 3.0 : 1.5) * shape.size.triangles;
  made.mass = shape.size.area * areal_density;
  return made;
}

BodyEstimate RopeBody::estimate(const BodySite& site, const SystemState&) const {
  BodyEstimate made;
  made.particles = expected_particles(site);
  made.springs = made.particles - 1 + (bending_stiffness > 0 ? std::max(0.0, made.particles - 2) : 0);
  made.mass = length({end[0] - start[0], end[1] - start[1], end[2] - start[2]}) * line_density;
  return made;
}

}  // namespace merganser
