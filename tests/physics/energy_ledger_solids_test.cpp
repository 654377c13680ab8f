/// The energy and momentum ledger of solids against closed forms: walls, fracture, turning, loads.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/axis_scene.h"

MERGANSER_BEGIN
namespace energy_ledger_solids_test {

using namespace ledger_test;

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

/// A wall stops the lower end of a spring. One that a solve does not know puts it back by 1 cm, and what the
/// spring then holds is the wall's. In a solve it takes what it stops, and the spring's share is the
/// motion's.
TEST(EnergyLedger, AWallSqueezesASpring) {
  for (const std::string which : {"massSpring", "peridynamics", "explicit"}) {
    const std::string method = which == "explicit" ? "peridynamics" : which;
    constexpr double dt_squared = 1e-4;
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
    if (which == "explicit")
      scene.systems[0].parameters.of<PeridynamicsParameters>().integration =
          PeridynamicIntegration::explicit_verlet;
    WallParameters wall;
    wall.direction = {1, 0, 0};
    scene.walls = {wall};
    const auto simulation = make_simulation(scene);
    const StepStatistics row = simulation->step(1e9);
    if (method == "peridynamics") k = row["elastic_energy"] / 0.5e-4;
    EXPECT_GT(k, 1);
    if (which == "explicit") {
      EXPECT_NEAR(row["elastic_energy"], 0.5 * k * 1e-4, 1e-5 * k * 1e-4);
      EXPECT_NEAR(row["dissipated_walls"], 0.5 - 0.5 * k * 1e-4, 1e-6);
      EXPECT_NEAR(row["dissipated_integration"], 0, 1e-6);
    } else {
      // The upper end comes 1 cm down but for the share dt^2 k of its speed that the spring takes, and the
      // lower end is stopped but for a twentieth of that.
      const double share = dt_squared * k;
      EXPECT_NEAR(row["elastic_energy"], 0.5 * k * 1e-4, 3 * share * 0.5 * k * 1e-4);
      EXPECT_NEAR(row["dissipated_walls"], 0.5 * row.vector("wall_impulse")[0], share);
      EXPECT_NEAR(row["dissipated_integration"], 0, share);
    }
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

}  // namespace energy_ledger_solids_test
MERGANSER_END
