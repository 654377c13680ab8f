/// A free blob of fluid keeps its momentum.
#include <gtest/gtest.h>

#include "device/random.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "solvers/observables/particle_sums.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace {

using namespace sph_test;

InitialState random_blob() {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  fluid.fluid.particle_radius = 0.05;
  fluid.parameters.of<SphParameters>().sound_speed = 20;
  add_block(fluid, {-0.5, -0.5, -0.5}, 10, 10, 10);
  for (size_t i = 0; i < fluid.position.size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      fluid.velocity[i][c] =
          2 * uniform_float(random_draw(5, RandomPurpose::test, unsigned(i), 0).word[c]) - 1;
  return state;
}

/// Pair forces are equal and opposite, so only rounding changes the momentum: 300 steps of 1,000 particles at
/// about 1 m/s move it by less than 1e-6 of sum m |v|. Angular momentum needs forces along x_ij, which
/// laminar viscosity has not.
void expect_conserved(const InitialState& state, bool angular) {
  Driver driver(state);
  ParticleSummation summation;
  const auto sums = [&] {
    summation.measure(driver.store.const_view(), {0, driver.store.count()}, {0, 0, 0});
    fetch_results();
    return summation.sums();
  };
  const ParticleSums before = sums();
  for (int k = 0; k < 300; ++k) driver.step(driver.system->largest_time_step(driver.store));
  const ParticleSums after = sums();
  EXPECT_LT(norm(after.momentum - before.momentum), 1e-6 * before.mass);
  EXPECT_LT(after.kinetic_energy, 0.9 * before.kinetic_energy);  // it did interact
  if (angular) {
    EXPECT_LT(norm(after.angular_momentum - before.angular_momentum), 1e-5 * before.mass);
  }
}
TEST(SphConservation, ArtificialViscosity) { expect_conserved(random_blob(), true); }
TEST(SphConservation, LaminarViscosityAndXsph) {
  InitialState state = random_blob();
  state.systems[0].parameters.of<SphParameters>().viscosity_model = ViscosityModel::laminar;
  state.systems[0].parameters.of<SphParameters>().viscosity = 0.02;
  state.systems[0].parameters.of<SphParameters>().xsph = 0.3;
  expect_conserved(state, false);
}
TEST(SphConservation, SummationWithTension) {
  InitialState state = random_blob();
  state.systems[0].parameters.of<SphParameters>().density = DensityMethod::summation;
  state.systems[0].parameters.of<SphParameters>().kernel = SphKernel::cubic_spline;
  state.systems[0].parameters.of<SphParameters>().allow_tension = true;
  expect_conserved(state, true);
}

}  // namespace
MERGANSER_END
