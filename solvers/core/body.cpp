#include "solvers/core/body.h"

#include <cmath>

namespace merganser {

double FilledBody::expected_particles(const BodySite& site) const {
  return shape.is_mesh() ? 0 : count_points(shape.shape(), sampling(site), site.looked_at);
}

std::vector<Float3> FilledBody::fill(const BodySite& site) const {
  const Sampling sampled = sampling(site);
  if (!shape.is_mesh()) return sample_shape(shape.shape(), sampled);
  const TriangleMesh mesh = shape.placed_mesh();
  if (site.expect_count) site.expect_count(std::abs(mesh_volume(mesh)) / std::pow(sampled.spacing, 3));
  return sample_mesh(mesh, sampled);
}

void add_particle(SystemState& system, const Float3& position, const Point3& velocity, double mass,
                  double radius, bool held, int body) {
  const Float3 v{float(velocity[0]), float(velocity[1]), float(velocity[2])};
  system.position.push_back(position);
  system.velocity.push_back(held ? Float3{0, 0, 0} : v);
  system.mass.push_back(static_cast<float>(mass));
  system.radius.push_back(static_cast<float>(radius));
  system.immobile.push_back(held);
  system.body.push_back(body);
}

}  // namespace merganser
