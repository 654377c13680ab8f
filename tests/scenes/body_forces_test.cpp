/// Force probes on whole bodies, in whole simulations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace body_forces_test {

constexpr double g = 9.81;

std::string force_on(const std::string& body, const std::string& more = "") {
  return R"({"type": "force", "name": ")" + body + R"(", "body": ")" + body + "\"" + more + "}";
}

/// In free fall no force acts, also while the body spins; at rest the floor's carries the weight, and its
/// torque about a point 1 m beside the middle is the weight times 1 m.
TEST(ForceOnABody, IsTheFloorsAndNoneInFreeFall) {
  const std::string probes =
      R"("probes": [)" + force_on("box", R"(, "point": [-0.9, 0.1, 0])") + ", " + force_on("ball") + "], ";
  Played run(R"({"title": "bodies", )" + probes +
             R"("simulation": {"particleRadius": 0.025, "endTime": 1, "timeStepSize": 0.001},
      "systems": [{"name": "solids", "type": "rigid", "bodies": [
        {"name": "box", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.1], "density0": 500},
        {"name": "ball", "shape": "sphere", "centre": [1, 0, 2], "radius": 0.1, "mass": 4, "spin": [3, 1, 7],
         "velocity": [1, 0, 2]}]}],
      "walls": [{"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1]}]})");
  const double weight = 500 * 0.2 * 0.2 * 0.1 * g;
  const auto mean = mean_columns(
      run, 0.1, 0.3, {"box_force_z", "box_torque_y", "wall_floor_force_z", "wall_floor_torque_y"});
  EXPECT_NEAR(mean[0], weight, 1e-3 * weight);
  EXPECT_NEAR(mean[1], -weight, 2e-3 * weight);
  EXPECT_NEAR(mean[2], -weight, 1e-3 * weight) << "what the floor gets";
  EXPECT_NEAR(mean[3], 0.1 * weight, 2e-3 * weight) << "about the origin";
  const double rounding = 4 * 3 * 6e-8 / 1e-3;  // [N] of velocities of 3 m/s in a step
  for (const char* axis : {"x", "y", "z"})
    EXPECT_NEAR(run.last[std::string("ball_force_") + axis], 0, rounding) << axis;
}

/// One block upon another slides down a slope of 20 degrees with the friction 0.2: both with a = g (sin - mu
/// cos) (Coulomb), and the slope carries their weight across it. (The weight of the particles in groups was
/// once carried twice: the slope got 5 % more, and so much more friction.) The friction that the upper block
/// adds acts within the solve, as it was after the solve before: 0.1 % of a. (Where it acted afterwards, a
/// was 3 % too large.)
TEST(ForceOnABody, AStackSlidesDownASlope) {
  const double angle = 20 * 3.14159265358979 / 180, mu = 0.2, along = g * std::sin(angle),
               across = g * std::cos(angle), mass = 700 * (0.2 * 0.2 * 0.1 + 0.15 * 0.15 * 0.1);
  char gravity[80];
  std::snprintf(gravity, sizeof gravity, "[%.9f, 0, %.9f]", along, -across);
  Played run(R"({"title": "stack", "probes": [)" + force_on("upper") + R"(],
      "simulation": {"particleRadius": 0.0125, "endTime": 1, "timeStepSize": 0.001, "gravitation": )" +
             gravity +
             R"(},
      "systems": [{"name": "solids", "type": "rigid", "bodies": [
        {"name": "lower", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.1], "density0": 700},
        {"name": "upper", "shape": "box", "start": [0.025, 0.025, 0.1], "end": [0.175, 0.175, 0.2], "density0": 700}]}],
      "walls": [{"shape": "plane", "name": "slope", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.2}]})");
  const auto mean =
      mean_columns(run, 0.05, 0.2, {"upper_force_z", "wall_slope_force_z", "wall_slope_force_x"});
  const double upper = 700 * 0.15 * 0.15 * 0.1 * across;
  note("stack: a %.4f of theory, slope carries %.4f\n",
       run.last["momentum_x"] / 0.2 / mass / (along - mu * across), -mean[1] / (mass * across));
  EXPECT_NEAR(mean[0], upper, 5e-3 * upper);
  EXPECT_NEAR(mean[1], -mass * across, 5e-3 * mass * across);
  EXPECT_NEAR(mean[2], mu * mass * across, 5e-3 * mu * mass * across);
  EXPECT_NEAR(run.last["momentum_x"], mass * (along - mu * across) * 0.2,
              0.004 * mass * (along - mu * across) * 0.2);
  EXPECT_NEAR(run.last["momentum_residual_z"], 0, 1e-3 * mass * g * 0.2);
}

