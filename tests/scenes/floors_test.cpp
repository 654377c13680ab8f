/// Every solver on every kind of floor: a tank that is a closed form, and the same as a closed mesh; at rest,
/// swinging, and lifted by key frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/note.h"
#include "tests/support/played_scene.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/unit_cube.h"

MERGANSER_BEGIN
namespace floors_test {

constexpr double g = 9.81, pi = 3.14159265358979, radius = 0.0075, spacing = 2 * radius;

/// How a floor moves: upwards, by a whole number of periods or of pauses within the times that are averaged.
struct FloorMotion {
  const char *name, *keys;
  double (*height)(double time);  ///< [m] above where it was
};
double stays(double) { return 0; }
double swings(double time) { return 0.003 * std::sin(2 * pi * 4 * time); }
/// Smooth between key frames.
double lifts(double time) {
  const double s = std::clamp(time / 0.3, 0.0, 1.0);
  return 0.03 * s * s * (3 - 2 * s);
}
const FloorMotion motions[] = {
    {"still", "", stays},
    {"sinusoid", R"(, "motion": {"amplitude": [0, 0, 0.003], "frequency": 4})", swings},
    {"keyFrames",
     R"(, "motion": {"keyFrames": [{"time": 0}, {"time": 0.3, "position": [0, 0, 0.03]}], "interpolation": "smooth"})",
     lifts}};

/// What lies on it, and what is known of it.
struct OnFloor {
  const char *solver, *body;  ///< a body of 0.09 x 0.09 m, its lower side on the floor
  bool fluid;
  double force;   ///< the mean force is the weight and what changes its momentum, to this share of the weight
  double sways;   ///< [spacings] that the mean height above the floor changes by while the floor moves
  double agrees;  ///< [spacings] between the mean heights on both forms of the floor
  const char* keys = "";  ///< of the system, each with a comma behind it
};
const char* const block =
    R"("shape": "box", "start": [0.0151, 0.0151, 0], "end": [0.1049, 0.1049, 0.06], "density0": 1000)";
const char* const sheet =
    R"("shape": "sheet", "origin": [0.015, 0.015, 0.0075], "edgeU": [0.09, 0, 0], "edgeV": [0, 0.09, 0], "arealDensity": 1, "stretchStiffness": 2000, "shearStiffness": 1000, "bendingStiffness": 0.001)";
const char* const pool = R"("shape": "box", "start": [0, 0, 0], "end": [0.12, 0.12, 0.12])";
const OnFloor all_solvers[] = {
    {"sph", pool, true, 0.02, 0.1, 0.1,
     R"("viscosityModel": "laminar", "viscosity": 0.02, "soundSpeed": 12, )"},
    // Swinging 0.11 in the closed form, 0.29 in the mesh.
    {"dfsph", pool, true, 0.02, 0.35, 0.1, R"("viscosity": 0.002, "wallPressure": "mirrored", )"},
    // At rest 0.917, swinging 0.934, lifted 0.946: the grid has the surface of a lattice 2/3 of a spacing
    // low, of eight. Deeper water and water without a lattice: flip_wall_forces_test.cpp.
    {"flip", pool, true, 0.09, 0.1, 0.1},
    {"massSpring", sheet, false, 1e-3, 1e-3, 1e-3},
    {"peridynamics", block, false, 1e-3, 1e-3, 1e-3},
    {"elasticSph", block, false, 1e-3, 1e-3, 1e-3},
    {"rigid", block, false, 1e-3, 1e-3, 1e-3},
};

/// What a run says of it.
struct Lain {
  double force;         ///< mean, less what its momentum has changed by, over the weight
  double height;        ///< [spacings] mean of all particles above the floor, at the end
  double sways;         ///< [spacings] largest change of it from the time 0.1 s on
  double lowest = 1e9;  ///< [spacings] of all particles above the floor
};

Lain lie_on(const std::string& floor, const OnFloor& what, const FloorMotion& motion) {
  std::string stiffness;
  if (what.solver == std::string("elasticSph")) stiffness = R"(, "youngsModulus": 1e6, "poissonRatio": 0.3)";
  if (what.solver == std::string("peridynamics")) stiffness = R"(, "youngsModulus": 1e7)";
  Played run(played_scene(R"("particleRadius": 0.0075, "endTime": 1, "maxTimeStepSize": 0.001)",
                          std::string(R"({"name": "on", "type": ")") + what.solver + "\", " + what.keys +
                              R"("bodies": [{"name": "body", )" + what.body + stiffness + "}]}",
                          R"({"name": "floor", "friction": 0.3, )" + floor + motion.keys + "}"));
  const double mass = mass_of(run);
  Lain lain{};
  const auto speed = [&](double t) { return (motion.height(t + 1e-6) - motion.height(t - 1e-6)) / 2e-6; };
  double time = 0, impulse = 0, first = -1, begin = 0, end = 0;
  run.until(0.6, [&](const StepStatistics& row) {
    const double at = motion.height(row.time);
    double mean = 0;
    const auto positions = run.simulation->frame().position;
    for (const Float3& p : positions) {
      mean += (double(p[2]) - at) / spacing / double(positions.size());
      lain.lowest = std::min(lain.lowest, (double(p[2]) - at) / spacing);
    }
    lain.height = mean;
    if (row.time < 0.1) return;
    if (first < 0) first = mean, begin = row.time - row.dt;
    end = row.time;
    lain.sways = std::max(lain.sways, std::abs(mean - first));
    impulse -= row.dt * row["wall_floor_force_z"];
    time += row.dt;
  });
  lain.force = (impulse / mass - (speed(end) - speed(begin))) / time / g;
  return lain;
}

const char* const as_tank = R"("shape": "box", "low": [0, 0, 0], "high": [0.12, 0.12, 0.3])";

/// Between images, the default of tanks, water keeps its height: the lattice is 4 spacings high in the mean.
TEST(OnFloors, WaterBetweenImagesKeepsItsHeight) {
  const OnFloor water{"dfsph", pool, true, 0, 0, 0, R"("viscosity": 0.002, )"};
  for (const FloorMotion& motion : motions) {
    SCOPED_TRACE(motion.name);
    const Lain lain = lie_on(as_tank, water, motion);
    note("force %.4f of the weight, height %.4f, sways by %.4f spacings", lain.force, lain.height,
         lain.sways);
    EXPECT_NEAR(lain.force, 1, 1e-3);
    EXPECT_NEAR(lain.height, 4, 0.01);
    EXPECT_LT(lain.sways, 0.01);
  }
}

class OnAFloor : public testing::TestWithParam<std::tuple<OnFloor, FloorMotion>> {};
TEST_P(OnAFloor, LiesAndFollowsIt) {
  const auto& [what, motion] = GetParam();
  test::TemporaryFolder folder;
  test::write_text(folder / "tank.obj", test::cube_as_obj());
  const Lain box = lie_on(as_tank, what, motion),
             of_mesh = lie_on(R"("shape": "mesh", "scale": [0.12, 0.12, 0.3], "geometryFile": ")" +
                                  (folder / "tank.obj").string() + "\"",
                              what, motion);
  for (const Lain& lain : {box, of_mesh}) {
    note("%s %s: force %.4f of the weight, height %.4f, sways by %.4f, lowest %.4f spacings", what.solver,
         motion.name, lain.force, lain.height, lain.sways, lain.lowest);
    EXPECT_NEAR(lain.force, 1, what.force);
    EXPECT_LT(lain.sways, what.sways);
    EXPECT_GT(lain.lowest, what.fluid ? 0 : 0.49);
  }
  EXPECT_NEAR(of_mesh.height, box.height, what.agrees);
  EXPECT_NEAR(of_mesh.force, box.force, what.force);
}
INSTANTIATE_TEST_SUITE_P(Solvers, OnAFloor,
                         testing::Combine(testing::ValuesIn(all_solvers), testing::ValuesIn(motions)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).solver) + "_" +
                                  std::get<1>(info.param).name;
                         });

}  // namespace floors_test
MERGANSER_END
