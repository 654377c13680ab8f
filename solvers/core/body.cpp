#include "solvers/core/body.h"

#include <algorithm>
#include <cmath>

#include "device/errors.h"
#include "solvers/geometry/sampling/shape_mesh.h"
#include "solvers/geometry/signed_distance/mesh_soundness.h"
#include "solvers/geometry/walls/wall_mesh.h"
#include "solvers/geometry/walls/wall_parameters.h"

namespace merganser {

namespace {

constexpr double deviation_of_chords = 0.002;  // of relaxed shapes, in spacings: 0.3 % of the smallest balls

}  // namespace

double bytes_of_relaxing(const MeshSize& mesh, double spacing) {
  constexpr double of_block = 16, of_particle = 250;
  double blocks = 1;
  for (size_t axis = 0; axis < 3; ++axis) blocks *= (mesh.high[axis] - mesh.low[axis]) / spacing + 1;
  return program_bytes + bytes_of_field({.shape = WallShape::mesh}, mesh, spacing) + of_block * blocks +
         of_particle * mesh.volume / std::pow(spacing, 3);
}

double FilledBody::expected_particles(const BodySite& site) const {
  if (shape.is_mesh()) return 0;
  if (is_relaxed()) return shape.shape().volume / std::pow(site.spacing(), 3);
  return count_points(shape.shape(), sampling(site), site.looked_at);
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
    made.filling_bytes = is_relaxed() ? bytes_of_relaxing(mesh, spacing) : bytes_of_filling(mesh, spacing);
  } else {
    const Shape filled = shape.shape();
    made.by_volume = expected_particles(site);
    made.thinnest = filled.thinnest / spacing;
    made.longest = filled.longest / spacing;
    made.low = filled.low, made.high = filled.high;
    if (is_relaxed())
      made.filling_bytes =
          bytes_of_relaxing(size_of(surface_of(shape, {.deviation = 0.02 * filled.longest})), spacing);
  }
  made.thinnest = std::max(1.0, made.thinnest);
  made.particles = std::round(made.by_volume);
  made.mass = made.particles * density(system) * volume;
  return made;
}

double volume_to_fill(TriangleMesh mesh, double spacing, double particles) {
  const double volume = std::abs(mesh_volume(mesh));
  if (std::abs(particles * std::pow(spacing, 3) - volume) <= usual_mass_error * volume) return volume;
  try {  // only here, for it takes a while
    return mesh_volume(solid_surface(std::move(mesh), relaxed_surface_cell * spacing));
  } catch (const InputError&) {
    return 0;
  }
}

double FilledBody::mass_of_shape(const SystemState& system, const BodySite& site, double of_particles) const {
  const double rho = density(system);
  if (!shape.is_mesh()) return rho * shape.shape().volume;
  return rho * volume_to_fill(shape.mesh, site.spacing(), of_particles / (rho * std::pow(site.spacing(), 3)));
}

TriangleMesh FilledBody::surface(double edge) const { return surface_of(shape, {.edge = edge}); }

void FilledBody::expect_count_of_mesh(const BodySite& site) const {
  if (!site.expect_count || !shape.is_mesh()) return;
  const MeshSize size = size_of(shape.mesh);
  try {
    site.expect_count(size.volume / std::pow(site.spacing(), 3));
  } catch (const InputError& error) {
    throw InputError(error.what() + (shape.word == "mesh" ? ". Or " + unit_advice(size) : ""));
  }
}

std::vector<Float3> FilledBody::fill(const BodySite& site) const {
  if (is_relaxed()) return fill_relaxed(site);
  const Sampling sampled = sampling(site);
  if (!shape.is_mesh()) return sample_shape(shape.shape(), sampled);
  expect_count_of_mesh(site);
  return sample_mesh(shape.mesh, sampled);
}

std::vector<Float3> FilledBody::fill_relaxed(const BodySite& site) const {
  const Sampling lattice = sampling(site);
  const auto refuse = [&](const std::string& key, const std::string& value) {
    throw InputError(site.path + "." + key + ": is " + value +
                     ", which is of a lattice; leave it out, or set sampling to lattice");
  };
  if (lattice.packing != Packing::cubic) refuse("packing", "hexagonal");
  if (lattice.jitter > 0) refuse("jitter", std::to_string(lattice.jitter));
  TriangleMesh mesh = surface_of(shape, {.deviation = deviation_of_chords * site.spacing()});
  expect_count_of_mesh(site);
  if (shape.is_mesh()) mesh = solid_surface(std::move(mesh), relaxed_surface_cell * site.spacing());
  return site.relax(mesh, site.spacing());
}

void add_spin(SystemState& system, size_t first, const Point3& spin, const Point3& centre) {
  if (spin == Point3{0, 0, 0}) return;
  for (size_t i = first; i < system.position.size(); ++i) {
    if (system.immobile[i]) continue;
    const Float3& x = system.position[i];
    const Point3 arm{x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
    Float3& v = system.velocity[i];
    for (size_t a = 0; a < 3; ++a) {
      const size_t b = (a + 1) % 3, c = (a + 2) % 3;
      v[a] = float(v[a] + spin[b] * arm[c] - spin[c] * arm[b]);
    }
  }
}

Point3 centre_of_mass(const SystemState& system, size_t first) {
  Point3 sum{0, 0, 0};
  double mass = 0;
  for (size_t i = first; i < system.position.size(); ++i) {
    mass += system.mass[i];
    for (size_t a = 0; a < 3; ++a) sum[a] += double(system.mass[i]) * system.position[i][a];
  }
  for (double& s : sum) s /= mass;
  return sum;
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
