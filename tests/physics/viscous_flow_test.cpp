/// Flows of an SPH fluid with implicit viscosity against closed forms.
#include <gtest/gtest.h>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/support/note.h"
#include "tests/support/reference.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN
namespace {

using namespace sph_test;

/// Re = 10, U = L = 1: v = (-cos sin, sin cos) of 2 pi x, periodic, 24 x 24 particles, 8 of them in depth.
/// Particles leave the lattice soon. The decay rate within 10 % (shared/reference/README.md).
TEST(ImplicitViscosityFlow, TaylorGreenVortexDecays) {
  MERGANSER_REFERENCE_OR_SKIP(decay, "taylor_green_2d_decay.csv");
  InitialState state;
  state.gravity = {0, 0, 0};
  state.systems = {new_system("sph")};
  SystemState& fluid = state.systems[0];
  const double spacing = 1.0 / 24;
  fluid.fluid.particle_radius = spacing / 2;
  auto& parameters = fluid.parameters.of<SphParameters>();
  parameters.viscosity_model = ViscosityModel::none;
  parameters.sound_speed = 10;
  parameters.allow_tension = true;  // no free surface
  parameters.forces.implicit_viscosity = 0.1 * fluid.fluid.density0;
  add_block(fluid, {0, 0, 0}, 24, 8, 24);
  for (size_t i = 0; i < fluid.position.size(); ++i) {
    const double x = 2 * sph_pi * double(fluid.position[i][0]), z = 2 * sph_pi * double(fluid.position[i][2]);
    fluid.velocity[i] = {float(-std::cos(x) * std::sin(z)), 0, float(std::sin(x) * std::cos(z))};
  }
  state.periodic_length = {1, 8 * spacing, 1};
  state.max_time_step = 1;
  Driver driver(state);
  const auto energy = [&] {
    double sum = 0;
    for (const Vec3& v : driver.velocities()) sum += norm_squared(to_double(v));
    return sum;
  };
  const double start = energy();
  driver.run_until(0.2);
  const double rate = -std::log(energy() / start) / 0.2, expected = -std::log(decay[2][4]) / 0.2;
  note("kinetic energy decays at %.2f/s, exactly %.2f/s, %lld steps\n", rate, expected, driver.steps);
  EXPECT_NEAR(rate, expected, 0.1 * expected);
}

}  // namespace
MERGANSER_END
