/// The energy and momentum ledger (solvers/observables/ledger/README.md) against closed forms: each entry is
/// what it should be, and what is left over is rounding. Motions along an axis, where springs are linear.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"
#include "tests/support/sheet_and_drop.h"

MERGANSER_BEGIN
namespace {

struct Particle {
  double x, v;
  float mass = 1;
  bool held = false;
};

/// Particles on the x axis; radius 0.05 m, no gravity, fixed step.
struct AxisScene : InitialState {
  explicit AxisScene(double step) {
    gravity = {0, 0, 0};
    time_step = step;
  }
  int add_system(const char* name, const std::string& method, const std::vector<Particle>& particles) {
    SystemState state = new_system(method);
    state.name = name;
    if (method == "massSpring") state.parameters.of<MassSpringParameters>().tolerance = 1e-7;
    if (method == "peridynamics") state.parameters.of<PeridynamicsParameters>().tolerance = 1e-7;
    for (const Particle& p : particles) {
      state.position.push_back({float(p.x), 0, 0});
      state.velocity.push_back({float(p.v), 0, 0});
      state.mass.push_back(p.mass);
      state.radius.push_back(0.05f);
      state.immobile.push_back(p.held);
      state.body.push_back(int(bodies.size()));
    }
    bodies.push_back({name, int(systems.size())});
    systems.push_back(state);
    return int(systems.size()) - 1;
  }
  void add_spring(int system, double rest, double stiffness) {
    systems[size_t(system)].springs.push_back({0, 1, float(rest), float(stiffness), SpringKind::structural});
  }
};

StepStatistics run(Simulation& simulation, int steps) {
  StepStatistics row;
  for (int k = 0; k < steps; ++k) row = simulation.step(1e9);
  return row;
}

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

/// A ball falls on a floor with restitution 1/2.
TEST(EnergyLedger, AWallGivesImpulseAndTakesEnergy) {
  AxisScene scene(1e-3);
  scene.gravity = {0, 0, -10};
  scene.add_system("ball", "massSpring", {{0, 0, 2}});
  WallParameters floor;
  floor.point = {0, 0, -1.05};
  floor.restitution = 0.5;
  scene.walls = {floor};
  const auto simulation = make_simulation(scene);
  StepStatistics row = simulation->step(1e9);
  while (row.vector("wall_impulse")[2] == 0 && row.step < 1000) row = simulation->step(1e9);
  const double speed = 10 * row.time;
  EXPECT_NEAR(row.time, std::sqrt(0.2), 2e-3);
  EXPECT_NEAR(row.vector("wall_impulse")[2], 2 * 1.5 * speed, 1e-3);
  EXPECT_NEAR(row.vector("momentum")[2], 2 * 0.5 * speed, 1e-3);
  // The push out of the wall, at most one step deep, raises the ball.
  EXPECT_NEAR(row["dissipated_walls"], 0.75 * speed * speed, 2 * 10 * speed * 1e-3);
  EXPECT_LT(row["dissipated_walls"], 0.75 * speed * speed);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-4);
  EXPECT_NEAR(row.vector("momentum_residual")[2], 0, 1e-4);  // 450 velocities rounded to 6e-8 of 4.5 m/s
}

/// The energy of a bond that breaks is what an unbreakable one has in the same step.
TEST(EnergyLedger, FractureIsTheElasticEnergyOfTheBondsThatBreak) {
  for (auto integration : {PeridynamicIntegration::implicit_euler, PeridynamicIntegration::explicit_verlet}) {
    AxisScene scene(1e-3);
    scene.add_system("glass", "peridynamics", {{0, -0.5}, {0.1, 0.5}});
    PeridynamicMaterial material;
    material.density = 1000;
    material.spacing = 0.1;
    material.bulk_modulus = 1e4;
    scene.systems[0].parameters.of<PeridynamicsParameters>().integration = integration;
    scene.systems[0].parameters.of<PeridynamicsParameters>().damping = 1e-3;
    scene.systems[0].parameters.of<PeridynamicsParameters>().materials = {material};
    const auto whole = make_simulation(scene);
    scene.systems[0].parameters.of<PeridynamicsParameters>().materials[0].critical_stretch = 0.05;
    const auto brittle = make_simulation(scene);
    StepStatistics intact, broken;
    do {
      intact = whole->step(1e9);
      broken = brittle->step(1e9);
    } while (broken["broken_bonds"] == 0 && broken.step < 100);
    EXPECT_EQ(broken["broken_bonds"], 1);
    EXPECT_EQ(broken["elastic_energy"], 0);
    EXPECT_GT(intact["elastic_energy"], 1e-3);
    EXPECT_NEAR(broken["dissipated_fracture"], intact["elastic_energy"], 1e-5 * intact["elastic_energy"]);
    EXPECT_EQ(run(*brittle, 10)["dissipated_fracture"], broken["dissipated_fracture"]);
    EXPECT_NEAR(intact["energy_residual"], 0, 1e-4 * 0.25);
    EXPECT_NEAR(broken["energy_residual"], 0, 1e-4 * 0.25);
    EXPECT_GT(broken["dissipated_damping"], 0);
  }
}

