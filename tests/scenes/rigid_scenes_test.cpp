/// Rigid bodies in scenes: with solids of other kinds in free space, a door in a jet of water, floating.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "device/backend.h"
#include "host/checks/run_checks.h"
#include "host/scene/scene.h"
#include "host/simulation/simulation.h"
#include "tests/support/initial_mass.h"
#include "tests/support/note.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/threads.h"
#include "tests/support/whole_runs.h"

MERGANSER_BEGIN
namespace rigid_scenes_test {

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
/// rounding of velocities: stiff ties leave 500 * 6e-8 of every impulse, whose sizes add up to several times
/// the whole momentum. Angular momentum is not: the members of a group share one velocity at their own
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
  EXPECT_LT(drift, 1e-4 * norm(momentum));
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

/// Two boxes side by side, a ball in the gap between them and a short cylinder beside it: three layers of
/// contacts at points. They come to rest to rounding, and stay.
TEST(RigidScenes, ASmallPileComesToRest) {
  const auto simulation = simulation_of(R"({
    "title": "small pile", "simulation": {"particleRadius": 0.0075, "endTime": 1, "maxTimeStepSize": 0.001},
    "coupling": {"method": "mergingAndSplitting", "alpha": 0, "beta": 0},
    "systems": [{"name": "bodies", "type": "rigid", "bodies": [
      {"name": "left", "shape": "box", "start": [0, 0, 0], "end": [0.06, 0.06, 0.06], "density0": 600},
      {"name": "right", "shape": "box", "start": [0.075, 0, 0], "end": [0.135, 0.06, 0.06], "density0": 600},
      {"name": "ball", "shape": "sphere", "centre": [0.0675, 0.03, 0.12], "radius": 0.03, "density0": 600},
      {"name": "roll", "shape": "cylinder", "start": [0, 0.03, 0.15], "end": [0.03, 0.03, 0.15],
       "radius": 0.025, "density0": 600}]}],
    "walls": [{"shape": "box", "low": [-0.25, -0.2, 0], "high": [0.25, 0.2, 2], "friction": 0.4,
               "restitution": 0.2}]})");
  StepStatistics row;
  while (simulation->time() < 0.4) row = simulation->step(0.4);
  std::vector<Point3> before;
  for (int b = 0; b < 4; ++b) before.push_back(body_of(*simulation, b).centre);
  while (simulation->time() < 0.8) row = simulation->step(0.8);
  note("speed %g m/s, groups %g, solves %g", row["max_speed"], row["groups"], row["iterations_1"]);
  EXPECT_GT(row["groups"], 5);
  EXPECT_LT(row["max_speed"], 1e-6);
  for (int b = 0; b < 4; ++b)
    EXPECT_LT(norm(difference(body_of(*simulation, b).centre, before[size_t(b)])), 1e-6) << b;
}

