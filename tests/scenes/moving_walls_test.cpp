/// Walls that move, and forces on walls, in whole simulations of scene files.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"
#include "tests/support/temporary_folder.h"

MERGANSER_BEGIN
namespace moving_walls_test {

constexpr double g = 9.81;

const auto scene = played_scene;

/// A block of 0.2 x 0.2 x 0.1 m on the floor z = 0.
std::string block(const std::string& solver) {
  const bool elastic = solver == "elasticSph";
  return R"({"name": "solid", "type": ")" + solver +
         R"(", "bodies": [{"name": "block", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.1], )" +
         R"("density0": 1000, "youngsModulus": 1e6)" + (elastic ? R"(, "poissonRatio": 0.3)" : "") + "}]}";
}

/// Coulomb: the block gains mu g t until it has the floor's velocity of 0.5 m/s, at t = 0.102 s, and keeps
/// it. Momentum of the block is what the floor gave. Tolerances: the block sways as it is dragged by its
/// foot.
class CarriedByFriction : public testing::TestWithParam<std::string> {};
TEST_P(CarriedByFriction, BlockTakesTheFloorsVelocity) {
  const double mu = 0.5, speed = 0.5, mass = 1000 * 0.2 * 0.2 * 0.1;
  Played run(
      scene(R"("particleRadius": 0.0125, "endTime": 1, "maxTimeStepSize": 0.001)", block(GetParam()),
            R"({"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.5,
                    "motion": {"velocity": [0.5, 0, 0]}})"));
  double impulse = 0, weight = 0, time = 0;
  const auto sum = [&](const StepStatistics& row) {
    impulse -= row.dt * row["wall_floor_force_x"];
    weight -= row.dt * row["wall_floor_force_z"];
    time += row.dt;
  };
  run.until(0.06, sum);
  EXPECT_NEAR(run.last["momentum_x"] / mass, mu * g * 0.06, 0.15 * mu * g * 0.06);
  run.until(0.5, sum);
  EXPECT_NEAR(run.last["momentum_x"] / mass, speed, 0.02 * speed);
  EXPECT_NEAR(impulse, run.last["momentum_x"], 2e-3 * mass * speed);
  EXPECT_NEAR(weight / time, mass * g, 0.02 * mass * g);
  // Energy: the floor's work is what the block has and what friction took, half of it each.
  EXPECT_NEAR(run.last["wall_floor_work"], mass * speed * speed, 0.03 * mass * speed * speed);
  EXPECT_NEAR(run.last["external_work"], run.last["wall_floor_work"], 0.01 * mass * speed * speed);
  EXPECT_NEAR(run.last["energy_residual"], 0, 0.02 * mass * speed * speed);
}
INSTANTIATE_TEST_SUITE_P(Solids, CarriedByFriction, testing::Values("elasticSph", "peridynamics"),
                         [](const auto& info) { return info.param; });

/// A piston compresses a block against a wall by 5 %, slowly: p dV goes to elastic energy.
TEST(MovingWalls, PistonDoesWork) {
  Played run(
      scene(R"("particleRadius": 0.0125, "gravitation": [0, 0, 0], "endTime": 1, "maxTimeStepSize": 0.001)",
            block("elasticSph"),
            R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
                   {"shape": "plane", "name": "piston", "point": [0, 0, 0.1], "normal": [0, 0, -1],
                    "motion": {"keyFrames": [{"time": 0}, {"time": 0.4, "position": [0, 0, -0.004]}],
                               "interpolation": "smooth"}})"));
  double work = 0, highest = 0;
  run.until(0.2);
  for (const Float3& p : run.simulation->frame().position) highest = std::max(highest, double(p[2]));
  EXPECT_LT(highest, 0.1 - 0.002 - 0.0125 + 1e-6) << "the piston has left particles behind";
  run.until(0.4, [&](const StepStatistics& row) { work = row["external_work"]; });
  // E strain^2 V/2, free at its sides; the outer layers of particles are 0.075 m apart.
  const double uniaxial = 0.5 * 1e6 * std::pow(0.004 / 0.075, 2) * 0.2 * 0.2 * 0.1;
  EXPECT_NEAR(work, uniaxial, 0.05 * uniaxial);
  EXPECT_NEAR(run.last["elastic_energy"], work, 0.1 * work);
  EXPECT_NEAR(run.last["wall_piston_work"], work, 0.01 * work);
  EXPECT_NEAR(run.last["energy_residual"], 0, 0.02 * work);
  EXPECT_GT(run.last["wall_piston_force_z"], 0) << "the block pushes the piston back";
}

/// Water of 0.16 x 0.08 x 0.08 m in a tank of its width.
std::string water(const std::string& method, const std::string& more = "") {
  return R"({"name": "water", "type": ")" + method + R"(", )" + more +
         R"("bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0], "end": [0.16, 0.08, 0.08]}]})";
}
const char* const viscous = R"("viscosityModel": "laminar", "viscosity": 0.02, "soundSpeed": 15, )";

