#include "solvers/core/body.h"

#include <algorithm>
#include <cmath>

#include "solvers/geometry/sampling/shape_mesh.h"

namespace merganser {

double FilledBody::expected_particles(const BodySite& site) const {
  return shape.is_mesh() ? 0 : count_points(shape.shape(), sampling(site), site.looked_at);
}

BodyEstimate FilledBody::estimate(const BodySite& site, const SystemState& system) const {
  const double spacing = site.spacing(), volume = std::pow(spacing, 3);
  BodyEstimate made;
  if (shape.is_mesh()) {
    const MeshSize& mesh = shape.size;
    made.by_volume = mesh.volume / volume;
    made.thinnest = std::cbrt(mesh.volume) / spacing;
    made.longest =
        std::max({mesh.high[0] - mesh.low[0], mesh.high[1] - mesh.low[1], mesh.high[2] - mesh.low[2]}) /
        spacing;
    made.low = mesh.low, made.high = mesh.high;
    made.filling_bytes = bytes_of_filling(mesh, spacing);
  } else {
    const Shape filled = shape.shape();
    made.by_volume = expected_particles(site);
    made.thinnest = filled.thinnest / spacing;
    made.longest = filled.longest / spacing;
    made.low = filled.low, made.high = filled.high;
  }
  made.thinnest = std::max(1.0, made.thinnest);
  made.particles = std::round(made.by_volume);
  made.mass = made.particles * density(system) * volume;
  return made;
}

TriangleMesh FilledBody::surface(double edge) const { return surface_of(shape, edge); }

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