/// Six bodies that have fallen into a shaft and lean on one another and on its walls. Which walls press, and
/// which of them slide, depends on what the bodies give one another. They lie still: in a second none moves
/// by a fiftieth of a spacing. (Where walls that stop a body after the solve with groups are not in it, they
/// creep by 0.1 to 0.6 spacings a second.)
TEST(RigidScenes, BodiesThatLeanOnWallsLieStill) {
  const auto simulation = simulation_of(R"({
    "title": "shaft", "simulation": {"particleRadius": 0.0075, "endTime": 3, "maxTimeStepSize": 0.001},
    "coupling": {"method": "mergingAndSplitting", "alpha": 0, "beta": 0},
    "systems": [{"name": "bodies", "type": "rigid", "bodies": [
      {"name": "body0", "shape": "box", "start": [-0.048, -0.03, 0.023],
       "end": [-0.002, 0.03, 0.077], "density0": 600, "spin": [1.8, -2.6, -3.0]},
      {"name": "body1", "shape": "box", "start": [0.002, -0.023, 0.093],
       "end": [0.048, 0.023, 0.147], "density0": 600, "spin": [-2.0, -0.9, 3.0]},
      {"name": "body2", "shape": "box", "start": [-0.048, -0.03, 0.163],
       "end": [-0.002, 0.03, 0.217], "density0": 600, "spin": [0.5, -2.0, -1.8]},
      {"name": "body3", "shape": "box", "start": [-0.002, -0.027, 0.237],
       "end": [0.052, 0.027, 0.283], "density0": 600, "spin": [3.0, 2.4, -0.9]},
      {"name": "body4", "shape": "cylinder", "start": [-0.045, 0.0, 0.33],
       "end": [-0.005, 0.0, 0.33], "radius": 0.025, "density0": 600, "spin": [-0.4, -0.7, -0.9]},
      {"name": "body5", "shape": "box", "start": [0.002, -0.03, 0.377],
       "end": [0.048, 0.03, 0.423], "density0": 600, "spin": [0.1, 2.6, 3.0]}]}],
    "walls": [{"shape": "box", "low": [-0.07, -0.045, 0], "high": [0.07, 0.045, 2], "friction": 0.4,
               "restitution": 0.2}]})");
  while (simulation->time() < 1.5) simulation->step(1.5);
  std::vector<Point3> before;
  for (int b = 0; b < 6; ++b) before.push_back(body_of(*simulation, b).centre);
  StepStatistics row;
  while (simulation->time() < 2.5) row = simulation->step(2.5);
  for (int b = 0; b < 6; ++b) {
    const double way = norm(difference(body_of(*simulation, b).centre, before[size_t(b)])) / 0.015;
    note("body %d: %g spacings", b, way);
    EXPECT_LT(way, 0.02) << b;
  }
  note("groups %g, passes %g", row["groups"], row["iterations_1"]);
  EXPECT_GE(row["groups"], 5);
}

