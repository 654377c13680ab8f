/// Cohesion, curvature and adhesion against the formulas in double precision and the integrals that scale
/// them.
#include "solvers/methods/fluid/forces/surface_tension.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/packed_cloud.h"

MERGANSER_BEGIN
namespace surface_tension_test {

using namespace forces_test;

constexpr float spacing = 0.02f, h = 1.2f * spacing, dt = 1e-3f;

FluidForcesParameters water(double tension, double adhesion) {
  FluidForcesParameters parameters;
  parameters.surface_tension = tension;
  parameters.adhesion = adhesion;
  return parameters;
}

/// Eq. 2 of Akinci et al. as it stands there.
double cohesion_of_source(double r, double support) {
  const double s = 32 / (sph_pi * std::pow(support, 9)), cube = std::pow(support - r, 3) * r * r * r;
  if (2 * r > support && r <= support) return s * cube;
  return r > support ? 0 : s * (2 * cube - std::pow(support, 6) / 64);
}

// 4 pi int C r^2 dr = 79/336: the integral of the spline by hand; r^4 likewise.
TEST(SurfaceTension, CohesionSplineIsThatOfTheSource) {
  const double support = 0.7;
  const CohesionSpline<double> spline(support);
  const CohesionSpline<float> single(float{0.7f});
  const double scale = 1 / std::pow(support, 3);
  double volume = 0, moment = 0;
  constexpr int parts = 20000;
  for (int k = 0; k < parts; ++k) {
    const double width = support / parts, r = (k + 0.5) * width;
    volume += 4 * sph_pi * r * r * spline.value(r) * width;
    moment += std::pow(r, 4) * spline.value(r) * width;
    ASSERT_NEAR(spline.value(r), cohesion_of_source(r, support), 1e-12 * scale);
    ASSERT_NEAR(single.value(float(r)), spline.value(r), 1e-6 * scale);
  }
  EXPECT_NEAR(volume, 79.0 / 336, 1e-7);
  EXPECT_NEAR(moment, cohesion_moment(support), 1e-7);
  EXPECT_EQ(spline.value(support), 0);
  EXPECT_EQ(spline.value(2 * support), 0);
}

// Half the work of pulling two half spaces apart, by the triple integral: sigma of the scaled pair force.
TEST(SurfaceTension, ScaledPairForceHasTheTension) {
  const double sigma = 0.07, density0 = 1200, support = 0.05;
  const CohesionSpline<double> spline(support);
  const double gamma = pair_strength(sigma, density0, cohesion_moment(support));
  constexpr int parts = 400;
  const double width = support / parts;
  double work = 0;  // per area: int over the distance of force, int over the depth, int over r
  for (int gap = 0; gap < parts; ++gap)
    for (int r_index = gap; r_index < parts; ++r_index) {
      const double d = (gap + 0.5) * width, r = (r_index + 0.5) * width;
      const double pull = gamma * density0 * sph_pi * spline.value(r) * (r * r - d * d) * width;
      if (r > d) work += d * density0 * pull * width;  // depth and gap together are d
    }
  EXPECT_NEAR(work / 2, sigma, 0.01 * sigma);
}

/// Accelerations as the source writes them, with gamma in N/m.
std::vector<Vec3d> reference(const PackedCloud& cloud, double tension) {
  const size_t n = cloud.position.size();
  const double support = 2 * double(cloud.h), m = cloud.mass();
  const double gamma = tension_strength(tension, cloud.density0, cloud.h, m / cloud.density0);
  const WendlandC2<double> kernel(cloud.h);
  std::vector<Vec3d> normal(n, {0, 0, 0}), acceleration(n, {0, 0, 0});
  for (size_t i = 0; i < n; ++i)
    cloud.for_each_neighbor(i, [&](size_t j, const Vec3d& d, double r) {
      normal[i] += d * (support * m / cloud.density(j) * kernel.gradient_factor(r));
    });
  for (size_t i = 0; i < n; ++i)
    cloud.for_each_neighbor(i, [&](size_t j, const Vec3d& d, double r) {
      const double k = 2 * cloud.density0 / (cloud.density(i) + cloud.density(j));
      acceleration[i] -= d * (k * gamma * m * cohesion_of_source(r, support) / r);
      acceleration[i] -= (normal[i] - normal[j]) * (k * gamma * cloud.density0 / 1000);
    });
  return acceleration;
}

// Pairs that push across a sheet have int S_zz dz = sum m a_z z per area, and its two surfaces the tension of
// that (Kirkwood & Buff 1949). On a lattice three times as fine as h the sums are those of the continuum.
TEST(SurfaceTension, CurvatureHasTheRestOfTheTension) {
  constexpr int layers = 40, reach = 6;
  const double d = 0.02, wide = 3 * d, volume = d * d * d, sigma = 0.5, density0 = 1200;
  const WendlandC2<double> kernel(wide);
  std::array<double, layers> normal{}, acceleration{};
  const auto for_each_pair = [&](int i, const auto& visit) {
    for (int j = std::max(0, i - reach); j < std::min(layers, i + reach + 1); ++j)
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x)
          if (const double r = d * std::sqrt(x * x + y * y + (i - j) * (i - j)); r > 0 && r < 2 * wide)
            visit(j, r);
  };
  for (int i = 0; i < layers; ++i)
    for_each_pair(i, [&](int j, double r) {
      normal[size_t(i)] += 2 * wide * volume * kernel.gradient_factor(r) * d * (i - j);
    });
  const double gamma = tension_strength(sigma, density0, wide, volume);
  double virial = 0;
  for (int i = 0; i < layers; ++i) {
    for_each_pair(i, [&](int j, double) {
      acceleration[size_t(i)] -= gamma * density0 / 1000 * (normal[size_t(i)] - normal[size_t(j)]);
    });
    virial += density0 * volume * acceleration[size_t(i)] * d * i;
  }
  const double curvature = virial / 2 / (d * d);
  const double cohesion = gamma / pair_strength(1, density0, cohesion_moment(2 * wide));
  EXPECT_NEAR(curvature + cohesion, sigma, 0.005 * sigma);
  EXPECT_GT(curvature, 0.9 * sigma);  // of so many neighbors
}

