/// Rigid bodies in scenes: with solids of other kinds in free space, a door in a jet of water, floating.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/note.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/threads.h"
#include "tests/support/whole_runs.h"

MERGANSER_BEGIN
namespace {

std::unique_ptr<Simulation> simulation_of(const std::string& text) {
  test::TemporaryFolder folder;
  test::write_text(folder / "scene.json", text);
  return make_simulation(build_initial_state(load_scene(folder / "scene.json", {})));
}

double norm(const Point3& p) { return std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]); }
Point3 difference(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

struct Sums {
  Point3 centre{0, 0, 0}, velocity{0, 0, 0};
};
/// Mean place and velocity of a body's particles.
Sums body_of(const Simulation& simulation, int body) {
  const FrameData frame = simulation.frame();
  Sums sums;
  double count = 0;
  for (size_t i = 0; i < frame.body.size(); ++i) {
    if (frame.body[i] != body) continue;
    ++count;
    for (size_t c = 0; c < 3; ++c) {
      sums.centre[c] += double(frame.position[i][c]);
      sums.velocity[c] += double(frame.velocity[i][c]);
    }
  }
  for (size_t c = 0; c < 3; ++c) sums.centre[c] /= count, sums.velocity[c] /= count;
  return sums;
}

/// Two rigid bodies, a cloth, a soft and a brittle block collide in free space. Momentum is kept to the
/// rounding of velocities. Angular momentum is not: the members of a group share one velocity at their own
/// places, whatever the systems are (a quarter of it goes here, and as much where soft bodies stand in for
/// the rigid ones). tests/physics bounds it for rigid bodies among themselves.
TEST(RigidScenes, SolidsOfAllKindsKeepMomentum) {
  const auto simulation = simulation_of(R"({
    "title": "collision", "simulation": {"particleRadius": 0.025, "gravitation": [0, 0, 0], "endTime": 1,
                                         "timeStepSize": 0.001},
    "coupling": {"method": "mergingAndSplitting", "alpha": 0.2},
    "systems": [
      {"name": "bodies", "type": "rigid", "bodies": [
        {"name": "box", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.2], "density0": 2000,
         "velocity": [2, 0, 0], "spin": [0, 3, 1]},
        {"name": "ball", "shape": "sphere", "centre": [0.5, 0.1, 0.45], "radius": 0.12, "mass": 4,
         "velocity": [0, 0, -2]}]},
      {"name": "soft", "type": "elasticSph", "elasticTimeStep": 0.001, "bodies": [
        {"name": "block", "shape": "box", "start": [0.3, 0, 0], "end": [0.5, 0.2, 0.2], "density0": 1000,
         "youngsModulus": 1e6, "poissonRatio": 0.3}]},
      {"name": "glass", "type": "peridynamics", "bodies": [
        {"name": "pane", "shape": "box", "start": [0, 0.25, 0], "end": [0.3, 0.35, 0.2], "density0": 1500,
         "youngsModulus": 1e7, "velocity": [0, -2, 0]}]},
      {"name": "cloth", "type": "massSpring", "bodies": [
        {"name": "sheet", "shape": "sheet", "origin": [-0.1, -0.1, -0.08], "edgeU": [0.5, 0, 0],
         "edgeV": [0, 0.5, 0], "arealDensity": 5, "stretchStiffness": 3000, "velocity": [0, 0, 1]}]}]})");
  StepStatistics row = simulation->step(1e9);
  const Point3 momentum = row.vector("momentum");
  double energy = row["kinetic_energy"] + row["elastic_energy"], groups = 0;
  const double start = energy;
  for (int k = 0; k < 300; ++k) {
    row = simulation->step(1e9);
    groups += row["groups"];
    const double now = row["kinetic_energy"] + row["elastic_energy"];
    EXPECT_LT(now, energy + 0.01 * start) << k;
    energy = now;
  }
  const double drift = norm(difference(row.vector("momentum"), momentum));
  note("momentum %g of %g, energy %g of %g J, groups %g, residual %g J", drift, norm(momentum), energy, start,
       groups, row["energy_residual"]);
  EXPECT_GT(groups, 100);
  EXPECT_LT(drift, 2e-4 * norm(momentum));  // roundings of 300 steps, 2e-5 to 9e-5 as materials vary
  EXPECT_LT(std::abs(row["energy_residual"]), 0.01 * start);
}

/// A door on a hinge hangs in the way of a jet of water and is pushed open.
TEST(RigidScenes, AJetOpensADoor) {
  const auto simulation = simulation_of(R"({
    "title": "door", "simulation": {"particleRadius": 0.02, "gravitation": [0, 0, 0], "endTime": 1},
    "coupling": {"method": "mergingAndSplitting", "alpha": 0},
    "systems": [
      {"name": "doors", "type": "rigid", "bodies": [
        {"name": "door", "shape": "box", "start": [0, 0, 0], "end": [0.08, 0.4, 0.4], "density0": 500,
         "joint": "hinge", "jointAxis": [0, 0, 1], "jointPoint": [0.04, 0, 0.2]}]},
      {"name": "water", "type": "sph", "density0": 1000, "soundSpeed": 30, "bodies": [
        {"name": "slug", "shape": "box", "start": [-0.5, 0.24, 0.12], "end": [-0.05, 0.36, 0.28],
         "velocity": [2, 0, 0]}]}]})");
  StepStatistics row;
  while (simulation->time() < 0.3) row = simulation->step(0.3);
  const Sums door = body_of(*simulation, 0);
  const double arm = std::hypot(door.centre[0] - 0.04, door.centre[1]),
               angle = std::atan2(door.centre[0] - 0.04, door.centre[1]);
  note("opened by %g rad", angle);
  EXPECT_NEAR(arm, 0.2, 1e-4);
  EXPECT_NEAR(door.centre[2], 0.2, 1e-4);
  EXPECT_GT(angle, 0.3);
}

TEST(RigidScenesSlow, APileComesToRest) {
  StepStatistics last;
  for (const CheckResult& result : scene_test::run_checks("rigid/pile.json", 0.2, 1e9, 1 << 30, last))
    EXPECT_TRUE(result.passed) << RunChecks::describe(result);
}

/// What a checkpoint holds after `steps` steps, `resumed_after` of them before it was written and read.
std::vector<std::vector<char>> bytes_after(const InitialState& initial, int steps, int resumed_after) {
  auto simulation = make_simulation(initial);
  for (int k = 0; k < steps; ++k) {
    if (k == resumed_after) {
      const StateArchive archive = simulation->save();
      simulation = make_simulation(initial);
      simulation->load(archive);
    }
    simulation->step(1e9);
  }
  std::vector<std::vector<char>> bytes;
  const StateArchive archive = simulation->save();
  for (const NamedArray& array : archive.arrays()) bytes.push_back(array.bytes);
  return bytes;
}

/// Bodies in the air, on the floor and on one another.
TEST(RigidScenes, SameBitsForAnyNumberOfThreadsAndAfterAResume) {
  const InitialState initial = test::small_initial_state("rigid/pile.json");
  const auto one = with_threads(1, [&] { return bytes_after(initial, 200, -1); });
  for (const int threads : {2, 3})
    EXPECT_TRUE(with_threads(threads, [&] { return bytes_after(initial, 200, -1); }) == one) << threads;
  EXPECT_TRUE(with_threads(2, [&] { return bytes_after(initial, 200, 137); }) == one);
}

}  // namespace
MERGANSER_END
