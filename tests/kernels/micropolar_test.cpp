/// The micropolar model against its formulas in double precision, and rotations in closed form.
#include "solvers/methods/fluid/forces/micropolar.h"

#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "tests/support/packed_cloud.h"

MERGANSER_BEGIN
namespace micropolar_test {

using namespace forces_test;

constexpr float spacing = 0.02f, h = 1.2f * spacing, dt = 2e-3f;

FluidForcesParameters model(double transfer, double inertia, double diffusion) {
  FluidForcesParameters parameters;
  parameters.vorticity = transfer;
  parameters.vorticity_inertia = inertia;
  parameters.vorticity_diffusion = diffusion;
  return parameters;
}
Micropolar solver(const PackedCloud& cloud, const FluidForcesParameters& parameters) {
  return Micropolar(parameters, cloud.density0, float(cloud.mass()), cloud.h);
}

// One step, its sums as the header writes them. Sums of some 60 float terms.
TEST(Micropolar, EqualsTheFormulasAndKeepsMomentum) {
  PackedCloud cloud(jittered_lattice(7, 6, 6, spacing, 0.3f), spacing, h, 0.1f);
  const double transfer = 0.01, inertia = 0.5, diffusion = 0.002, V = cloud.mass() / cloud.density0;
  Micropolar micropolar = solver(cloud, model(transfer, inertia, diffusion));
  const auto v = random_points(cloud.count(), 2, 4), w = random_points(cloud.count(), 20, 5);
  Array<Vec3> velocity(v);
  micropolar.omega().assign(w);
  micropolar.apply(cloud.fluid(), dt, velocity.view());
  const CubicSpline<double> kernel(h);
  const size_t n = v.size();
  std::vector<Vec3d> expected_v(n), driven(n), expected_w(n);
  for (size_t i = 0; i < n; ++i) {
    Vec3d curl{0, 0, 0}, laplacian{0, 0, 0};
    const auto share = [&](size_t k) { return cloud.density0 / cloud.density(k); };
    cloud.for_each_neighbor(i, [&](size_t j, const Vec3d& d, double r) {
      const double factor = kernel.gradient_factor(r);
      const Vec3d both = to_double(w[i]) * (share(i) * share(i)) + to_double(w[j]) * (share(j) * share(j));
      curl -= cross(both, d) * (V * factor);
      laplacian += (to_double(w[i]) - to_double(w[j])) * (2 * V * share(j) * factor);
    });
    expected_v[i] = to_double(v[i]) + curl * (dt * transfer);
    driven[i] = to_double(w[i]) + laplacian * (dt * diffusion);
  }
  double changed = 0;
  for (size_t i = 0; i < n; ++i) {
    Vec3d curl{0, 0, 0};
    cloud.for_each_neighbor(i, [&](size_t j, const Vec3d& d, double r) {
      curl += cross(expected_v[i] - expected_v[j], d) *
              (V * cloud.density0 / cloud.density(i) * kernel.gradient_factor(r));
    });
    const double rate = dt * transfer / inertia;
    expected_w[i] = (driven[i] + curl * rate) * (1 / (1 + 2 * rate));
    changed = std::max(changed, norm(expected_v[i] - to_double(v[i])));
  }
  EXPECT_GT(changed, 0.01);
  const auto found_v = velocity.to_host(), found_w = micropolar.omega().to_host();
  for (size_t i = 0; i < n; ++i) {
    EXPECT_LT(norm(to_double(found_v[i]) - expected_v[i]), 5e-6) << i;
    EXPECT_LT(norm(to_double(found_w[i]) - expected_w[i]), 5e-5) << i;
  }
  EXPECT_LT(norm(momenta(cloud, found_v).linear - momenta(cloud, v).linear), 1e-4);
}

/// In a fluid that turns like a solid omega comes to be its angular velocity. Inner particles; the sum of
/// differences on a lattice of h = 1.2 spacings finds 98.2 % of a gradient (sph_kernel_lattice_sums.csv).
TEST(Micropolar, RotationFollowsTheFlow) {
  PackedCloud cloud(jittered_lattice(9, 9, 9, spacing, 0), spacing, h);
  Micropolar micropolar = solver(cloud, model(1e-6, 1e-6, 0));
  const Vec3d turn{1, -2, 3};
  std::vector<Vec3> v;
  for (const Vec3d& x : cloud.position) v.push_back(to_float(cross(turn, x)));
  micropolar.omega().resize(cloud.count());
  for (int k = 0; k < 20; ++k) {
    Array<Vec3> velocity(v);
    micropolar.apply(cloud.fluid(), 1, velocity.view());
  }
  const auto found = micropolar.omega().to_host();
  int inner = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const Vec3d from_middle = cloud.position[i] - Vec3d{1, 1, 1} * (4.5 * spacing);
    if (std::max({std::abs(from_middle.x), std::abs(from_middle.y), std::abs(from_middle.z)}) > 1.9 * spacing)
      continue;
    ++inner;
    EXPECT_LT(norm(to_double(found[i]) - turn), 0.025 * norm(turn));
  }
  EXPECT_EQ(inner, 27);
}

/// A core that spins sets the fluid around it in motion, the way it spins.
TEST(Micropolar, SpinningCoreSpinsTheFluidUp) {
  PackedCloud cloud(jittered_lattice(11, 11, 11, spacing, 0.2f), spacing, h);
  Micropolar micropolar = solver(cloud, model(0.02, 0.1, 0));
  const Vec3d middle = Vec3d{1, 1, 1} * (5.5 * spacing);
  std::vector<Vec3> w;
  for (const Vec3d& x : cloud.position)
    w.push_back(norm(x - middle) < 2.5 * spacing ? Vec3{0, 0, 50} : Vec3{0, 0, 0});
  Array<Vec3> velocity(cloud.count());
  micropolar.omega().assign(w);
  for (int k = 0; k < 10; ++k) micropolar.apply(cloud.fluid(), 1e-3f, velocity.view());
  const auto found = velocity.to_host();
  double spin = 0;
  for (size_t i = 0; i < found.size(); ++i)
    if (norm(cloud.position[i] - middle) < 3.5 * spacing)
      spin += cross(cloud.position[i] - middle, to_double(found[i])).z;
  EXPECT_GT(spin, 0.1);
  EXPECT_LT(norm(momenta(cloud, found).linear), 1e-4);
}

}  // namespace micropolar_test
MERGANSER_END