/// A kinematic plate lifts what lies on it, rigid bodies alone and beside a soft one: it carries their
/// weight, its work is their energy, and the ledger closes. (What a held particle gave to a body through the
/// body's particle was once left out but for that particle's own mass: the plate carried a layer of five.)
TEST(ForceOnABody, APlateCarriesItsLoad) {
  for (const bool soft : {false, true}) {
    SCOPED_TRACE(soft ? "beside a soft body" : "alone");
    const double mass = 1000 * 0.1 * 0.1 * 0.1, speed = 0.3, time = 0.3;
    const std::string beside = soft ? R"(, {"name": "jelly", "type": "elasticSph", "bodies": [{"name": "cube",
        "shape": "box", "start": [0.1, -0.05, 0], "end": [0.2, 0.05, 0.1], "density0": 1000,
        "youngsModulus": 1e6}]})"
                                    : "";
    Played run(R"({"title": "plate", "probes": [)" + force_on("plate") + R"(],
      "simulation": {"particleRadius": 0.01, "endTime": 1, "timeStepSize": 0.001},
      "systems": [{"name": "solids", "type": "rigid", "bodies": [
        {"name": "plate", "shape": "box", "start": [-0.2, -0.2, -0.04], "end": [0.3, 0.2, 0], "density0": 500,
         "kinematic": true, "motions": [{"velocity": [0, 0, 0.3]}]},
        {"name": "block", "shape": "box", "start": [-0.05, -0.05, 0], "end": [0.05, 0.05, 0.1],
         "density0": 1000}]})" +
               beside + "]}");
    // The plate moves from the first step on, so what starts at rest takes m v and the work m v^2 of it.
    const double load = (soft ? 2 : 1) * mass, energy = speed * load * (speed + g * time);
    double impulse = 0;
    run.until(time, [&](const StepStatistics& row) { impulse -= row.dt * row["plate_force_z"]; });
    note("impulse %.5f, work %.5f, residual %.2g J\n", impulse / (load * (speed + g * time)),
         run.last["external_work"] / energy, run.last["energy_residual"]);
    EXPECT_NEAR(impulse, load * (speed + g * time), 0.01 * load * speed);
    EXPECT_NEAR(run.last["external_work"], energy, 0.01 * energy);
    EXPECT_NEAR(run.last["energy_residual"], 0, 1e-3 * energy);
    EXPECT_NEAR(run.last["momentum_residual_z"], 0, 1e-4 * load * g * time);
  }
}

/// Two bodies that collide by merging: what the one gets, the other gives, in each step and as a mean.
TEST(ForceOnABody, IsOppositeOnBoth) {
  Played run(R"({"title": "bodies", "probes": [)" + force_on("left") + ", " + force_on("right") + ", " +
             R"({"type": "force", "name": "slow", "body": "left", "rate": 20}],
      "simulation": {"particleRadius": 0.025, "gravitation": [0, 0, 0], "endTime": 1, "timeStepSize": 0.001},
      "coupling": {"method": "mergingAndSplitting"},
      "systems": [{"name": "solids", "type": "rigid", "bodies": [
        {"name": "left", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.2], "density0": 500,
         "velocity": [1, 0, 0]},
        {"name": "right", "shape": "box", "start": [0.25, 0.05, 0], "end": [0.45, 0.25, 0.2], "density0": 800}]}]})");
  double greatest = 0, impulse = 0, slow = 0;
  run.until(0.2, [&](const StepStatistics& row) {
    for (const std::string axis : {"x", "y", "z"})
      EXPECT_NEAR(row["left_force_" + axis], -row["right_force_" + axis], 0.05) << row.time;
    greatest = std::max(greatest, row["right_force_x"]);
    impulse += row.dt * row["left_force_x"];
    if (row.has("slow_force_x")) slow += 0.05 * row["slow_force_x"];
  });
  EXPECT_GT(greatest, 100);
  EXPECT_LT(impulse, -0.4 * 4);  // of 4 kg at 1 m/s, which share it with 6.4 kg
  EXPECT_NEAR(slow, impulse, 1e-9);
}

