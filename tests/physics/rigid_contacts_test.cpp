/// Rigid bodies in groups of merging-and-splitting: what a collision leaves of momentum, angular momentum and
/// energy, and rest upon one another.
#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/rigid_driver.h"

MERGANSER_BEGIN
namespace rigid_contacts_test {

using namespace test;

constexpr double spacing = 0.05, g = 9.81;

InitialState scene_of(const RigidBlocks& state, double dt, double gravity, bool floor = false) {
  InitialState scene;
  scene.gravity = {0, 0, -gravity};
  scene.time_step = dt;
  scene.systems = {state};
  scene.bodies = state.infos();
  scene.coupling.method = ContactMethod::merging_and_splitting;
  if (floor) {
    WallParameters wall;
    wall.friction = 0.4;
    scene.walls = {wall};
  }
  return scene;
}

struct BodyMotion {
  Vec3d centre{0, 0, 0}, velocity{0, 0, 0};
};
std::vector<BodyMotion> motions(const Simulation& simulation, size_t bodies) {
  const FrameData frame = simulation.frame();
  std::vector<BodyMotion> found(bodies);
  std::vector<double> count(bodies, 0);
  for (size_t i = 0; i < frame.position.size(); ++i) {
    const auto b = size_t(frame.body[i]);
    found[b].centre += {frame.position[i][0], frame.position[i][1], frame.position[i][2]};
    found[b].velocity += {frame.velocity[i][0], frame.velocity[i][1], frame.velocity[i][2]};
    ++count[b];
  }
  for (size_t b = 0; b < bodies; ++b) {
    found[b].centre = found[b].centre / count[b];
    found[b].velocity = found[b].velocity / count[b];
  }
  return found;
}

/// Two blocks of unequal mass collide head on in free space: no restitution worth speaking of is left of
/// alpha = 0, so they go on together with (m1 v1 + m2 v2)/(m1 + m2), within a step of the collision.
TEST(RigidContacts, ACollisionHeadOnSharesTheMomentum) {
  RigidBlocks state;
  state.add(block(4, 4, 4, {0, 0, 0}, spacing), spacing, {2, 0, 0});
  state.add(block(4, 4, 4, {4.2 * spacing, 0, 0}, spacing), spacing, {0, 0, 0}, {0, 0, 0}, 3000);
  InitialState scene = scene_of(state, 1e-3, 0);
  scene.coupling.alpha = 0;
  const auto simulation = make_simulation(scene);
  for (int k = 0; k < 40; ++k) simulation->step(1e9);
  const auto now = motions(*simulation, 2);
  note("velocities %g and %g m/s", now[0].velocity.x, now[1].velocity.x);
  EXPECT_NEAR(now[0].velocity.x, 0.5, 0.01);
  EXPECT_NEAR(now[1].velocity.x, 0.5, 0.01);
  EXPECT_GT(now[1].centre.x - now[0].centre.x, 3.7 * spacing);
}

/// Off centre, spinning, four bodies: the whole keeps momentum, angular momentum and never gains energy.
/// Momentum: the residual is one of floats, a 500 times stiffer term than the bodies leaves 500 * 6e-8 of an
/// impulse. Angular momentum: a merge changes velocities of particles at their own places, a 64th of a body
/// each.
TEST(RigidContacts, CollisionsKeepMomentumAndAngularMomentum) {
  RigidBlocks state;
  state.add(block(5, 3, 3, {0, 0, 0}, spacing), spacing, {2, 0, 0}, {0, 0, 3});
  state.add(block(3, 5, 3, {0.35, 0.06, 0.02}, spacing), spacing, {-1, 0, 0}, {4, 0, 0}, 500);
  state.add(block(3, 3, 5, {0.2, -0.3, 0.0}, spacing), spacing, {0, 1.5, 0}, {0, 2, 0}, 2000);
  state.add(ball(0.11, {0.25, 0.1, 0.4}, spacing), spacing, {0, 0, -2}, {1, 1, 1});
  const auto simulation = make_simulation(scene_of(state, 1e-3, 0));
  StepStatistics row = simulation->step(1e9);
  const auto momentum = row.vector("momentum"), angular = row.vector("angular_momentum");
  double last = row["kinetic_energy"], contacts = 0;
  const double start = last;
  for (int k = 0; k < 400; ++k) {
    row = simulation->step(1e9);
    EXPECT_LE(row["kinetic_energy"], last + 1e-3 * start) << k;
    last = row["kinetic_energy"];
    contacts += row["groups"];
  }
  double size = 0, size_angular = 0;
  for (size_t c = 0; c < 3; ++c) {
    size += std::abs(momentum[c]);
    size_angular += std::abs(angular[c]);
  }
  note("energy %g of %g J, groups in all %g, momentum error %g of %g", last, start, contacts,
       row.vector("momentum")[0] - momentum[0], size);
  EXPECT_GT(contacts, 10);
  EXPECT_LT(last, 0.9 * start);
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(row.vector("momentum")[c], momentum[c], 1e-4 * size) << c;
    EXPECT_NEAR(row.vector("angular_momentum")[c], angular[c], 1e-2 * size_angular) << c;
  }
}

/// A tower of three on the floor stands: in a second its top sinks by about a hundredth of a spacing.
TEST(RigidContacts, ATowerStands) {
  RigidBlocks state;
  for (int k = 0; k < 3; ++k)
    state.add(block(4, 4, 3, {0.1 * spacing * k, 0, (0.5 + 3 * k) * spacing}, spacing), spacing);
  const auto simulation = make_simulation(scene_of(state, 1e-3, g, true));
  const auto start = motions(*simulation, 3);
  StepStatistics row;
  for (int k = 0; k < 1000; ++k) row = simulation->step(1e9);
  const auto now = motions(*simulation, 3);
  for (size_t b = 0; b < 3; ++b) {
    const Vec3d way = now[b].centre - start[b].centre;
    note("body %zu: way %g %g %g spacings", b, way.x / spacing, way.y / spacing, way.z / spacing);
    EXPECT_LT(norm(way), 0.02 * spacing) << b;
    EXPECT_LT(norm(now[b].velocity), 1e-3) << b;
  }
}

