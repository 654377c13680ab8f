/// SPH, FLIP and the pressure solver.
#include "solvers/methods/flip/flip_parameters.h"
#include "solvers/methods/sph/sph_parameters.h"
#include "tests/backends/samples/sample_numbers.h"
#include "tests/support/grid_poisson.h"
#include "tests/support/random_values.h"
#include "tests/support/sph_driver.h"

MERGANSER_BEGIN

namespace {

/// A jittered, moving block of 10 x 8 x 9 particles in the corner of a box, with a sphere in its way.
InitialState block_in_box(const std::string& method) {
  InitialState state;
  SystemState fluid = new_system(method);
  fluid.name = "water";
  fluid.fluid.particle_radius = 0.025;
  if (method == "sph") fluid.parameters.of<SphParameters>().sound_speed = 30;
  sph_test::add_block(fluid, {0, 0, 0}, 10, 8, 9);
  for (size_t i = 0; i < fluid.position.size(); ++i) {
    const RandomBits bits = test_bits(int(i), 21);
    for (size_t axis = 0; axis < 3; ++axis) {
      fluid.position[i][axis] += 0.008f * (uniform_float(bits.word[axis]) - 0.5f);
      fluid.velocity[i][axis] = axis == 0 ? 1.5f : 0.4f * (uniform_float(bits.word[axis]) - 0.5f);
    }
  }
  WallParameters box, ball;
  box.shape = WallShape::box;
  box.high = {1, 0.4, 1};
  box.no_slip = true;
  ball.shape = WallShape::sphere;
  ball.inside = false;
  ball.point = {0.62, 0.2, 0.1};
  ball.radius = 0.12;
  ball.friction = 0.3;
  ball.restitution = 0.5;
  state.walls = {box, ball};
  state.bodies = {{"water", 0}};
  state.systems = {fluid};
  return state;
}

/// Three steps: positions, velocities and the fields of frames.
KernelSample after_steps(const InitialState& state, double tolerance) {
  sph_test::Driver driver(state);
  driver.frame_every = 2;
  for (int step = 0; step < 3; ++step) driver.step(4e-4);
  KernelSample sample;
  sample.tolerance = tolerance;
  sample.integers.emplace_back("id", driver.store.id.to_host());
  add_numbers(sample, "position", driver.store.position.to_host());
  add_numbers(sample, "velocity", driver.store.velocity.to_host());
  for (const auto& [name, values] : driver.system->frame_fields()) add_numbers(sample, name, values);
  add_numbers(sample, "step", std::vector<double>{driver.system->largest_time_step(driver.store)});
  return sample;
}

/// Pressures rise from the rounding of a density near rho0: p has c^2 rho0 eps = 0.1 Pa of it.
template <SphKernel kernel, DensityMethod density, ViscosityModel viscosity>
KernelSample sph() {
  InitialState state = block_in_box("sph");
  SphParameters& sph = state.systems[0].parameters.of<SphParameters>();
  sph.kernel = kernel;
  sph.density = density;
  sph.viscosity_model = viscosity;
  sph.xsph = viscosity == ViscosityModel::laminar ? 0.2 : 0;
  return after_steps(state, 2e-5);
}
KernelSample topological_sph() {
  InitialState state = block_in_box("sph");
  state.systems[0].parameters.of<SphParameters>().neighborhood = Neighborhood::topological;
  return after_steps(state, 2e-5);
}
KernelSample periodic_sph() {
  InitialState state = block_in_box("sph");
  state.walls.clear();
  state.periodic_length = {0.5, 0.4, 0};
  return after_steps(state, 2e-5);
}
template <FlipTransfer transfer, bool reseeding>
KernelSample flip() {
  InitialState state = block_in_box("flip");
  state.systems[0].parameters.of<FlipParameters>().transfer = transfer;
  state.systems[0].parameters.of<FlipParameters>().reseeding = reseeding;
  state.systems[0].parameters.of<FlipParameters>().tolerance = 1e-8;
  return after_steps(state, 2e-5);
}

/// One V-cycle and a solve of a wavy free surface in a box of 24^3 cells.
KernelSample multigrid() {
  const auto surface = [](const Vec3d& x) {
    return x.z - 0.5 - 0.15 * x.x - 0.06 * std::sin(9 * x.x) * std::cos(7 * x.y);
  };
  GridPoisson problem(24, surface, [](const Vec3d& x) { return std::sin(5 * x.x * x.y) + x.z; });
  const Array<float> right_side(problem.right_side);
  Array<float> cycle(problem.box.count());
  problem.matrix.precondition(right_side.const_view(), cycle.view());
  KernelSample sample;
  add_numbers(sample, "V-cycle", cycle.to_host());
  problem.solve(1e-9);
  add_numbers(sample, "solution", problem.solution.to_host());
  return sample;
}

}  // namespace

SampleList fluid_samples() {
  using enum ViscosityModel;
  using enum DensityMethod;
  return {{"SphWendlandContinuityArtificial", sph<SphKernel::wendland_c2, continuity, artificial>},
          {"SphWendlandSummationLaminarXsph", sph<SphKernel::wendland_c2, summation, laminar>},
          {"SphCubicSummationNone", sph<SphKernel::cubic_spline, summation, none>},
          {"SphCubicContinuityArtificial", sph<SphKernel::cubic_spline, continuity, artificial>},
          {"SphTopological", topological_sph},
          {"SphPeriodic", periodic_sph},
          {"Flip", flip<FlipTransfer::flip, false>},
          {"FlipAffineReseeded", flip<FlipTransfer::apic, true>},
          {"Multigrid", multigrid}};
}

MERGANSER_END