/// Water that flies against a body in one pressure solve: a free box and a soft one get its impulse, one on a
/// hinge its angular impulse about the axis. (What the divergence-free solve gives them was once left out:
/// nine tenths.)
TEST(ForceOnABody, OfWaterThatHitsIt) {
  const double mass = 1000 * 0.1 * 0.12 * 0.12, flying = 1000 * 0.2 * 0.12 * 0.12;
  for (const std::string of : {R"("rigid", "bodies": [{"density0": 1000, )",
                               R"("elasticSph", "bodies": [{"density0": 1000, "youngsModulus": 2e5, )",
                               R"("rigid", "bodies": [{"density0": 1000, "joint": "hinge",
                                  "jointAxis": [0, 1, 0], "jointPoint": [0.27, 0.06, 0], )"}) {
    SCOPED_TRACE(of);
    Played run(R"({"title": "hit", "coupling": {"method": "none"}, "probes": [)" +
               force_on("body", R"(, "point": [0.27, 0.06, 0])") + R"(],
        "simulation": {"particleRadius": 0.01, "gravitation": [0, 0, 0], "endTime": 1, "timeStepSize": 0.002},
        "systems": [{"name": "solid", "type": )" +
               of + R"("name": "body", "shape": "box", "start": [0.22, 0, 0], "end": [0.32, 0.12, 0.12]}]},
        {"name": "water", "type": "dfsph", "coupledTo": ["solid"], "bodies": [{"name": "jet", "shape": "box",
          "start": [0, 0, 0], "end": [0.2, 0.12, 0.12], "velocity": [1, 0, 0]}]}]})");
    const bool hinge = of.find("hinge") != std::string::npos;
    double given = 0;
    run.until(0.1, [&](const StepStatistics& row) {
      given += row.dt * (hinge ? row["body_torque_y"] : row["body_force_x"]);
    });
    const FrameData frame = run.simulation->frame();
    double momentum = 0, turning = 0, count = 0;
    for (size_t i = 0; i < frame.id.size(); ++i) count += frame.system[i] == 0;
    for (size_t i = 0; i < frame.id.size(); ++i) {
      if (frame.system[i] != 0) continue;
      const Float3 &x = frame.position[i], &v = frame.velocity[i];
      momentum += mass / count * double(v[0]);
      turning += mass / count * (double(x[2]) * double(v[0]) - (double(x[0]) - 0.27) * double(v[2]));
    }
    const double got = hinge ? turning : momentum;
    note("given %.4f, got %.4f, of the water's %.4f\n", given, got, flying);
    EXPECT_GT(got, hinge ? 0.005 * flying : 0.1 * flying);
    EXPECT_NEAR(given, got, (hinge ? 0.02 : 1e-3) * got);
  }
}

/// A body that is not there yet has no weight that something would have to carry.
TEST(ForceOnABody, NoneBeforeItIsThere) {
  for (const char* type :
       {R"("rigid", "bodies": [{)", R"("elasticSph", "bodies": [{"youngsModulus": 1e5, )"}) {
    Played run(R"({"title": "late", "probes": [)" + force_on("late") + R"(],
        "simulation": {"particleRadius": 0.025, "endTime": 1, "timeStepSize": 0.002},
        "systems": [{"name": "solid", "type": )" +
               std::string(type) +
               R"("name": "late", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.2],
          "density0": 1000, "startTime": 0.05}]}]})");
    run.until(0.1, [&](const StepStatistics& row) {
      EXPECT_NEAR(row["late_force_z"], 0, 1e-3 * 8 * g) << row.time;
    });
  }
}

}  // namespace body_forces_test
MERGANSER_END
