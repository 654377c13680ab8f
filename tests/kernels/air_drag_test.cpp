/// Drag by air on one drop and on a flat face, in closed form.
#include "solvers/methods/fluid/forces/air_drag.h"

#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "tests/support/packed_cloud.h"

MERGANSER_BEGIN
namespace air_drag_test {

using namespace forces_test;

constexpr float spacing = 0.02f, h = 1.2f * spacing;

FluidForcesParameters wind(double speed) {
  FluidForcesParameters parameters;
  parameters.air_drag = 1;
  parameters.air_density = 1.2;
  parameters.air_viscosity = 1.8e-5;
  parameters.air_velocity = {speed, 0, 0};
  return parameters;
}
AirDrag drag(const PackedCloud& cloud, const FluidForcesParameters& parameters) {
  return AirDrag(parameters, cloud.density0, float(cloud.mass()), cloud.h);
}

// A ball of the particle's volume: C of Liu et al. at Re = 2 R |u|/nu_air, area pi R^2.
TEST(AirDrag, LoneDropIsABall) {
  PackedCloud cloud({{0, 0, 0}}, spacing, h);
  const double volume = cloud.mass() / cloud.density0, radius = std::cbrt(volume * 3 / (4 * sph_pi));
  for (double speed : {0.01, 0.3, 20.0}) {
    const double reynolds = 2 * radius * speed / 1.5e-5;
    const double coefficient =
        reynolds > 1000 ? 0.424 : 24 / reynolds * (1 + std::pow(reynolds, 2.0 / 3) / 6);
    const double acceleration =
        0.5 * 1.2 * coefficient * sph_pi * radius * radius * speed * speed / cloud.mass();
    Array<Vec3> velocity(1);
    drag(cloud, wind(speed)).apply(cloud.fluid(), 1e-3f, velocity.view());
    EXPECT_NEAR(velocity.to_host()[0].x, acceleration * 1e-3, 2e-3 * acceleration * 1e-3) << speed;
    velocity.zero();
    drag(cloud, wind(speed)).apply(cloud.fluid(), 1e9f, velocity.view());
    EXPECT_NEAR(velocity.to_host()[0].x, speed, 1e-3 * speed) << "in the end it goes with the wind";
  }
}

// Ten by ten spacings of face across the wind: 0.424 rho_air/2 u^2 times that area. On a lattice of h = 1.2
// spacings the layers of the surface have 91 % of it.
TEST(AirDrag, FaceAcrossTheWind) {
  PackedCloud cloud(jittered_lattice(10, 10, 10, spacing, 0), spacing, h);
  Array<Vec3> velocity(cloud.count());
  drag(cloud, wind(20)).apply(cloud.fluid(), 1e-3f, velocity.view());
  const auto found = velocity.to_host();
  double force = 0, lee = 0, windward = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    force += cloud.mass() * double(found[i].x) / 1e-3;
    (cloud.position[i].x > 5 * spacing ? lee : windward) += double(found[i].x);
  }
  const double area = 100 * double(spacing) * double(spacing);
  EXPECT_NEAR(force, 0.424 * 0.5 * 1.2 * 400 * area, 0.15 * force);
  EXPECT_LT(lee, 0.25 * windward);
}

}  // namespace air_drag_test
MERGANSER_END
