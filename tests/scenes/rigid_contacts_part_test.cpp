/// Contacts of rigid bodies press and never pull: bodies tip, topple and slide past each other, and lie still
/// where they should.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backend.h"
#include "device/vector_math.h"
#include "tests/support/played_scene.h"

MERGANSER_BEGIN
namespace rigid_contacts_part_test {

std::string point(double x, double y, double z) {
  return "[" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + "]";
}
std::string box(const std::string& name, const std::string& low, const std::string& high) {
  return R"({"name": ")" + name + R"(", "shape": "box", "start": )" + low + R"(, "end": )" + high +
         R"(, "density0": 1000})";
}
/// A block that touches a base, particles 1 cm apart, steps of 1 ms, no restitution; gravity turned by `tilt`
/// [rad].
struct OnBase {
  OnBase(const std::string& base, const std::string& block, const std::string& wall, double tilt = 0)
      : run(R"({"title": "contact", "simulation": {"particleRadius": 0.005, "endTime": 9, "timeStepSize": 0.001,
      "gravitation": )" +
            point(9.81 * std::sin(tilt), 0, -9.81 * std::cos(tilt)) +
            R"(}, "coupling": {"alpha": 0, "beta": 0}, "systems": [{"name": "bodies", "type": "rigid", "bodies": [)" +
            base + ", " + block + "]}], \"walls\": [" + wall + "]}") {}
  /// Mean place of a body's particles.
  Vec3d centre(int body) {
    const FrameData frame = run.simulation->frame();
    Vec3d sum{0, 0, 0};
    int count = 0;
    for (size_t i = 0; i < frame.body.size(); ++i)
      if (frame.body[i] == body) {
        sum += Vec3d{frame.position[i][0], frame.position[i][1], frame.position[i][2]};
        ++count;
      }
    return (1.0 / count) * sum;
  }
  /// How far the block and the base move until `time`.
  void until(double time) {
    const Vec3d base_before = centre(0), block_before = centre(1);
    run.until(time);
    base = centre(0) - base_before;
    block = centre(1) - block_before;
  }
  Played run;
  Vec3d base{0, 0, 0}, block{0, 0, 0};  ///< [m]
};
std::string floor_plane(double friction) {
  return R"({"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "friction": )" +
         std::to_string(friction) + "}";
}

/// The centre of mass of the block lies 3 cm beyond the edge of the plank, which is heavier.
TEST(RigidContactsPart, ABlockTipsOverAnEdge) {
  OnBase scene(box("plank", point(-0.1, -0.05, 0), point(0.1, 0.05, 0.04)),
               box("block", point(0.08, -0.05, 0.04), point(0.18, 0.05, 0.08)), floor_plane(0.5));
  scene.until(0.4);
  EXPECT_LT(scene.block.z, -0.015);
  EXPECT_LT(norm(scene.base), 1e-3);
}

/// A column 4 by 10 cm topples when it is tilted by more than about 17 degrees, and stands by less.
TEST(RigidContactsPart, AColumnTopplesPastItsAngle) {
  for (const double degrees : {10.0, 25.0}) {
    OnBase scene(box("plate", point(-0.1, -0.05, 0), point(0.1, 0.05, 0.02)),
                 box("column", point(-0.02, -0.05, 0.02), point(0.02, 0.05, 0.12)), floor_plane(2),
                 degrees * 3.14159265358979 / 180);
    scene.until(0.3);
    if (degrees < 17)
      EXPECT_LT(norm(scene.block), 1e-4);
    else
      EXPECT_GT(scene.block.x, 0.02);
    EXPECT_LT(norm(scene.base), 1e-3) << degrees;
  }
}

/// A block that touches another one's side falls freely, by g t^2/2 and half a step more.
TEST(RigidContactsPart, NothingHoldsABlockByItsSide) {
  OnBase scene(box("tower", point(-0.05, -0.05, 0), point(0.05, 0.05, 0.2)),
               box("block", point(0.05, -0.03, 0.12), point(0.11, 0.03, 0.18)), floor_plane(0.5));
  scene.until(0.12);
  EXPECT_NEAR(scene.block.z, -0.5 * 9.81 * 0.12 * 0.121, 1e-4);
  EXPECT_LT(norm(scene.base), 1e-4);
}

/// On a wall narrower than the plank, whose edges lie between particles, both lie still.
TEST(RigidContactsPart, APlankLiesStillOnANarrowWall) {
  OnBase scene(
      box("plank", point(-0.2, -0.05, 0), point(0.2, 0.05, 0.02)),
      box("block", point(-0.05, -0.05, 0.02), point(0.05, 0.05, 0.06)),
      R"({"shape": "box", "inside": false, "low": [-0.1, -0.05, -0.1], "high": [0.1, 0.05, 0], "friction": 0.5})");
  scene.until(0.5);
  EXPECT_LT(norm(scene.block), 1e-4);
  EXPECT_LT(norm(scene.base), 1e-4);
  EXPECT_LT(scene.run.last["max_speed"], 1e-4);
}

}  // namespace rigid_contacts_part_test
MERGANSER_END