/// Time means of the forces on a tank: floor = weight, sides = rho g H^2 W/2, and no net force along x.
TEST(WallForces, WaterAtRestWeighs) {
  Played run(scene(R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.001)",
                   water("sph", viscous),
                   R"({"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1]},
                   {"shape": "plane", "name": "left", "point": [0, 0, 0], "normal": [1, 0, 0]},
                   {"shape": "plane", "point": [0.16, 0, 0], "normal": [-1, 0, 0]},
                   {"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
                   {"shape": "plane", "point": [0, 0.08, 0], "normal": [0, -1, 0]})"));
  run.until(0.8);
  double floor = 0, left = 0, torque = 0, time = 0;
  run.until(1, [&](const StepStatistics& row) {
    floor -= row.dt * row["wall_floor_force_z"];
    left -= row.dt * row["wall_left_force_x"];
    torque += row.dt * row["wall_floor_torque_y"];
    time += row.dt;
  });
  const double weight = 1000 * g * 0.16 * 0.08 * 0.08, side = 0.5 * 1000 * g * 0.08 * 0.08 * 0.08;
  note("floor %.4f of the weight, side %.4f of rho g H^2 W/2\n", floor / time / weight, left / time / side);
  EXPECT_NEAR(floor / time, weight, 0.01 * weight);
  EXPECT_NEAR(left / time, side, 0.08 * side);
  // -z force at the middle, x = 0.08: torque about the origin is z cross: y component +x F
  EXPECT_NEAR(torque / time, 0.08 * weight, 0.015 * 0.08 * weight);
}

/// FLIP, ten cells deep: the pressure half a cell before the floor and what the floor's faces stop are the
/// weight but for the surface, which the grid sees a third of a cell too low (3.8 %). The pressure alone
/// lacks 8.3 %.
TEST(WallForces, FlipAtRestWeighs) {
  Played run(scene(
      R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.002)",
      R"({"name": "water", "type": "flip", "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0],
                    "end": [0.12, 0.08, 0.2]}]})",
      R"({"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1]},
                   {"shape": "plane", "point": [0, 0, 0], "normal": [1, 0, 0]},
                   {"shape": "plane", "point": [0.12, 0, 0], "normal": [-1, 0, 0]},
                   {"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
                   {"shape": "plane", "point": [0, 0.08, 0], "normal": [0, -1, 0]})"));
  const double weight = 1000 * g * 0.12 * 0.08 * 0.2,
               floor = -mean_columns(run, 0.1, 0.2, {"wall_floor_force_z"})[0];
  note("FLIP: floor %.4f of the weight\n", floor / weight);
  EXPECT_NEAR(floor, weight, 0.05 * weight);
}

/// Momentum of the fluid is gravity's impulse plus that of the walls, to rounding, also while they move: SPH
/// forces on walls leave nothing out.
TEST(WallForces, MomentumCloses) {
  Played run(
      scene(R"("particleRadius": 0.005, "endTime": 1, "maxTimeStepSize": 0.001)", water("sph", viscous),
            R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.16, 0.08, 0.3], "noSlip": true,
                    "motion": {"amplitude": [0.01, 0, 0], "frequency": 4}},
                   {"shape": "sphere", "name": "ball", "centre": [0.1, 0.04, 0.02], "radius": 0.018,
                    "inside": false, "noSlip": true})"));
  const double mass = 1000 * 0.16 * 0.08 * 0.08;
  double x = 0, z = 0, time = 0;
  run.until(0.15, [&](const StepStatistics& row) {
    for (const char* wall : {"wall_tank_force_", "wall_ball_force_"}) {
      x -= row.dt * row[std::string(wall) + "x"];
      z -= row.dt * row[std::string(wall) + "z"];
    }
    time += row.dt;
  });
  EXPECT_GT(std::abs(run.last["momentum_x"]), 0.01 * mass);
  EXPECT_NEAR(run.last["momentum_x"], x, 2e-4 * mass * g * time);
  EXPECT_NEAR(run.last["momentum_z"], z - mass * g * time, 2e-4 * mass * g * time);
}