/// Energy [J] of 0.09 or more that is left over after 0.1 s by a pair that turns and vibrates, with steps of
/// dt.
double turning_residual(const std::string& method, double start, double dt) {
  AxisScene scene(dt);
  const int pair = scene.add_system("pair", method, {{0, 0}, {0.1, 0}});
  SystemState& state = scene.systems[size_t(pair)];
  state.velocity = {{0, -0.3f, 0}, {0, 0.3f, 0}};
  if (method == "massSpring") {
    scene.add_spring(pair, 0.1 / (1 + start), 200);
  } else {
    PeridynamicMaterial material;
    material.density = 1000;
    material.spacing = 0.1;
    material.bulk_modulus = 1000;
    state.parameters.of<PeridynamicsParameters>().materials = {material};
    state.velocity[0][0] = -float(start);
    state.velocity[1][0] = float(start);
  }
  const auto simulation = make_simulation(scene);
  return run(*simulation, int(std::lround(0.1 / dt)))["energy_residual"];
}

/// Springs are not linear where they turn: the entries hold for steps of any size, taut and compressed, in
/// which the spring turns by up to half a radian.
TEST(EnergyLedger, TurningSpringsLeaveNothing) {
  for (const std::string method : {"massSpring", "peridynamics"})
    for (double start : {0.2, -0.2})
      for (double dt : {5e-2, 1e-3, 2.5e-4})
        EXPECT_NEAR(turning_residual(method, start, dt), 0, 1e-5 * 0.09)
            << method << " " << start << " " << dt;
}

/// A wall stops the lower end of a spring and puts it back by 1 cm: what the spring then holds is the wall's.
TEST(EnergyLedger, AWallSqueezesASpring) {
  for (const std::string method : {"massSpring", "peridynamics"}) {
    AxisScene scene(0.01);
    const int rope = scene.add_system("rope", method, {{0.05, -1}, {0.15, -1}});
    double k = 200;
    if (method == "massSpring") {
      scene.add_spring(rope, 0.1, k);
    } else {
      PeridynamicMaterial material;
      material.density = 1000;
      material.spacing = 0.1;
      material.bulk_modulus = 1000;
      scene.systems[0].parameters.of<PeridynamicsParameters>().materials = {material};
    }
    WallParameters wall;
    wall.direction = {1, 0, 0};
    scene.walls = {wall};
    const auto simulation = make_simulation(scene);
    const StepStatistics row = simulation->step(1e9);
    if (method == "peridynamics") k = row["elastic_energy"] / 0.5e-4;
    EXPECT_GT(k, 1);
    EXPECT_NEAR(row["elastic_energy"], 0.5 * k * 1e-4, 1e-5 * k * 1e-4);
    EXPECT_NEAR(row["dissipated_walls"], 0.5 - 0.5 * k * 1e-4, 1e-6);
    EXPECT_NEAR(row["dissipated_integration"], 0, 1e-6);
    EXPECT_NEAR(row["energy_residual"], 0, 1e-6);
    EXPECT_NEAR(run(*simulation, 100)["energy_residual"], 0, 1e-5);
  }
}

/// A load's impulse and work.
TEST(EnergyLedger, LoadsDoWork) {
  AxisScene scene(1e-3);
  scene.add_system("glass", "peridynamics", {{0, 0}, {0.1, 0}});
  PeridynamicMaterial material;
  material.spacing = 0.1;
  scene.systems[0].parameters.of<PeridynamicsParameters>().materials = {material};
  scene.systems[0].parameters.of<PeridynamicsParameters>().loads = {{{0, 1}, {5, 0, 0}, 0, 0.01}};
  const auto simulation = make_simulation(scene);
  const StepStatistics row = run(*simulation, 20);
  EXPECT_NEAR(row.vector("external_impulse")[0], 2 * 5 * 0.01, 1e-6);
  // v = 5 dt n after n steps; sum of 5 dt v over ten steps.
  EXPECT_NEAR(row["external_work"], 2 * 25e-6 * 55, 1e-8);
  EXPECT_NEAR(row["energy_residual"], 0, 1e-8);
  EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 1e-6);
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

}  // namespace
MERGANSER_END