// Sums of some 60 terms in float; the largest acceleration sets the scale. Pair forces are opposite, so
// momentum changes by rounding alone.
TEST(SurfaceTension, EqualsTheFormulasAndKeepsMomentum) {
  PackedCloud cloud(jittered_lattice(7, 6, 6, spacing, 0.3f), spacing, h, 0.1f);
  SurfaceTension tension(water(0.5, 0), cloud.density0, float(cloud.mass()), h);
  Array<Vec3> velocity(cloud.count());
  tension.apply(cloud.fluid(), dt, velocity.view());
  const auto expected = reference(cloud, 0.5);
  const auto found = velocity.to_host();
  double largest = 0;
  for (const Vec3d& a : expected) largest = std::max(largest, norm(a));
  EXPECT_GT(largest, 0.1);
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_LT(norm(to_double(found[i]) / dt - expected[i]), 1e-5 * largest) << i;
  EXPECT_LT(norm(momenta(cloud, found).linear), 1e-5 * largest * dt);
}

// A sheet of evenly spread particles on a floor: the work that pulls it off per area is 2 adhesion. Layers of
// 1/50 of the support are good to 1 %.
TEST(SurfaceTension, WorkOfAdhesionIsAsStated) {
  const double adhesion = 0.04;
  const std::vector<WallParameters> floor = {
      {.shape = WallShape::plane, .point = {0, 0, 0}, .direction = {0, 0, 1}}};
  std::vector<Vec3> points;
  constexpr int layers = 60;
  const float layer = 2 * h / 50;
  for (int k = 0; k < layers; ++k) points.push_back({float(k) * 10 * h, 0, (float(k) + 0.5f) * layer});
  PackedCloud cloud(points, spacing, h, 0, floor);
  SurfaceTension tension(water(0, adhesion), cloud.density0, float(cloud.mass()), h);
  Array<Vec3> velocity(cloud.count());
  tension.apply(cloud.fluid(), 1, velocity.view());
  const auto pulled = velocity.to_host();
  double work = 0;  // int d rho0 a(d) dd
  for (size_t i = 0; i < pulled.size(); ++i) {
    work -= cloud.position[i].z * cloud.density0 * double(pulled[i].z) * double(layer);
    EXPECT_LE(pulled[i].z, 0);
    EXPECT_EQ(pulled[i].x, 0);
  }
  EXPECT_NEAR(work, 2 * adhesion, 0.02 * adhesion);
}

}  // namespace surface_tension_test
MERGANSER_END