/// A ball that is let down into water of its tank: what the water gives to it is the weight of the water that
/// it takes the place of. While so thick a fluid settles it is more: 1.07 at 0.8 s,
/// 1.03 at 1.2 s.
TEST(WallForces, BuoyancyOfABall) {
  const double radius = 0.03;
  Played run(scene(R"("particleRadius": 0.005, "endTime": 2, "maxTimeStepSize": 0.001)",
                   R"({"name": "water", "type": "sph", "viscosityModel": "laminar", "viscosity": 0.02,
                    "soundSpeed": 12, "bodies": [{"name": "pool", "shape": "box", "start": [0, 0, 0],
                    "end": [0.12, 0.12, 0.11]}]})",
                   R"({"shape": "box", "low": [0, 0, 0], "high": [0.12, 0.12, 0.4]},
                   {"shape": "sphere", "name": "ball", "centre": [0.06, 0.06, 0.15], "radius": 0.03, "inside": false,
                    "motion": {"keyFrames": [{"time": 0}, {"time": 0.3, "position": [0, 0, -0.095]}],
                    "interpolation": "smooth"}})"));
  run.until(1.1);
  double force = 0, time = 0;
  run.until(1.3, [&](const StepStatistics& row) {
    force += row.dt * row["wall_ball_force_z"];
    time += row.dt;
  });
  const double displaced = 1000 * g * 4 / 3 * 3.14159265 * std::pow(radius, 3);
  note("buoyancy %.4f of the displaced weight\n", force / time / displaced);
  EXPECT_NEAR(force / time, displaced, 0.05 * displaced);
}

/// Stokes's second problem: a plate that oscillates in its plane with the velocity U cos wt in a viscous
/// fluid feels the traction -rho U sqrt(nu w) cos(wt + pi/4) (Batchelor 1967, sec. 4.3). The fluid is four
/// penetration depths sqrt(2 nu/w) of 0.04 m high, of four particles each.
/// What the plate gets is what the fluid gives, to the tolerance of its solve.
struct OilOnAPlate {
  const char *name, *system;
};
class DragOfAnOscillatingPlate : public testing::TestWithParam<OilOnAPlate> {};
TEST_P(DragOfAnOscillatingPlate, IsThatOfTheory) {
  const double nu = 0.01, amplitude = 0.01, w = 4 * 3.14159265358979, side = 0.08;
  Played run(scene(
      R"("particleRadius": 0.005, "endTime": 2, "maxTimeStepSize": 0.001, "gravitation": [0, 0, 0],
                    "periodic": {"length": [0.08, 0.08, 0]})",
      R"({"name": "oil", )" + std::string(GetParam().system) +
          R"(, "bodies": [{"name": "layer", "shape": "box", "start": [0, 0, 0], "end": [0.08, 0.08, 0.16]}]})",
      R"({"shape": "plane", "name": "plate", "point": [0, 0, 0], "normal": [0, 0, 1], "noSlip": true,
                    "motion": {"amplitude": [0.01, 0, 0], "frequency": 2}})"));
  double given = 0, in_phase = 0, ahead = 0;
  run.until(0.5, [&](const StepStatistics& row) { given -= row.dt * row["wall_plate_force_x"]; });
  run.until(1, [&](const StepStatistics& row) {
    const double t = row.time - 0.5 * row.dt;
    given -= row.dt * row["wall_plate_force_x"];
    in_phase += row.dt * row["wall_plate_force_x"] * std::cos(w * t) / 0.25;
    ahead += row.dt * row["wall_plate_force_x"] * -std::sin(w * t) / 0.25;
  });
  const double traction = 1000 * amplitude * w * std::sqrt(nu * w),
               expected = -traction * side * side * std::sqrt(0.5), mass = 1000 * side * side * 0.16;
  note("%s: drag in phase %.3f, ahead %.3f of theory, momentum %.6f, given %.6f\n", GetParam().name,
       in_phase / expected, ahead / expected, run.last["momentum_x"], given);
  EXPECT_NEAR(in_phase, expected, 0.1 * std::abs(expected));
  EXPECT_NEAR(ahead, expected, 0.1 * std::abs(expected));
  EXPECT_NEAR(run.last["momentum_x"], given, 1e-3 * mass * amplitude * w);
}
INSTANTIATE_TEST_SUITE_P(
    Viscosities, DragOfAnOscillatingPlate,
    testing::Values(
        OilOnAPlate{"laminar",
                    R"("type": "sph", "soundSpeed": 5, "viscosityModel": "laminar", "viscosity": 0.01)"},
        OilOnAPlate{"implicit",
                    R"("type": "sph", "soundSpeed": 5, "viscosityModel": "none", "implicitViscosity": 10)"},
        OilOnAPlate{"dfsphImplicit", R"("type": "dfsph", "implicitViscosity": 10)"}),
    [](const auto& info) { return info.param.name; });

