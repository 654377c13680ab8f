/// The step's bound of [MS] sec. 5.1, fixed steps beyond it, and what emitters bring in a step.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "host/simulation/simulation.h"
#include "solvers/methods/all_methods.h"

MERGANSER_BEGIN
namespace time_step_test {

/// Free particles of different radii and speeds; 0.02 m is the least radius, 3 m/s the greatest speed.
InitialState swarm(double gravity, double cfl_factor) {
  InitialState state;
  state.gravity = {0, 0, -gravity};
  state.max_time_step = 1;
  state.cfl_factor = cfl_factor;
  SystemState system = new_system("massSpring");
  system.name = "swarm";
  for (int i = 0; i < 4; ++i) {
    system.position.push_back({float(i), 0, 0});
    system.velocity.push_back({0, float(i), 0});
    system.mass.push_back(1);
    system.radius.push_back(i == 1 ? 0.02f : 0.05f);
    system.immobile.push_back(false);
    system.body.push_back(0);
  }
  state.bodies.push_back({"swarm", 0});
  state.systems.push_back(system);
  return state;
}

/// The longest way of a particle in a step.
double longest_way(const FrameData& before, const FrameData& after) {
  double longest = 0;
  for (size_t i = 0; i < before.position.size(); ++i) {
    const Float3 &a = before.position[i], &b = after.position[i];
    longest = std::max(longest, double(std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2])));
  }
  return longest;
}

/// No particle moves further than the least radius times cflFactor, and the fastest does move as far: v dt =
/// c r.
TEST(TimeStep, TheFastestParticleMovesByTheLeastRadius) {
  for (const double cfl_factor : {1.0, 0.4}) {
    const auto simulation = make_simulation(swarm(0, cfl_factor));
    EXPECT_NEAR(simulation->next_time_step(), cfl_factor * 0.02 / 3, 1e-8);
    for (int k = 0; k < 5; ++k) {
      const FrameData before = simulation->frame();
      simulation->step(1e9);
      EXPECT_NEAR(longest_way(before, simulation->frame()), cfl_factor * 0.02, 1e-5 * 0.02 + 3e-7);
    }
  }
}

/// With gravity the speed at the end of the step counts: still no further than the radius.
TEST(TimeStep, FallingParticlesKeepToTheBound) {
  InitialState state = swarm(50, 1);
  state.max_time_step = 0.01;
  const auto simulation = make_simulation(state);
  double longest = 0;
  for (int k = 0; k < 60; ++k) {
    const FrameData before = simulation->frame();
    simulation->step(1e9);
    const double way = longest_way(before, simulation->frame());
    EXPECT_LE(way, 0.02 + 1e-6);
    longest = std::max(longest, way);
  }
  EXPECT_GT(longest, 0.01);
}

/// A fixed step is kept, and the row says what the bound would have been.
TEST(TimeStep, AFixedStepBeyondTheBoundIsNoticed) {
  for (const double fixed : {0.005, 0.01}) {
    InitialState state = swarm(0, 1);
    state.time_step = fixed;
    const auto simulation = make_simulation(state), resumed = make_simulation(state);
    const StepStatistics row = simulation->step(1e9);
    EXPECT_EQ(row.dt, fixed);
    EXPECT_NEAR(row.cfl_time_step, std::min(fixed, 0.02 / 3), 1e-8);
    resumed->load(simulation->save());
    EXPECT_EQ(resumed->step(1e9).cfl_time_step, simulation->step(1e9).cfl_time_step);
  }
}

/// Emitted particles bring their energy in the step of the row: without it nothing in the scene gains any.
TEST(TimeStep, TheRowSaysWhatEmittersBrought) {
  InitialState state;
  state.gravity = {0, 0, -10};
  SystemState water = new_system("sph");
  water.name = "water";
  water.fluid.particle_radius = 0.02;
  EmitterParameters jet;
  jet.direction = {1, 0, 0};
  jet.radius = 0.05;
  jet.velocity = 2;
  jet.max_particles = 100;
  water.emitters = {jet};
  state.bodies.push_back({"jet", 0});
  state.systems.push_back(water);
  const auto simulation = make_simulation(state);
  double brought = 0, before = 0, rise = 0;
  StepStatistics row;
  for (int k = 0; k < 500; ++k) {
    row = simulation->step(1e9);
    brought += row["emitted_energy"];
    EXPECT_NEAR(row["external_work"], brought, 1e-9 * std::abs(brought));
    const double now = row["kinetic_energy"] + row["potential_energy"] + row["elastic_energy"];
    rise = std::max(rise, (now - before) / row["kinetic_energy"]);
    EXPECT_LE(now - before - row["emitted_energy"], 1e-3 * row["kinetic_energy"]) << row.step;
    before = now;
  }
  EXPECT_GT(simulation->particle_count(), 15);
  EXPECT_GT(rise, 0.05) << "a check that does not subtract it must see it";
}

}  // namespace time_step_test
MERGANSER_END
