/// Shapes and sheets: counts and volumes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "device/errors.h"
#include "solvers/geometry/sampling/rigid_placement.h"
#include "solvers/geometry/sampling/shapes.h"
#include "solvers/geometry/sampling/sheet.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace sampling_test {

using std::numbers::pi;
using test::cube;

TEST(Sampling, BoxOfWholeSpacingsIsFilledExactly) {
  const auto points = sample_box({0, 0, 0}, {1, 0.5, 0.3}, {.spacing = 0.1});
  ASSERT_EQ(points.size(), 10u * 5u * 3u);
  EXPECT_NEAR(points.front()[0], 0.05, 1e-6);
  EXPECT_NEAR(points.back()[2], 0.25, 1e-6);
}

/// A lattice estimates a volume with an error of about surface * spacing / sqrt(points near the surface); 1 %
/// is ample here.
TEST(Sampling, CurvedShapesHoldTheirVolume) {
  const double s = 0.02, v = s * s * s;
  for (Packing packing : {Packing::cubic, Packing::hexagonal}) {
    const Sampling sampling{.spacing = s, .packing = packing};
    EXPECT_NEAR(sample_sphere({0.1, 0, 0}, 0.5, sampling).size() * v, 4 * pi / 3 * 0.125, 0.01 * 0.52);
    EXPECT_NEAR(sample_cylinder({0, 0, 0}, {0.3, 0.6, 0.2}, 0.25, sampling).size() * v, pi * 0.0625 * 0.7,
                0.01 * 0.1374);
    EXPECT_NEAR(sample_torus({0, 0, 0}, {0, 0, 1}, 0.5, 0.2, sampling).size() * v, 2 * pi * pi * 0.5 * 0.04,
                0.01 * 0.395);
  }
  const double half_shell = 2 * pi / 3 * (0.125 - 0.064);
  EXPECT_NEAR(sample_bowl({0, 0, 0}, 0.5, 0.1, 0.5, {.spacing = s}).size() * v, half_shell,
              0.02 * half_shell);
}

/// Inside a close packing every particle has twelve neighbors at the distance a = 2^(1/6) spacing and none
/// nearer, whatever part of a row's pitch is left over at the sides of the box.
TEST(Sampling, HexagonalPackingIsClose) {
  const double spacing = 0.1, a = spacing * std::pow(2.0, 1.0 / 6.0);
  for (double side : {0.80, 0.83, 0.86, 0.89}) {
    const auto points = sample_box({0, 0, 0}, {side, side + 0.07, side + 0.03},
                                   {.spacing = spacing, .packing = Packing::hexagonal});
    int whole = 0;
    for (const Float3& p : points) {
      int touching = 0;
      double nearest = 1;
      for (const Float3& q : points) {
        const double d = std::hypot(double(p[0]) - q[0], double(p[1]) - q[1], double(p[2]) - q[2]);
        if (d > 0) nearest = std::min(nearest, d);
        touching += d > 0 && d < 1.01 * a;
      }
      EXPECT_NEAR(nearest, a, 1e-5 * a);  // float coordinates
      whole += touching == 12;
    }
    EXPECT_GE(whole, 4 * 4 * 4) << side;  // all but the outermost layers
  }
}

TEST(Sampling, RefusesWhatIsTooLargeBeforeTakingMemory) {
  try {
    sample_box({0, 0, 0}, {1, 1, 1}, {.spacing = 1e-6});
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("at most 2e9"), std::string::npos) << message;
    EXPECT_NE(message.find("raise particleRadius"), std::string::npos) << message;
  }
  EXPECT_THROW(sample_mesh(cube(), {.spacing = 1e-6}), InputError);
  EXPECT_THROW(make_sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1e-9), InputError);
}

TEST(Sampling, JitterIsKeyedAndBounded) {
  const Sampling plain{.spacing = 0.1}, jittered{.spacing = 0.1, .jitter = 0.2, .seed = 3};
  const auto a = sample_box({0, 0, 0}, {1, 1, 1}, plain), b = sample_box({0, 0, 0}, {1, 1, 1}, jittered);
  EXPECT_EQ(b, sample_box({0, 0, 0}, {1, 1, 1}, jittered));
  ASSERT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < 3; ++k) largest = std::max(largest, std::abs(double(a[i][k]) - b[i][k]));
  EXPECT_GT(largest, 0.015);
  EXPECT_LE(largest, 0.0201);
}

TEST(Sampling, SheetHasItsAreaAndBorder) {
  const Sheet sheet = make_sheet({-1, 0, 2}, {2, 0, 0}, {0, 1, 0}, 0.1);
  EXPECT_EQ(sheet.nu, 21);
  EXPECT_EQ(sheet.nv, 11);
  EXPECT_NEAR(std::accumulate(sheet.area.begin(), sheet.area.end(), 0.0), 2, 1e-12);
  EXPECT_EQ(std::accumulate(sheet.border.begin(), sheet.border.end(), 0), 2 * 21 + 2 * 9);
  EXPECT_EQ(sheet.triangles.size(), 400u);
  EXPECT_THROW(make_sheet({0, 0, 0}, {1, 0, 0}, {2, 0, 0}, 0.1), InputError);
  EXPECT_THROW(make_sheet({0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, 0.1),
               InputError);  // would not be at rest: springs of a right angle
}

Point3 turned(const Rotation3& r, const Point3& x) { return RigidPlacement{r}(x); }

/// Quarter turns between axes are exact, so that a copy's particles are a lattice again.
TEST(RigidPlacement, QuarterTurnsAreExact) {
  const Rotation3 r = smallest_rotation({0, 0, 1}, {3, 0, 0});
  EXPECT_EQ(turned(r, {0, 0, 1}), (Point3{1, 0, 0}));
  EXPECT_EQ(turned(r, {0.5, 0.25, 2}), (Point3{2, 0.25, -0.5}));
}

TEST(RigidPlacement, SmallestRotationsAreProperAndTurnOneDirectionIntoTheOther) {
  for (const Point3& to : {Point3{0.3, -0.2, 0.9}, Point3{0, 0, -2}, Point3{1e-5, 0, -1}, Point3{0, 0, 1}}) {
    const Rotation3 r = smallest_rotation({0, 0, 1}, to);
    const double length = std::sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    const Point3 x = turned(r, {1, 0, 0}), y = turned(r, {0, 1, 0}), z = turned(r, {0, 0, 1});
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(z[k], to[k] / length, 1e-9);
    EXPECT_NEAR(x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                    x[2] * (y[0] * z[1] - y[1] * z[0]),
                1, 1e-9);
    EXPECT_NEAR(x[0] * y[0] + x[1] * y[1] + x[2] * y[2], 0, 1e-9);
  }
}

TEST(RigidPlacement, MovesBetweenPlaces) {
  const RigidPlacement a{rotation_about({1, 2, 3}, 0.7), {1, 2, 3}},
      b{rotation_about({-1, 0, 2}, 2.1), {-4, 0, 1}};
  const Point3 x{0.3, -0.5, 0.2}, wanted = b(x), found = moved_between(a, b)(a(x));
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], wanted[k], 1e-12);
}

}  // namespace sampling_test
}  // namespace merganser