/// A heavy block falls on the overhanging end of a light plank on the floor: the floor holds the plank down
/// nowhere and the plank tips. No step gives energy; a floor that pulled would let the plank stop the block
/// and take all its momentum.
TEST(RigidContacts, ALightPlankTipsUnderAHeavyBlock) {
  RigidBlocks state;
  state.add(block(16, 4, 1, {0, 0, 3.5 * spacing}, spacing), spacing, {0, 0, 0}, {0, 0, 0}, 200);
  state.add(block(6, 4, 3, {0, 0, 0.5 * spacing}, spacing), spacing);
  state.hold_last();
  state.add(block(4, 4, 4, {12 * spacing, 0, 5 * spacing}, spacing), spacing, {0, 0, -1}, {0, 0, 0}, 4000);
  const auto simulation = make_simulation(scene_of(state, 1e-3, g, true));
  double last = 1e9, first = 0;
  for (int k = 0; k < 600; ++k) {
    const StepStatistics row = simulation->step(1e9);
    const double now = row["kinetic_energy"] + row["potential_energy"];
    if (k == 0) first = row["kinetic_energy"];
    EXPECT_LT(now, last + 0.01 * first) << k;
    last = now;
  }
  EXPECT_LT(motions(*simulation, 3)[2].centre.z, 4 * spacing);
}

/// The same in the plane: a heavy block slides against a light one that friction holds, and pushes it on.
TEST(RigidContacts, FrictionGivesWayToAHeavyBlock) {
  RigidBlocks state;
  state.add(block(4, 4, 4, {0, 0, 0.5 * spacing}, spacing), spacing, {1, 0, 0}, {0, 0, 0}, 5000);
  state.add(block(4, 4, 4, {4.1 * spacing, 0, 0.5 * spacing}, spacing), spacing, {0, 0, 0}, {0, 0, 0}, 200);
  const auto simulation = make_simulation(scene_of(state, 1e-3, g, true));
  for (int k = 0; k < 30; ++k) simulation->step(1e9);
  const auto now = motions(*simulation, 2);
  note("velocities %g and %g m/s", now[0].velocity.x, now[1].velocity.x);
  // Together they lose what friction takes; stopped by the held one, the heavy one would throw it at 25 m/s.
  const double mean = (5000 * now[0].velocity.x + 200 * now[1].velocity.x) / 5200;
  EXPECT_NEAR(mean, 5000.0 / 5200 - 0.4 * g * 0.03, 0.02);
  EXPECT_LT(now[1].velocity.x, 1.2);
}

/// Two blocks, one on the other, slide down a slope of 20 degrees: g sin a - mu g cos a, the upper one stays
/// where it lies, and all momentum is accounted for (measured: 0.02 % in 0.4 s).
/// With friction of the upper one's weight that acts on the lower one after the solve, and not on its
/// particles in groups, they were 3 % too fast, and the upper one crept forward.
TEST(RigidContacts, TwoBlocksSlideDownASlopeAsOne) {
  RigidBlocks state;
  state.add(block(8, 8, 3, {0, 0, 0.5 * spacing}, spacing), spacing);
  state.add(block(6, 6, 3, {spacing, spacing, 3.5 * spacing}, spacing), spacing);
  InitialState scene = scene_of(state, 1e-3, g, true);
  const double angle = 0.349066, friction = 0.2, time = 0.4;
  scene.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
  scene.walls[0].friction = friction;
  const auto simulation = make_simulation(scene);
  const auto start = motions(*simulation, 2);
  StepStatistics row;
  for (int k = 0; k < 400; ++k) row = simulation->step(1e9);
  const auto now = motions(*simulation, 2);
  const double expected = g * (std::sin(angle) - friction * std::cos(angle)) * time;
  const Vec3d slipped = now[1].centre - now[0].centre - (start[1].centre - start[0].centre);
  note("velocities %.5f and %.5f of %.5f m/s, slipped by %.5f spacings, momentum residual %g N s",
       now[0].velocity.x, now[1].velocity.x, expected, slipped.x / spacing,
       row.vector("momentum_residual")[0]);
  for (const BodyMotion& body : now) EXPECT_NEAR(body.velocity.x, expected, 1e-3 * expected);
  EXPECT_LT(norm(slipped), 1e-3 * spacing);
  EXPECT_NEAR(row.vector("momentum_residual")[0], 0, 3e-3 * row.vector("momentum")[0]);
}

/// A block falls on a held one and stays there.
TEST(RigidContacts, AHeldBodyCarriesAnother) {
  RigidBlocks state;
  state.add(block(8, 8, 1, {0, 0, 0}, spacing), spacing);
  state.hold_last();
  state.add(block(4, 4, 3, {0.1, 0.1, 2 * spacing}, spacing), spacing);
  const auto simulation = make_simulation(scene_of(state, 1e-3, g));
  for (int k = 0; k < 800; ++k) simulation->step(1e9);
  const auto now = motions(*simulation, 2);
  note("height %g spacings, velocity %g m/s", now[1].centre.z / spacing, now[1].velocity.z);
  EXPECT_GT(now[1].centre.z, 1.7 * spacing);
  EXPECT_LT(norm(now[1].velocity), 2e-3);
}

}  // namespace rigid_contacts_test
MERGANSER_END