/// A tank that accelerates by g/10 tilts its water by 1/10: so does the regression line of height over x,
/// whose slope is half of the surface's. It sloshes between 0 and twice that, small enough for the period of
/// linear theory, 0.473 s, and is looked at over two of them. (From rest with g/4 the period is 0.49 s, and
/// the mean over 0.47 s depends on where it begins.)
class AcceleratedTank : public testing::TestWithParam<std::string> {};
TEST_P(AcceleratedTank, TiltsTheSurface) {
  const bool sph = GetParam() == "sph";  // FLIP wants eight cells of depth
  Played run(scene(std::string(R"("particleRadius": )") + (sph ? "0.005" : "0.0025") +
                       R"(, "endTime": 2, "maxTimeStepSize": 0.002)",
                   water(GetParam(), sph ? viscous : ""),
                   R"({"shape": "box", "low": [0, 0, 0], "high": [0.16, 0.08, 0.3],
                    "motion": {"acceleration": [0.981, 0, 0]}})"));
  double tilt = 0, deepest = 0;
  int frames = 0;
  for (double t = 0.5; t < 1.434; t += 0.02365) {
    run.until(t);
    const FrameData frame = run.simulation->frame();
    const double left = 0.5 * 0.981 * t * t;
    double mean_x = 0, mean_z = 0, xx = 0, xz = 0;
    for (const Float3& p : frame.position) {
      mean_x += p[0] / double(frame.position.size()), mean_z += p[2] / double(frame.position.size());
      deepest = std::max({deepest, left - p[0], p[0] - left - 0.16, -double(p[2])});
    }
    for (const Float3& p : frame.position) {
      xx += (p[0] - mean_x) * (p[0] - mean_x);
      xz += (p[0] - mean_x) * (p[2] - mean_z);
    }
    tilt -= 2 * xz / xx;
    ++frames;
  }
  note("%s: tilt %.4f, a/g 0.1\n", GetParam().c_str(), tilt / frames);
  EXPECT_NEAR(tilt / frames, 0.1, 0.008);
  EXPECT_LT(deepest, 1e-6) << "no particle is left behind the tank's walls";
}
INSTANTIATE_TEST_SUITE_P(Fluids, AcceleratedTank, testing::Values("sph", "flip"),
                         [](const auto& info) { return info.param; });

/// A tank that is full to its lid and cuts the cells of FLIP's grid. Carried along with 0.5 m/s its water has
/// that velocity, from the first step on. Turned with 2 rad/s it stays free of rotation: in a square the
/// angular momentum is 0.157 of rigid rotation's (the series of Saint-Venant's torsion, Lamb sec. 72); ten
/// cells blur it a little.
TEST(MovingWalls, AFullTankCarriesItsFlipWater) {
  const auto carried = [](const std::string& motion) {
    return Played(scene(
        R"("particleRadius": 0.01, "gravitation": [0, 0, 0], "endTime": 1, "maxTimeStepSize": 0.01)",
        R"({"name": "water", "type": "flip", "bodies": [{"name": "all", "shape": "box",
                            "start": [-0.2, -0.2, 0], "end": [0.2, 0.2, 0.1]}]})",
        R"({"shape": "box", "low": [-0.2, -0.2, 0], "high": [0.2, 0.2, 0.1], "motion": )" + motion + "}"));
  };
  Played moved = carried(R"({"velocity": [0.5, 0, 0]})");
  const double mass = 2000 * 8e-3;
  double fastest = 0, least = 1;
  moved.until(0.2, [&](const StepStatistics& row) {
    fastest = std::max(fastest, row["max_speed"]);
    least = std::min(least, row["momentum_x"] / mass);
  });
  note("carried along: velocities %.4f to %.4f m/s of 0.5\n", least, fastest);
  EXPECT_LT(fastest, 0.505);
  EXPECT_GT(least, 0.495);

  Played turned = carried(R"({"angularVelocity": [0, 0, 2]})");
  double spin = 0;
  turned.until(0.05, [&](const StepStatistics& row) {
    spin = row["angular_momentum_z"] / (mass * 0.4 * 0.4 / 6 * 2);
  });
  note("turned: angular momentum %.3f of rigid rotation's\n", spin);
  EXPECT_GT(spin, 0.14);
  EXPECT_LT(spin, 0.23);
}

