/// The energy and momentum ledger (solvers/observables/ledger/README.md) against closed forms: each entry is
/// what it should be, and what is left over is rounding. Motions along an axis, where springs are linear.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/axis_scene.h"

MERGANSER_BEGIN
namespace energy_ledger_test {

using namespace ledger_test;

/// Backward Euler damps a harmonic oscillator by 1/(1 + (w dt)^2) a step, exactly.
TEST(EnergyLedger, AnOscillatorLosesToTheIntegrationWhatBackwardEulerTakes) {
  const double dt = 0.01, k = 200, rest = 1, amplitude = 0.1;
  AxisScene scene(dt);
  const int rope = scene.add_system("rope", "massSpring", {{0, 0}, {rest + amplitude, 0}});
  scene.add_spring(rope, rest, k);
  const auto simulation = make_simulation(scene);
  const StepStatistics row = run(*simulation, 50);
  const double energy = 0.5 * k * amplitude * amplitude, frequency_squared = 2 * k;  // reduced mass 1/2
  const double left = energy * std::pow(1 + frequency_squared * dt * dt, -50.0);
  EXPECT_NEAR(row["kinetic_energy"] + row["elastic_energy"], left, 1e-4 * energy);
  EXPECT_NEAR(row["dissipated_integration"], energy - left, 1e-4 * energy);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-4 * energy);
  EXPECT_EQ(row["dissipated_damping"], 0);
}

/// The same recurrence in double: dt c v^2 of the relative velocity v goes to the spring's damping.
TEST(EnergyLedger, DampingIsThePowerOfTheDampers) {
  const double dt = 0.004, k = 200, c = 0.02, rest = 1, drag = 0.5;
  AxisScene scene(dt);
  const int rope = scene.add_system("rope", "massSpring", {{0, 0, 1, true}, {rest + 0.1, 1}});
  scene.add_spring(rope, rest, k);
  scene.systems[0].parameters.of<MassSpringParameters>().spring_damping = c;
  scene.systems[0].parameters.of<MassSpringParameters>().air_damping = drag;
  const auto simulation = make_simulation(scene);
  double x = 0.1, v = 1, damped = 0, integration = 0, held = 0, air = 0;
  for (int step = 0; step < 100; ++step) {
    const double next = (v - dt * k * x) / (1 + dt * (dt * k + c * k + drag));
    damped += dt * (c * k + drag) * next * next;
    integration += 0.5 * (next - v) * (next - v) + 0.5 * k * dt * dt * next * next;
    held -= dt * (k * (x + dt * next) + c * k * next);
    air -= dt * drag * next;
    x += dt * next;
    v = next;
  }
  const StepStatistics row = run(*simulation, 100);
  const double energy = 0.5 * k * 0.01 + 0.5;
  EXPECT_GT(damped, 0.3 * energy);
  EXPECT_NEAR(row["dissipated_damping"], damped, 1e-4 * energy);
  EXPECT_NEAR(row["dissipated_integration"], integration, 1e-4 * energy);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-4 * energy);
  EXPECT_NEAR(row.vector("external_impulse")[0], held + air, 1e-4);
  EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 1e-5);
  EXPECT_NEAR(row["external_work"], 0, 1e-12) << "what is held at rest does no work";
}

/// Two particles of 1 and 3 kg meet head-on: dE = m1 m2/(2 m12) w^2, and half of it comes back.
TEST(EnergyLedger, MergingKeepsWhatAlphaDoesNotGiveBack) {
  AxisScene scene(0.01);
  scene.coupling.alpha = 0.5;
  scene.add_system("left", "massSpring", {{-0.04, 1}});
  scene.add_system("right", "massSpring", {{0.04, -1, 3}});
  const auto simulation = make_simulation(scene);
  const StepStatistics row = simulation->step(1e9);
  const double bond = 0.5 * 0.75 * 4;
  EXPECT_EQ(row["groups"], 1);
  EXPECT_NEAR(row["virtual_bond_energy"], bond, 1e-6);
  EXPECT_NEAR(row["dissipated_merging"], 0.5 * bond, 1e-6);
  EXPECT_NEAR(row["kinetic_energy"], 2 - 0.5 * bond, 1e-6);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-6);
  EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 1e-6);
}

/// A spring pulls one member of a group while the other, an SPH particle, flies freely: eq. 19 counts dEk
/// from the velocities of the whole group under either system alone, and the ledger closes for any beta.
TEST(EnergyLedger, SynchronizationIsWhatBetaDoesNotGiveBack) {
  for (double beta : {0.0, 0.5}) {
    const double dt = 0.002, k = 200;
    AxisScene scene(dt);
    scene.coupling.beta = beta;
    const int rope = scene.add_system("rope", "massSpring", {{0, 0, 1, true}, {1, 0}});
    scene.add_spring(rope, 0.8, k);
    const int water = scene.add_system("water", "sph", {{1.09, -2, 2}});
    scene.systems[size_t(water)].fluid.particle_radius = 0.05;
    scene.systems[size_t(water)].fluid.density0 = 2000;
    const auto simulation = make_simulation(scene);
    const StepStatistics first = simulation->step(1e9);
    // They differ by J/3 kg, J the spring's impulse in a step; reduced mass 2/3.
    const double end = (-4.0 / 3 - dt * k * 0.2 / 3) / (1 + dt * dt * k / 3);
    const double impulse = 3 * (end + 4.0 / 3);
    EXPECT_EQ(first["groups"], 1);
    EXPECT_NEAR(first["dissipated_synchronization"], (1 - beta) * 0.5 * (2.0 / 3) * impulse * impulse / 9,
                1e-7);
    EXPECT_GT(first["dissipated_integration"], 0);
    EXPECT_NEAR(first["energy_residual"], 0, 1e-5) << beta;
    const StepStatistics row = run(*simulation, 49);
    EXPECT_NEAR(row["energy_residual"], 0, 1e-4 * 8) << beta;
    EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 1e-5) << beta;
  }
}