/// Six boxes at rest on one another, which overlap by a fiftieth of a spacing, so nothing approaches at
/// first. The floor stops the first box, that the second one, and so on, each a stage later: with two stages
/// a step the upper ones would fall.
TEST(RigidScenes, ATowerRestsFromItsFirstStepOn) {
  std::string bodies;
  for (int k = 0; k < 6; ++k) {
    const std::string low = std::to_string(0.0597 * k), high = std::to_string(0.0597 * k + 0.06);
    bodies += (k ? ", {" : "{") +
              ("\"name\": \"box" + std::to_string(k) + "\", \"shape\": \"box\", \"start\": [0, 0, " + low) +
              "], \"end\": [0.06, 0.06, " + high + "], \"density0\": 600}";
  }
  const auto simulation = simulation_of(
      R"({"title": "tower", "simulation": {"particleRadius": 0.0075, "endTime": 1, "maxTimeStepSize": 0.001},
    "coupling": {"method": "mergingAndSplitting", "alpha": 0, "beta": 0},
    "systems": [{"name": "bodies", "type": "rigid", "bodies": [)" +
      bodies + R"(]}], "walls": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}]})");
  for (int k = 0; k < 20; ++k) {
    const StepStatistics row = simulation->step(1);
    EXPECT_LT(row["max_speed"], 1e-4) << k;  // [m/s] a step of free fall: 0.01
    EXPECT_GT(row["groups"], 5 * 8) << k;
  }
}

/// [m] median height of the highest water particle of every column of cells that keeps away from body 0.
double water_level(const Simulation& simulation, double spacing) {
  const FrameData frame = simulation.frame();
  std::array<double, 2> low{1e9, 1e9}, high{-1e9, -1e9};
  std::map<std::pair<int, int>, double> top;
  for (const bool water : {false, true})
    for (size_t i = 0; i < frame.body.size(); ++i) {
      if ((frame.body[i] != 0) != water) continue;
      const std::array<double, 2> x{double(frame.position[i][0]), double(frame.position[i][1])};
      bool away = false;
      for (size_t c = 0; c < 2; ++c) {
        if (!water) low[c] = std::min(low[c], x[c]), high[c] = std::max(high[c], x[c]);
        away = away || x[c] < low[c] - 1.5 * spacing || x[c] > high[c] + 1.5 * spacing;
      }
      if (!water || !away) continue;
      double& highest = top[{int(x[0] / spacing), int(x[1] / spacing)}];
      highest = std::max(highest, double(frame.position[i][2]));
    }
  std::vector<double> heights;
  for (const auto& column : top) heights.push_back(column.second);
  std::nth_element(heights.begin(), heights.begin() + long(heights.size() / 2), heights.end());
  return heights[heights.size() / 2] + spacing / 2;
}

/// A box of half the water's density floats and goes on floating: water that is pressed against it does not
/// get in. Its depth is right to the surface of a fluid of particles: by merging-and-splitting the fluid's
/// density does not count the body, so both surfaces are only known to half a spacing.
TEST(RigidScenes, ABoxFloats) {
  const double spacing = 0.02;
  const auto simulation = simulation_of(R"({
    "title": "floating box", "simulation": {"particleRadius": 0.01, "endTime": 2},
    "coupling": {"method": "mergingAndSplitting", "alpha": 0, "beta": 0},
    "systems": [
      {"name": "bodies", "type": "rigid", "bodies": [
        {"name": "box", "shape": "box", "start": [0.08, 0.08, 0.13],
       "end": [0.24, 0.24, 0.25], "density0": 500}]},
      {"name": "water", "type": "dfsph", "density0": 1000, "viscosity": 0.002, "bodies": [
        {"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.32, 0.32, 0.12]}]}],
    "walls": [{"shape": "box", "low": [0, 0, 0], "high": [0.32, 0.32, 1]}]})");
  std::vector<double> depth;
  for (const double end : {1.0, 2.0}) {
    double sum = 0;
    int count = 0;
    while (simulation->time() < end) {
      simulation->step(end);
      if (simulation->time() < end - 0.2) continue;
      sum += water_level(*simulation, spacing) - (body_of(*simulation, 0).centre[2] - 0.06);
      ++count;
    }
    depth.push_back(sum / count);
  }
  note("depths %g and %g m of 0.06", depth[0], depth[1]);
  EXPECT_NEAR(depth[1], depth[0], 0.15 * spacing);
  EXPECT_NEAR(depth[1], 0.06, 0.6 * spacing);
}

/// The bodies of the scene that ships float: the raft, half as dense as water, with its centre at the level
/// that follows from what all bodies displace, to 0.7 spacings (settled water is up to 2 % denser, and its
/// surface known to half a spacing); none is far below.
TEST(RigidScenes, AllBodiesOfTheSceneFloat) {
  SceneOverrides overrides;
  overrides.resolution = 0.25;
  const InitialState initial =
      build_initial_state(load_scene(source_folder() / "scenes/rigid/floating_bodies.json", overrides));
  const auto simulation = make_simulation(initial);
  while (simulation->time() < 2.5) simulation->step(2.5);
  double volume = 0.6 * 0.4 * 0.2;  // [m^3]
  for (const float mass : initial.systems[0].mass) volume += double(mass) / 1000;
  const double level = volume / (0.6 * 0.4);
  for (int body = 0; body < 6; ++body) {
    const double height = body_of(*simulation, body).centre[2];
    note("body %d: %.4f m, level %.4f m", body, height, level);
    EXPECT_GT(height, level - 0.04) << body;
    EXPECT_LT(height, level + 0.04) << body;
  }
  EXPECT_NEAR(body_of(*simulation, 0).centre[2], level, 0.7 * 0.005 / 0.25);
}

/// Fifty bodies of 20 to 50 particles each. Energy never rises by more than rounding, none is deep inside
/// another, and the scene's own checks hold at the end. The bodies are at rest then: in the last half second
/// at most one of them moves by a tenth of a spacing. (It may still slip once and lie again: one of fifty did
/// with one of four seeds.)
TEST(RigidScenesSlow, APileComesToRest) {
  SceneOverrides overrides;
  overrides.resolution = 0.2;
  const Scene scene = load_scene(source_folder() / "scenes" / "rigid" / "pile.json", overrides);
  const InitialState initial = build_initial_state(scene);
  RunChecks checks(scene.checks, test::mass_of(initial));
  const auto simulation = make_simulation(initial);
  const double end = 4, spacing = 0.015;
  StepStatistics row = simulation->step(end);
  checks.observe(row);
  double last = row["kinetic_energy"] + row["potential_energy"], start = last, rise = 0, speed = 0;
  std::vector<Point3> before;
  while (simulation->time() < end) {
    row = simulation->step(simulation->time() < end - 0.5 ? end - 0.5 : end);
    checks.observe(row);
    const double now = row["kinetic_energy"] + row["potential_energy"];
    rise = std::max(rise, now - last);
    last = now;
    if (simulation->time() >= end - 0.5) {
      speed = std::max(speed, row["max_speed"]);
      for (int b = int(before.size()); b < 50; ++b) before.push_back(body_of(*simulation, b).centre);
    }
  }
  int creep = 0;
  for (int b = 0; b < 50; ++b)
    creep += norm(difference(body_of(*simulation, b).centre, before[size_t(b)])) > 0.1 * spacing ? 1 : 0;
  note("rise %g of %g J, speed %g m/s, %d bodies creep, deepest overlap %g, solves %g", rise, start, speed,
       creep, row["deepest_overlap"], row["iterations_1"]);
  EXPECT_LT(rise, 1e-6 * start);
  EXPECT_LT(row["kinetic_energy"], 1e-6 * start);
  EXPECT_LE(creep, 1);
  EXPECT_EQ(checks.results().size(), 3u);
  for (const CheckResult& check : checks.results())
    EXPECT_TRUE(check.passed) << check.type << ": " << check.value;
  EXPECT_LT(row["deepest_overlap"], 1);
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

/// A checkpoint from a build that found other principal axes, as rounding decides for a cube: the bodies go
/// on from where they were. Here the saved frames are turned about (1, 2, 2)/3 by 1 rad.
TEST(RigidScenes, CheckpointsOfOtherBuildsHoldTheBodiesAsTheyLie) {
  const std::string text = R"({
    "title": "frames", "simulation": {"particleRadius": 0.025, "gravitation": [0, 0, 0], "endTime": 1,
                                      "timeStepSize": 0.001},
    "systems": [{"name": "bodies", "type": "rigid", "bodies": [
      {"name": "cube", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.2], "density0": 2000,
       "spin": [1, 3, 2]},
      {"name": "plate", "shape": "box", "start": [0, 0, 0.5], "end": [0.4, 0.2, 0.6], "density0": 2000,
       "spin": [2, -1, 3]}]}]})";
  const auto here = simulation_of(text), there = simulation_of(text);
  for (int step = 0; step < 30; ++step) here->step(1e9);
  const double w = std::cos(0.5), x = std::sin(0.5) / 3, y = 2 * x, z = 2 * x;
  const StateArchive saved = here->save();
  StateArchive other;
  int frames = 0;
  for (NamedArray array : saved.arrays()) {
    if (array.name.ends_with("/turn") || array.name.ends_with("/first_turn")) {
      std::vector<double> q(array.bytes.size() / sizeof(double));
      std::memcpy(q.data(), array.bytes.data(), array.bytes.size());
      for (size_t b = 0; b + 4 <= q.size(); b += 4, ++frames) {
        const double q0 = q[b], q1 = q[b + 1], q2 = q[b + 2], q3 = q[b + 3];
        q[b] = q0 * w - q1 * x - q2 * y - q3 * z;
        q[b + 1] = q0 * x + q1 * w + q2 * z - q3 * y;
        q[b + 2] = q0 * y - q1 * z + q2 * w + q3 * x;
        q[b + 3] = q0 * z + q1 * y - q2 * x + q3 * w;
      }
      std::memcpy(array.bytes.data(), q.data(), array.bytes.size());
    }
    other.add(std::move(array));
  }
  EXPECT_EQ(frames, 4);
  there->load(other);
  for (int step = 0; step < 30; ++step) here->step(1e9), there->step(1e9);
  const FrameData a = here->frame(), b = there->frame();
  double most = 0;
  for (size_t i = 0; i < a.position.size(); ++i)
    for (size_t c = 0; c < 3; ++c)
      most = std::max(most, std::abs(double(a.position[i][c]) - double(b.position[i][c])));
  note("positions differ by %.2e m\n", most);
  EXPECT_LT(most, 2e-6);
}

}  // namespace rigid_scenes_test
MERGANSER_END
