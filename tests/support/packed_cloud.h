#pragma once
/// Fluid particles in the order of their grid, as methods give them to the forces of
/// solvers/methods/fluid/forces, and the same in double precision.
#include <vector>

#include "solvers/methods/fluid/forces/packed_fluid.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN

namespace forces_test {

struct PackedCloud {
  /// `points` with spacing `spacing_of` between neighbors; compressions are random up to +- `disorder`.
  PackedCloud(const std::vector<Vec3>& points, float spacing_of, float h_of, float disorder = 0,
              const std::vector<WallParameters>& wall_parameters = {}, Vec3 period = {0, 0, 0})
      : spacing(spacing_of), h(h_of), walls(wall_parameters) {
    grid.set_periodic({0, 0, 0}, period);
    grid.build(Array<Vec3>(points).const_view(), 2 * h);
    std::vector<Quad> packed;
    std::vector<float> e;
    for (int i : to_host(grid.order())) {
      const Vec3& p = points[size_t(i)];
      position.push_back(to_double(p));
      packed.push_back({p.x, p.y, p.z, -7});
      e.push_back(disorder * (2 * uniform_float(test_bits(i, 3).word[0]) - 1));
    }
    quads.assign(packed);
    scratch.resize(quads.size());
    compression.assign(e);
    host_compression = e;
  }
  int count() const { return quads.size(); }
  PackedFluid fluid() { return {grid, quads.view(), scratch.view(), compression.const_view(), walls.view()}; }
  double density(size_t i) const { return density0 * (1 + double(host_compression[i])); }
  double mass() const { return density0 * std::pow(double(spacing), 3); }
  /// Calls visit(j, x_i - x_j, r) for all j within 2 h, but for i itself.
  template <class Visit>
  void for_each_neighbor(size_t i, const Visit& visit) const {
    for (size_t j = 0; j < position.size(); ++j) {
      const Vec3d d = position[i] - position[j];
      if (j != i && norm(d) < 2 * double(h)) visit(j, d, norm(d));
    }
  }

  float spacing, h;
  double density0 = 1200;
  Walls walls;
  UniformGrid grid;
  std::vector<Vec3d> position;
  std::vector<float> host_compression;
  Array<Quad> quads, scratch;
  Array<float> compression;
};

/// A cubic lattice from the origin, every point moved at random by up to jitter * spacing.
inline std::vector<Vec3> jittered_lattice(int nx, int ny, int nz, float spacing, float jitter) {
  const std::vector<Vec3> noise = random_points(nx * ny * nz, 2 * jitter * spacing, 1);
  std::vector<Vec3> points;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        points.push_back(
            Vec3{(float(i) + 0.5f) * spacing, (float(j) + 0.5f) * spacing, (float(k) + 0.5f) * spacing} +
            noise[points.size()]);
  return points;
}

/// Sum of mass times velocity and of its moment about the origin, of unit masses.
struct Momenta {
  Vec3d linear{0, 0, 0}, angular{0, 0, 0};
};
inline Momenta momenta(const PackedCloud& cloud, const std::vector<Vec3>& velocity) {
  Momenta sum;
  for (size_t i = 0; i < velocity.size(); ++i) {
    sum.linear += to_double(velocity[i]);
    sum.angular += cross(cloud.position[i], to_double(velocity[i]));
  }
  return sum;
}

}  // namespace forces_test

MERGANSER_END
