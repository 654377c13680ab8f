/// Balls and cylinders that roll on walls, however they are sampled and whatever the walls are made of.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/made_meshes.h"
#include "tests/support/note.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace rolling_test {

constexpr double pi = 3.14159265358979, radius = 0.05, gravity = 9.81, slope = pi / 9;

std::string gravity_down_slope() {
  return "[" + std::to_string(gravity * std::sin(slope)) + ", 0, " +
         std::to_string(-gravity * std::cos(slope)) + "]";
}

/// A body of ten spacings across on these walls.
Played played(const std::string& body, const std::string& walls,
              const std::string& gravitation = gravity_down_slope()) {
  return Played(played_scene(
      R"("particleRadius": 0.005, "endTime": 2, "gravitation": )" + gravitation,
      R"({"name": "solid", "type": "rigid", "bodies": [{"name": "round", "density0": 1000, )" + body + "}]}",
      walls));
}

/// [m/s^2] along x over 0.5 s.
double acceleration(Played& run) {
  run.until(0.5);
  return run.last["momentum_x"] / mass_of(run) / run.last.time;
}

const std::string
    ball = R"("shape": "sphere", "centre": [0, 0, 0.05], "radius": 0.05)",
    cylinder = R"("shape": "cylinder", "start": [0, -0.06, 0.05], "end": [0, 0.06, 0.05], "radius": 0.05)",
    plane = R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.6})";

struct Rolling {
  const char* name;
  std::string body, walls;
  double inertia;  ///< over m r^2
};

class RollsDownAnIncline : public ::testing::TestWithParam<Rolling> {};

/// Without gliding g sin/(1 + I/(m r^2)): 5/7 of a ball, 2/3 of a cylinder. By their particles balls rolled
/// as polygons do and had 0.52 to 0.86 of it.
TEST_P(RollsDownAnIncline, AsARoundBody) {
  test::TemporaryFolder folder;
  const auto with_mesh = [&](std::string text, const char* file, const TriangleMesh& mesh) {
    if (const size_t at = text.find(file); at != std::string::npos) {
      test::write_text(folder / file, test::obj_text(mesh));
      text.replace(at, std::string(file).size(), (folder / file).string());
    }
    return text;
  };
  const Rolling& given = GetParam();
  Played run = played(with_mesh(given.body, "ball.obj", test::ball_mesh({0, 0, 0}, radius, 3)),
                      with_mesh(given.walls, "slab.obj", test::box_mesh({-0.5, -0.5, -0.2}, {1.5, 0.5, 0})));
  const double expected = gravity * std::sin(slope) / (1 + given.inertia), found = acceleration(run);
  note("%s: %g m/s^2, law %g\n", given.name, found, expected);
  EXPECT_NEAR(found, expected, 0.005 * expected);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RollsDownAnIncline,
    ::testing::Values(
        Rolling{"LatticeBall", ball, plane, 0.4},
        Rolling{"RelaxedBall", ball + R"(, "sampling": "relaxed")", plane, 0.4},
        Rolling{
            "MeshOfABall",
            R"("shape": "mesh", "geometryFile": "ball.obj", "sampling": "relaxed", "translation": [0, 0, 0.05])",
            plane, 0.4},
        Rolling{"LatticeCylinder", cylinder, plane, 0.5},
        Rolling{"RelaxedCylinder", cylinder + R"(, "sampling": "relaxed")", plane, 0.5},
        Rolling{
            "InATank", ball,
            R"({"shape": "box", "low": [-0.5, -0.5, 0], "high": [1.5, 0.5, 1], "inside": true, "friction": 0.6})",
            0.4},
        Rolling{
            "OnAnObstacle", ball,
            R"({"shape": "box", "low": [-0.5, -0.5, -0.2], "high": [1.5, 0.5, 0], "inside": false, "friction": 0.6})",
            0.4},
        Rolling{"OnAMesh", ball,
                R"({"shape": "mesh", "geometryFile": "slab.obj", "inside": false, "friction": 0.6})", 0.4},
        Rolling{"CylinderOnAMesh", cylinder,
                R"({"shape": "mesh", "geometryFile": "slab.obj", "inside": false, "friction": 0.6})", 0.5}),
    [](const auto& named) { return std::string(named.param.name); });

/// Between two planes that slope by asin 0.6 a ball touches both, 0.8 r from its axis of rotation:
/// g/(1 + 0.4/0.64).
TEST(Rolling, InAGroove) {
  const char* groove =
      R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0.6, 0.8], "friction": 0.6},
         {"shape": "plane", "point": [0, 0, 0], "normal": [0, -0.6, 0.8], "friction": 0.6})";
  Played run = played(R"("shape": "sphere", "centre": [0, 0, 0.0625], "radius": 0.05)", groove);
  const double expected = gravity * std::sin(slope) / (1 + 0.4 / 0.64);
  EXPECT_NEAR(acceleration(run), expected, 0.005 * expected);
}

/// In a bowl of radius B a ball swings with the period 2 pi sqrt(7 (B - r)/(5 g)), longer by angle^2/16, and
/// loses no energy.
TEST(Rolling, InABowl) {
  constexpr double bowl = 0.5, angle = 0.2, arm = bowl - radius;
  const std::string centre =
      std::to_string(arm * std::sin(angle)) + ", 0, " + std::to_string(bowl - arm * std::cos(angle));
  Played run =
      played(R"("shape": "sphere", "radius": 0.05, "sampling": "relaxed", "centre": [)" + centre + "]",
             R"({"shape": "sphere", "centre": [0, 0, 0.5], "radius": 0.5, "inside": true, "friction": 0.6})",
             "[0, 0, -9.81]");
  const double period = 2 * pi * std::sqrt(1.4 * arm / gravity) * (1 + angle * angle / 16);
  const auto energy_of = [](const StepStatistics& row) {
    return row["kinetic_energy"] + row["potential_energy"];
  };
  const double energy = energy_of(run.simulation->step(2));
  double turned_at = 0, before = -1;
  run.until(0.75 * period, [&](const StepStatistics& row) {
    const double now = row["momentum_x"];
    if (before < 0 && now >= 0) turned_at = row.time - row.dt * now / (now - before);
    before = now;
  });
  EXPECT_NEAR(turned_at, period / 2, 0.005 * period);
  const double swing = mass_of(run) * gravity * arm * (1 - std::cos(angle));
  EXPECT_NEAR(energy_of(run.last), energy, 0.01 * swing);
}

/// A cylinder on its end stands, and one that is let fall into a corner lies still there.
TEST(Rolling, RestsOnEndsAndInCorners) {
  Played standing = played(R"("shape": "cylinder", "start": [0, 0, 0], "end": [0, 0, 0.15], "radius": 0.05)",
                           plane, "[0, 0, -9.81]");
  standing.until(0.5);
  EXPECT_LT(standing.last["max_speed"], 1e-3);
  Played corner = played(
      R"("shape": "sphere", "centre": [0.2, 0.2, 0.2], "radius": 0.05, "velocity": [1, 1, 0])",
      R"({"shape": "box", "low": [-0.3, -0.3, 0], "high": [0.3, 0.3, 1], "inside": true, "friction": 0.3})",
      "[2, 2, -9.81]");
  corner.until(2);
  EXPECT_LT(corner.last["max_speed"], 1e-3);
  for (const Float3& x : corner.simulation->frame().position) {
    EXPECT_LT(x[0], 0.3f);
    EXPECT_LT(x[1], 0.3f);
    EXPECT_GT(x[2], 0.0f);
  }
}

}  // namespace rolling_test
MERGANSER_END