/// What is immobile takes and gives momentum, and work where it moves: a wall of one particle that comes with
/// V hits a free one, which leaves with 2 V.
TEST(EnergyLedger, AHeldParticleThatMovesDoesWork) {
  AxisScene scene(0.01);
  scene.add_system("bat", "massSpring", {{-0.04, 0, 1, true}});
  scene.add_system("ball", "massSpring", {{0.04, 0, 2}});
  scene.systems[0].prescribed = {{{0}, {3, 0, 0}, 0, 1e30}};
  const auto simulation = make_simulation(scene);
  const StepStatistics row = simulation->step(1e9);
  EXPECT_EQ(row["groups"], 1);
  EXPECT_NEAR(row.vector("momentum")[0], 12, 1e-4);
  EXPECT_NEAR(row.vector("external_impulse")[0], 12, 1e-4);
  EXPECT_NEAR(row["external_work"], 36, 1e-4);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-4);
  EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 1e-5);
}

/// A prescribed end pulls a particle along: its work is in the spring, in the motion or lost to the
/// integration.
TEST(EnergyLedger, APrescribedEndDoesWork) {
  AxisScene scene(0.005);
  const int rope = scene.add_system("rope", "massSpring", {{0, 0, 1, true}, {-1, 0}});
  scene.add_spring(rope, 1, 500);
  scene.systems[0].prescribed = {{{0}, {2, 0, 0}, 0, 1e30}};
  const auto simulation = make_simulation(scene);
  const StepStatistics row = run(*simulation, 100);
  EXPECT_NEAR(row["external_work"], 2 * row.vector("external_impulse")[0], 1e-4);
  EXPECT_NEAR(row.vector("external_impulse")[0], row.vector("momentum")[0], 1e-4);
  EXPECT_GT(row["external_work"], 1);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-3);
}

/// Emitted fluid brings its momentum and energy.
TEST(EnergyLedger, EmittersBringMomentumAndEnergy) {
  AxisScene scene(1e-3);
  const int water = scene.add_system("water", "sph", {});
  scene.systems[size_t(water)].fluid.particle_radius = 0.02;
  EmitterParameters jet;
  jet.direction = {1, 0, 0};
  jet.radius = 0.05;
  jet.velocity = 2;
  jet.max_particles = 100;
  scene.systems[size_t(water)].emitters = {jet};
  const auto simulation = make_simulation(scene);
  const StepStatistics row = run(*simulation, 300);
  ASSERT_GT(simulation->particle_count(), 10);
  EXPECT_GT(row.vector("external_impulse")[0], 1);
  EXPECT_NEAR(row["external_work"], row.vector("external_impulse")[0],
              1e-4 * row["external_work"]);  // m v^2/2 = m v
  EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 1e-5 * row.vector("momentum")[0]);
}

/// No held particle, no wall: the residual is the drift of momentum.
TEST(EnergyLedger, MomentumOfAClosedSceneHasNoOtherEntry) {
  const auto simulation = make_simulation(test::SheetAndDrop{}.build());
  const StepStatistics row = run(*simulation, 300);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(row.vector("external_impulse")[axis], 0);
    EXPECT_NEAR(row.vector("momentum_residual")[axis], 0, 1e-5 * std::abs(row.vector("momentum")[2]));
  }
}

/// The ledger goes on after a checkpoint with the same bits.
TEST(EnergyLedger, SurvivesACheckpoint) {
  const InitialState state = test::SheetAndDrop{.pinned = true, .gravity = 9.81}.build();
  const auto whole = make_simulation(state), first = make_simulation(state), resumed = make_simulation(state);
  run(*whole, 80);
  run(*first, 80);
  resumed->load(first->save());
  const StepStatistics a = run(*whole, 20), b = run(*resumed, 20);
  EXPECT_NE(a["energy_residual"], 0);
  EXPECT_EQ(a["energy_residual"], b["energy_residual"]);
  EXPECT_EQ(a["dissipated_integration"], b["dissipated_integration"]);
  EXPECT_EQ(a["dissipated_synchronization"], b["dissipated_synchronization"]);
  EXPECT_EQ(a.vector("external_impulse"), b.vector("external_impulse"));
  EXPECT_EQ(a.vector("momentum_residual"), b.vector("momentum_residual"));
}

}  // namespace energy_ledger_test
MERGANSER_END