/// A paddle that turns in the middle of a round basin takes the water along and has none of it inside; what
/// it gives is the water's angular momentum (free slip at the basin, so nothing takes it back).
TEST(MovingWalls, PaddleDragsWater) {
  Played run(
      scene(R"("particleRadius": 0.006, "endTime": 1, "maxTimeStepSize": 0.001)",
            R"({"name": "water", "type": "sph", "soundSpeed": 15, "bodies": [
                    {"name": "here", "shape": "box", "start": [-0.066, 0.012, 0], "end": [0.066, 0.072, 0.06]},
                    {"name": "there", "shape": "box", "start": [-0.066, -0.072, 0], "end": [0.066, -0.012, 0.06]}]})",
            R"({"shape": "cylinder", "name": "basin", "point": [0, 0, 0], "axis": [0, 0, 1], "radius": 0.1},
                   {"shape": "plane", "name": "floor", "point": [0, 0, 0], "normal": [0, 0, 1]},
                   {"shape": "box", "name": "paddle", "inside": false, "low": [-0.05, -0.012, -0.1],
                    "high": [0.05, 0.012, 0.2], "motion": {"angularVelocity": [0, 0, 6], "rampTime": 0}})"));
  double given = 0, by_all = 0;
  run.until(0.5, [&](const StepStatistics& row) {
    given -= row.dt * row["wall_paddle_torque_z"];
    for (const char* wall : {"paddle", "basin", "floor"})
      by_all -= row.dt * row["wall_" + std::string(wall) + "_torque_z"];
  });
  const double spin = run.last["angular_momentum_z"];
  const FrameData frame = run.simulation->frame();
  const double mass = 1000 * std::pow(0.012, 3) * double(frame.position.size()), angle = 6 * 0.5;
  note("spin %.2f of rigid rotation, given %.5f, has %.5f\n", spin / (0.5 * mass * 0.09 * 0.09 * 6), given,
       spin);
  EXPECT_GT(spin, 0.1 * 0.5 * mass * 0.09 * 0.09 * 6);
  EXPECT_NEAR(given, spin, 0.1 * spin);
  EXPECT_NEAR(by_all, spin, 0.01 * spin);
  double deepest = 0;
  for (const Float3& p : frame.position) {
    const double x = std::cos(angle) * p[0] + std::sin(angle) * p[1],
                 y = -std::sin(angle) * p[0] + std::cos(angle) * p[1];
    deepest = std::max(deepest, std::min(0.05 - std::abs(x), 0.012 - std::abs(y)));
  }
  EXPECT_LT(deepest, 1e-5);
}

/// A run that is resumed in the middle of a motion is the run that was not stopped, to the bit.
TEST(MovingWalls, ResumesBitExact) {
  const std::string text = scene(
      R"("particleRadius": 0.008, "endTime": 1, "maxTimeStepSize": 0.001, "statisticsInterval": 7)",
      water("sph", viscous) + "," + R"({"name": "solid", "type": "elasticSph", "bodies": [{"name": "block",
              "shape": "box", "start": [0.03, 0.01, 0.09], "end": [0.09, 0.07, 0.13], "density0": 700,
              "youngsModulus": 1e5, "poissonRatio": 0.3}]})",
      R"({"shape": "box", "name": "tank", "low": [0, 0, 0], "high": [0.16, 0.08, 0.3], "friction": 0.2,
                "noSlip": true, "motion": {"amplitude": [0.01, 0, 0.002], "rotationAmplitude": [0, 0.1, 0],
                "frequency": 5, "centre": [0.08, 0.04, 0], "keyFrames": [{"time": 0}, {"time": 0.01},
                {"time": 0.03, "position": [0.01, 0, 0]}]}})");
  const auto state_after = [&](bool stop) {
    auto run = std::make_unique<Played>(text);
    for (int k = 0; k < 40; ++k) {
      if (stop && k == 17) {
        const StateArchive archive = run->simulation->save();
        run = std::make_unique<Played>(text);
        run->simulation->load(archive);
      }
      run->last = run->simulation->advance(1, k % 7 == 6);
    }
    return std::pair{run->simulation->frame(), run->simulation->step(1)["wall_tank_force_x"]};
  };
  const auto whole = state_after(false), resumed = state_after(true);
  EXPECT_EQ(whole.first.position, resumed.first.position);
  EXPECT_EQ(whole.first.velocity, resumed.first.velocity);
  EXPECT_EQ(whole.second, resumed.second);
}

}  // namespace moving_walls_test
MERGANSER_END
