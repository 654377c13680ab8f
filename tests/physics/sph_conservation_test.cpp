/// A free blob of fluid keeps its momentum.
#include <gtest/gtest.h>

#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/driven_fluids.h"

MERGANSER_BEGIN
namespace {

using namespace sph_test;

InitialState random_blob() {
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("sph")};
  state.systems[0].parameters.of<SphParameters>().sound_speed = 20;
  add_random_blob(state.systems[0]);
  return state;
}

/// Pair forces are equal and opposite, so only rounding changes the momentum: 300 steps of 1,000 particles at
/// about 1 m/s move it by less than 1e-6 of sum m |v|. Angular momentum needs forces along x_ij, which
/// laminar viscosity has not.
void expect_conserved(const InitialState& state, bool angular) {
  Driver driver(state);
  const ParticleSums before = sums_of(driver);
  for (int k = 0; k < 300; ++k) driver.step(driver.system->largest_time_step(driver.store));
  const ParticleSums after = sums_of(driver);
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
