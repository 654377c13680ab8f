/// Signed distances, contact response and periodic wrapping against closed forms.
#include "solvers/geometry/walls/wall.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/coupling/boundary/wall_contact.h"
#include "solvers/coupling/boundary/wrap_positions.h"
#include "tests/support/asked_walls.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace wall_test {

/// Distances equal `expected(x)` and normals its central difference, in double; away from edges where it has
/// a kink.
template <class Expected>
void expect_distance(const WallParameters& wall, const Expected& expected) {
  const auto points = random_points(500, 4);
  const auto found = nearest_surfaces(Walls({wall}), points);
  int normals = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3d x = to_double(points[i]);
    ASSERT_NEAR(found[i].distance, expected(x), 2e-6);
    const double e = 1e-4;
    const Vec3d slope{(expected(x + Vec3d{e, 0, 0}) - expected(x - Vec3d{e, 0, 0})) / (2 * e),
                      (expected(x + Vec3d{0, e, 0}) - expected(x - Vec3d{0, e, 0})) / (2 * e),
                      (expected(x + Vec3d{0, 0, e}) - expected(x - Vec3d{0, 0, e})) / (2 * e)};
    if (std::abs(norm(slope) - 1) > 1e-3) continue;  // a kink
    ++normals;
    ASSERT_LT(norm(to_double(found[i].normal) - slope), 2e-3);
  }
  EXPECT_GT(normals, 450);
}

TEST(Walls, Plane) {
  expect_distance({.shape = WallShape::plane, .point = {0.1, 0.2, 0.3}, .direction = {0, 3, 4}},
                  [](const Vec3d& x) { return (x.y - 0.2) * 0.6 + (x.z - 0.3) * 0.8; });
}
TEST(Walls, SphereInsideAndOutside) {
  const auto distance = [](const Vec3d& x) { return norm(x - Vec3d{0.1, -0.2, 0.3}); };
  expect_distance({.shape = WallShape::sphere, .inside = true, .point = {0.1, -0.2, 0.3}, .radius = 1.1},
                  [&](const Vec3d& x) { return 1.1 - distance(x); });
  expect_distance({.shape = WallShape::sphere, .inside = false, .point = {0.1, -0.2, 0.3}, .radius = 0.8},
                  [&](const Vec3d& x) { return distance(x) - 0.8; });
}
TEST(Walls, CylinderInsideAndOutside) {
  const Vec3d axis = normalized_or_zero(Vec3d{1, 2, -1});
  const auto distance = [&](const Vec3d& x) { return norm(cross(x - Vec3d{0.1, 0, 0}, axis)); };
  expect_distance({.shape = WallShape::cylinder,
                   .inside = true,
                   .point = {0.1, 0, 0},
                   .direction = {1, 2, -1},
                   .radius = 1},
                  [&](const Vec3d& x) { return 1 - distance(x); });
  expect_distance({.shape = WallShape::cylinder,
                   .inside = false,
                   .point = {0.1, 0, 0},
                   .direction = {1, 2, -1},
                   .radius = 1},
                  [&](const Vec3d& x) { return distance(x) - 1; });
}
TEST(Walls, TankAndObstacle) {
  expect_distance({.shape = WallShape::box, .inside = true, .low = {-1, -1.2, -0.8}, .high = {1.1, 1, 1.3}},
                  [](const Vec3d& x) {
                    return std::min({x.x + 1, 1.1 - x.x, x.y + 1.2, 1 - x.y, x.z + 0.8, 1.3 - x.z});
                  });
  expect_distance(
      {.shape = WallShape::box, .inside = false, .low = {-1, -0.5, -0.25}, .high = {1, 0.5, 0.25}},
      [](const Vec3d& x) {
        const Vec3d over{std::abs(x.x) - 1, std::abs(x.y) - 0.5, std::abs(x.z) - 0.25};
        const Vec3d gap{std::max(over.x, 0.0), std::max(over.y, 0.0), std::max(over.z, 0.0)};
        return norm(gap) + std::min(0.0, std::max({over.x, over.y, over.z}));
      });
}
TEST(Walls, CentreOfARoundWallHasANormal) {
  for (WallShape shape : {WallShape::sphere, WallShape::cylinder}) {
    const auto at = nearest_surfaces(
        Walls({{.shape = shape, .point = {1, 2, 3}, .direction = {0, 0, 1}, .radius = 0.5}}), {{1, 2, 3}});
    EXPECT_FLOAT_EQ(at[0].distance, 0.5f);
    EXPECT_FLOAT_EQ(norm(at[0].normal), 1);
  }
}
TEST(Walls, DegenerateWallsAreErrors) {
  EXPECT_THROW(Walls({{.shape = WallShape::plane, .direction = {0, 0, 0}}}), InputError);
  EXPECT_THROW(Walls({{.shape = WallShape::sphere, .radius = 0}}), InputError);
  EXPECT_THROW(Walls({{.shape = WallShape::box, .low = {0, 0, 0}, .high = {1, 1, 0}}}), InputError);
}

