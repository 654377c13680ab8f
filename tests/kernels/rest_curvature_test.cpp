/// Curvature of solids by the ellipsoids of their bodies.
#include "solvers/methods/dfsph/rest_curvature.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/coupled_scene.h"

MERGANSER_BEGIN
namespace rest_curvature_test {

/// Minus what rest_curvatures() tells of a system with one body at these places, of spacing d.
std::vector<float> curvatures(const std::vector<Float3>& places, double d, const Point3& period = {0, 0, 0}) {
  InitialState initial;
  initial.periodic_length = period;
  SystemState solid;
  solid.position = places;
  solid.radius.assign(places.size(), static_cast<float>(0.5 * d));
  solid.body.assign(places.size(), 0);
  std::vector<float> found = rest_curvatures(initial, solid).to_host();
  for (float& c : found) c = -c;
  return found;
}

/// A body of places of a lattice of spacing d for which `inside` holds.
template <class Inside>
std::vector<Float3> lattice(double reach, double d, const Inside& inside) {
  std::vector<Float3> places;
  const int n = static_cast<int>(reach / d) + 1;
  for (int k = -n; k <= n; ++k)
    for (int j = -n; j <= n; ++j)
      for (int i = -n; i <= n; ++i)
        if (const Vec3d x{(i + 0.5) * d, (j + 0.5) * d, (k + 0.5) * d}; inside(x))
          places.push_back({float(x.x + 3), float(x.y - 2), float(x.z + 1)});
  return places;
}

/// A ball of three spacings a radius holds 136 places of the lattice, whose volume is that of a larger one.
TEST(RestCurvature, OfABallIsOneOverItsRadius) {
  constexpr double a = 0.05;
  for (const double spacings : {3.0, 8.0}) {
    const double d = a / spacings;
    const auto places = lattice(a, d, [&](const Vec3d& x) { return dot(x, x) < a * a; });
    const double of_volume = std::cbrt(double(places.size()) * 3 / (4 * 3.14159265358979)) * d;
    for (const float c : curvatures(places, d)) EXPECT_NEAR(c * of_volume, 1, 0.03);
  }
}

/// x^2/a^2 + y^2/b^2 + z^2/c^2 = 1 has (c/a^2 + c/b^2)/2 where it meets the z axis, and so on (do Carmo 1976,
/// sec. 3-3).
TEST(RestCurvature, OfAnEllipsoidIsTheClosedForm) {
  constexpr double a = 1, b = 0.7, c = 0.4, d = 0.04;
  const auto places = lattice(a, d, [](const Vec3d& x) {
    return x.x * x.x / (a * a) + x.y * x.y / (b * b) + x.z * x.z / (c * c) < 1;
  });
  const auto found = curvatures(places, d);
  int seen = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const double x = places[i][0] - 3, y = places[i][1] + 2, z = places[i][2] - 1, off = 0.55 * d;
    const bool near_x = std::abs(x) < off, near_y = std::abs(y) < off, near_z = std::abs(z) < off;
    double expected = 0;
    if (near_x && near_y && z > 0.8 * c) expected = (c / (a * a) + c / (b * b)) / 2;
    if (near_x && near_z && y > 0.8 * b) expected = (b / (a * a) + b / (c * c)) / 2;
    if (near_y && near_z && x > 0.8 * a) expected = (a / (b * b) + a / (c * c)) / 2;
    if (expected == 0) continue;
    EXPECT_NEAR(found[i], expected, 0.06 * expected);
    ++seen;
  }
  EXPECT_GE(seen, 12);
}

/// Of a sheet far from its rims it is next to nothing, and nothing where it has none.
TEST(RestCurvature, OfSheetsIsThatOfTheirRims) {
  constexpr double d = 0.1;
  const auto sheet = lattice(
      2, d, [](const Vec3d& x) { return std::abs(x.x) < 2 && std::abs(x.y) < 2 && std::abs(x.z) < 0.1; });
  const auto open = curvatures(sheet, d), endless = curvatures(sheet, d, {4, 4, 0});
  for (size_t i = 0; i < sheet.size(); ++i) {
    if (std::hypot(sheet[i][0] - 3, sheet[i][1] + 2) < 0.3) {
      EXPECT_LT(open[i], 0.05 / d);
    }
    EXPECT_GT(open[i], 0);
    EXPECT_FLOAT_EQ(endless[i], 1e-3f);
  }
}

}  // namespace rest_curvature_test
MERGANSER_END