/// One particle of radius 0.1 after the contact response.
struct Ball {
  Vec3 position, velocity;
  float inverse_mass = 1;
};
Ball resolve(Ball ball, const std::vector<WallParameters>& parameters, bool use_radius = true) {
  const Walls walls(parameters);
  Array<Vec3> position(std::vector<Vec3>{ball.position}), velocity(std::vector<Vec3>{ball.velocity});
  Array<float> radius(std::vector<float>{0.1f}), inverse_mass(std::vector<float>{ball.inverse_mass});
  launch(1, ResolveWallContact<>{.walls = walls.view(),
                                 .range = {0, 1},
                                 .radius = radius.const_view(),
                                 .inverse_mass = inverse_mass.const_view(),
                                 .position = position.view(),
                                 .velocity = velocity.view(),
                                 .use_radius = use_radius});
  return {position.to_host()[0], velocity.to_host()[0], ball.inverse_mass};
}
void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_LT(norm(a - b), 1e-6f) << a.x << " " << a.y << " " << a.z;
}

TEST(WallContact, RestitutionAndCoulombFriction) {
  WallParameters floor{
      .shape = WallShape::plane, .direction = {0, 0, 1}, .friction = 0.25, .restitution = 0.5};
  // Sliding: |u_t| loses mu (1 + e) |u_n| = 0.25 * 1.5 * 2 = 0.75 of 5; u_n = -2 turns to 1.
  Ball ball = resolve({{0, 0, 0.05f}, {3, 4, -2}}, {floor});
  expect_near(ball.position, {0, 0, 0.1f});
  expect_near(ball.velocity, {3 * 4.25f / 5, 4 * 4.25f / 5, 1});
  // Sticking: 0.75 is more than the tangential speed.
  expect_near(resolve({{0, 0, 0.05f}, {0.3f, 0.4f, -2}}, {floor}).velocity, {0, 0, 1});
  // Relative to a moving wall.
  floor.velocity = {1, 0, 0};
  expect_near(resolve({{0, 0, 0.05f}, {1.3f, 0.4f, -2}}, {floor}).velocity, {1, 0, 1});
}
TEST(WallContact, LeavingOrDistantOrImmobileParticlesKeepTheirVelocity) {
  const WallParameters floor{
      .shape = WallShape::plane, .direction = {0, 0, 1}, .friction = 1, .restitution = 1};
  expect_near(resolve({{0, 0, 0.05f}, {1, 0, 2}}, {floor}).velocity, {1, 0, 2});
  expect_near(resolve({{0, 0, 0.11f}, {1, 0, -2}}, {floor}).velocity, {1, 0, -2});
  const Ball pinned = resolve({{0, 0, -1}, {1, 0, -2}, 0}, {floor});
  expect_near(pinned.position, {0, 0, -1});
  expect_near(pinned.velocity, {1, 0, -2});
}
TEST(WallContact, FluidsAreOnlyPutBackFromBehindTheSurface) {
  const WallParameters floor{.shape = WallShape::plane, .direction = {0, 0, 1}};
  expect_near(resolve({{0, 0, 0.05f}, {0, 0, -1}}, {floor}, false).velocity, {0, 0, -1});
  const Ball behind = resolve({{0, 0, -0.05f}, {1, 0, -1}}, {floor}, false);
  expect_near(behind.position, {0, 0, 0});
  expect_near(behind.velocity, {1, 0, 0});
}
TEST(WallContact, CornerOfATank) {
  const WallParameters tank{.shape = WallShape::box, .low = {0, 0, 0}, .high = {1, 1, 1}, .restitution = 1};
  const Ball ball = resolve({{-0.2f, 1.3f, 0.05f}, {-1, 2, -3}}, {tank});
  expect_near(ball.position, {0.1f, 0.9f, 0.1f});
  expect_near(ball.velocity, {1, -2, 3});
}

TEST(WrapPositions, BringsCoordinatesBack) {
  Array<Vec3> position(
      std::vector<Vec3>{{-0.1f, 5, 1.25f}, {1.0f, -5, 3.1f}, {0.999f, 0, 1.0f}, {-1e-9f, 0, 2.5f}});
  launch(4, WrapPositions{{0, 0, 1}, {1, 0, 1}, position.view()});
  const auto x = position.to_host();
  expect_near(x[0], {0.9f, 5, 1.25f});
  expect_near(x[1], {0, -5, 1.1f});
  expect_near(x[2], {0.999f, 0, 1});
  expect_near(x[3], {0, 0, 1.5f});
  for (const Vec3& p : x) EXPECT_TRUE(p.x >= 0 && p.x < 1 && p.z >= 1 && p.z < 2);
}

}  // namespace wall_test
MERGANSER_END
