/// Open faces, cell marks and the projection of a FLIP fluid.
#include <gtest/gtest.h>

#include "solvers/methods/flip/pressure_solver.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace flip_pressure_test {

TEST(FlipWalls, OpenShareOfATriangle) {
  EXPECT_EQ(positive_share(1, 2, 3), 1);
  EXPECT_EQ(positive_share(-1, -2, 0), 0);
  // Cut through the middles of two edges: a quarter of the area on the side of the corner alone.
  EXPECT_FLOAT_EQ(positive_share(1, -1, -1), 0.25f);
  EXPECT_FLOAT_EQ(positive_share(-1, 1, -1), 0.25f);
  EXPECT_FLOAT_EQ(positive_share(-1, -1, 1), 0.25f);
  EXPECT_FLOAT_EQ(positive_share(-1, 1, 1), 0.75f);
  EXPECT_FLOAT_EQ(positive_share(1, -1, 1), 0.75f);
  EXPECT_FLOAT_EQ(positive_share(1, 1, -1), 0.75f);
  EXPECT_FLOAT_EQ(positive_share(1, 0, 0), 1);  // the level runs along the opposite edge
}

struct Middle {
  float value;
  MERGANSER_METHOD float operator()() const { return value; }
};

/// The edge of a tank: three corners of a face lie in walls, its middle does not; the whole face is open. A
/// plane through the middles of two sides leaves half of it.
TEST(FlipWalls, OpenShareOfASquare) {
  for (int open = 0; open < 4; ++open) {
    const auto corner = [&](int k) { return k == open ? 1.0f : -1e-4f; };
    EXPECT_EQ(positive_share(corner(0), corner(1), corner(2), corner(3), 2e-4f, Middle{0.5f}), 1) << open;
  }
  EXPECT_FLOAT_EQ(positive_share(1, -1, 1, -1, 2e-4f, Middle{0}), 0.5f);
  EXPECT_FLOAT_EQ(positive_share(-1, -1, 1, 1, 2e-4f, Middle{0}), 0.5f);
  EXPECT_FLOAT_EQ(positive_share(2, 0, 0, -2, 2e-4f, Middle{0}), 0.5f);
  EXPECT_EQ(positive_share(1, 1, 1, 1, 2e-4f, Middle{-1}), 1) << "not looked at";
}

/// A gap one cell wide between walls in planes of the grid: all corners lie on walls, and the whole face is
/// open. Deep in a wall, or in its plane, it is closed.
TEST(FlipWalls, OpenShareOfAGapOneCellWide) {
  const float on = -1e-4f;
  EXPECT_EQ(positive_share(on, on, on, on, 2e-4f, Middle{0.5f}), 1);
  EXPECT_EQ(positive_share(on, on, on, on, 2e-4f, Middle{on}), 0);
  EXPECT_EQ(positive_share(on, on, -1, -1, 2e-4f, Middle{-0.5f}), 0);
  EXPECT_EQ(positive_share(-1, -1, -1, -1, 2e-4f, Middle{1}), 0) << "not looked at";
}

/// A face's part before two planes: the share of points that lie there.
TEST(FlipWalls, OpenShareBetweenTwoPlanes) {
  for (int draw = 0; draw < 40; ++draw) {
    const std::vector<Vec3> r = random_points(4, 2, draw);
    const auto plane = [&](int k, float x, float y) {
      return r[size_t(2 * k)].x * (x - 0.5f) + r[size_t(2 * k)].y * (y - 0.5f) + 0.3f * r[size_t(2 * k)].z;
    };
    CutSquare square;
    for (int k = 0; k < 2; ++k)
      square.keep_positive(plane(k, 0, 0), plane(k, 1, 0), plane(k, 0, 1), plane(k, 1, 1));
    constexpr int points = 200;
    int before = 0;
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j) {
        const float x = (float(i) + 0.5f) / points, y = (float(j) + 0.5f) / points;
        before += plane(0, x, y) > 0 && plane(1, x, y) > 0;
      }
    EXPECT_NEAR(square.area(), double(before) / (points * points), 0.01) << draw;
  }
}

/// Walls that stand on a floor in a plane of the grid close as much of the lowest layer's faces as of those
/// higher up: a round one, and a tank whose sides cut cells.
TEST(FlipWalls, FloorsLeaveSharesOfOtherWallsAsTheyAre) {
  const WallParameters floor{.shape = WallShape::plane, .point = {0, 0, 0.1}, .direction = {0, 0, 1}};
  const WallParameters round{.shape = WallShape::cylinder, .point = {0.6, 0.5, 0}, .radius = 0.37};
  const WallParameters tank{.shape = WallShape::box, .low = {0.213, 0.147, 0.1}, .high = {0.967, 0.852, 2}};
  for (const auto& parameters : {std::vector<WallParameters>{floor, round}, {tank}}) {
    const Walls walls(parameters);
    FlipPressure pressure;
    pressure.place({0, 0, 0}, {12, 10, 8}, 0.1f, walls.view());
    const FlipGrid& grid = pressure.grid();
    int cut = 0;
    for (int axis = 0; axis < 2; ++axis) {
      const std::vector<float> open = to_host(pressure.open().axis[axis]);
      for (int y = 1; y <= grid.cells.y; ++y)
        for (int x = 1; x <= grid.cells.x; ++x) {
          const float low = open[size_t(grid.flat(x, y, 2))], high = open[size_t(grid.flat(x, y, 5))];
          EXPECT_NEAR(low, high, 2e-2f) << axis << ": " << x << ", " << y;
          cut += high > 0 && high < 1;
        }
    }
    EXPECT_GT(cut, 10);
  }
}

struct ThroughClosedShares {
  static constexpr const char* name = "test closed flux";
  ClosedFlux<WallView> closed;
  int axis;
  View<const float> open;
  View<float> through;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = closed.grid.flat(x, y, z);
    through[c] = closed.through(axis, x, y, z, open[c]);
  }
};

/// A piston between a round wall and the floor that it stands on, both at rest: it carries along as much of
/// the lowest layer's faces as of those higher up.
TEST(FlipWalls, FloorsLeaveWhatAPistonCarriesAsItIs) {
  const WallParameters floor{.shape = WallShape::plane, .point = {0, 0, 0.1}, .direction = {0, 0, 1}};
  const WallParameters round{.shape = WallShape::cylinder, .point = {0.6, 0.5, 0}, .radius = 0.37};
  WallParameters piston{.shape = WallShape::plane, .point = {0.617, 0, 0}, .direction = {1, 0, 0}};
  piston.motion.velocity = {1, 0, 0};
  const Walls walls({floor, round, piston});
  FlipPressure pressure;
  pressure.place({0, 0, 0}, {12, 10, 8}, 0.1f, walls.view());
  const FlipGrid& grid = pressure.grid();
  Array<float> through(grid.box.count());
  const View<const float> open = pressure.open().axis[0];
  launch_cells(grid.cells, ThroughClosedShares{{grid, walls.view()}, 0, open, through.view()});
  const std::vector<float> flux = through.to_host();
  int cut = 0;
  for (int y = 1; y <= grid.cells.y; ++y)
    for (int x = 1; x <= grid.cells.x; ++x) {
      const float low = flux[size_t(grid.flat(x, y, 2))], high = flux[size_t(grid.flat(x, y, 5))];
      EXPECT_NEAR(low, high, 2e-2f) << x << ", " << y;
      cut += high > 0.01f && high < 0.99f;
    }
  EXPECT_GT(cut, 5);
}

struct ClearField {
  static constexpr const char* name = "test add change";
  View<const float> change;
  View<float> u;
  MERGANSER_METHOD void operator()(int i) const { u[i] += change[i]; }
};

/// A box of 12 x 10 x 8 cells of 0.1 m with random velocities on its faces.
struct Projection {
  FlipPressure pressure;
  FaceArrays<float> u;
  Array<Vec3> own, foreign;
  UniformGrid sorted_own, sorted_foreign;
  Walls walls;

  Projection(const std::vector<WallParameters>& wall_parameters, const std::vector<Vec3>& particles,
             const std::vector<Vec3>& others = {})
      : own(particles), foreign(others), walls(wall_parameters) {
    pressure.place({0, 0, 0}, {12, 10, 8}, 0.1f, walls.view());
    sorted_own.build(own.const_view(), 0.1f);
    if (!others.empty()) sorted_foreign.build(foreign.const_view(), 0.1f);
    pressure.mark(FlipFluids(sorted_own.view()), others.empty() ? UniformGridView{} : sorted_foreign.view(),
                  {}, walls.view(), 0.05f, pressure.open());
    const int count = pressure.grid().box.count();
    for (int a = 0; a < 3; ++a) {
      std::vector<float> values;
      for (const Vec3& p : random_points(count, 2, a)) values.push_back(p.x);
      u.axis[a].assign(values);
    }
  }
  CellKind kind(int x, int y, int z) const {
    return CellKind(read_back(pressure.kind(), pressure.grid().flat(x, y, z)));
  }
  /// Right side of the projection; its norm.
  double converge() {
    launch_cells(pressure.grid().cells, Convergence{.grid = pressure.grid(),
                                                    .walls = walls.view(),
                                                    .kind = pressure.kind(),
                                                    .open = pressure.open(),
                                                    .passage = pressure.open(),
                                                    .u = u.const_view(),
                                                    .carried = {},
                                                    .right_side = pressure.right_side()});
    double sum = 0;
    for (float b : to_host(View<const float>(pressure.right_side()))) sum += double(b) * double(b);
    return std::sqrt(sum);
  }
  LinearSolveResult project(double tolerance) {
    const LinearSolveResult result = pressure.solve(pressure.right_side(), tolerance, 100, true);
    pressure.extrapolate(walls.view());
    for (int a = 0; a < 3; ++a)
      launch(u.axis[a].size(), ClearField{pressure.change().axis[a], u.axis[a].view()});
    return result;
  }
};

/// Water that turns rigidly in a round tank goes along its wall: faces behind the wall have nothing to stop.
TEST(FlipWalls, ClosedFacesLetRotationBe) {
  const Vec3 axis{0.6f, 0.5f, 0};
  std::vector<Vec3> x, v;
  for (const Vec3& p : random_points(6000, 1)) {
    const Vec3 at = p + Vec3{0.6f, 0.5f, 0.4f};
    if (norm(Vec3{at.x - axis.x, at.y - axis.y, 0}) < 0.36f && at.z > 0.1f && at.z < 0.6f) x.push_back(at);
  }
  Projection t({{.shape = WallShape::plane, .point = {0, 0, 0.1}, .direction = {0, 0, 1}},
                {.shape = WallShape::cylinder, .point = {0.6, 0.5, 0}, .radius = 0.37}},
               x);
  for (const Vec3& at : x) v.push_back({axis.y - at.y, at.x - axis.x, 0});
  const Array<Vec3> velocity(v), rows[3] = {Array<Vec3>(std::vector<Vec3>(x.size(), {0, -1, 0})),
                                            Array<Vec3>(std::vector<Vec3>(x.size(), {1, 0, 0})),
                                            Array<Vec3>(std::vector<Vec3>(x.size(), {0, 0, 0}))};
  const FaceViews<const Vec3> affine{{rows[0].const_view(), rows[1].const_view(), rows[2].const_view()}};
  Array<float> still(t.pressure.right_side().count);
  still.zero();
  t.pressure.solve(still.const_view(), 1e-6, 10, true);
  t.pressure.extrapolate(t.walls.view(),
                         {.of = {{t.sorted_own.view(), velocity.const_view(), affine, 1}}, .count = 1});
  for (int a = 0; a < 3; ++a)
    for (float c : to_host(t.pressure.change().axis[a])) ASSERT_NEAR(c, 0, 1e-5f) << a;
}

/// Particles below z = 0.5 m on a jittered lattice of 0.05 m in [0.2, 1) x [0.2, 0.8) x [0.2, 0.5).
std::vector<Vec3> pool() {
  std::vector<Vec3> particles;
  const auto jitter = random_points(16 * 12 * 6, 0.03f, 9);
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < 12; ++j)
      for (int i = 0; i < 16; ++i)
        particles.push_back(Vec3{0.225f + 0.05f * i, 0.225f + 0.05f * j, 0.225f + 0.05f * k} +
                            jitter[particles.size()]);
  return particles;
}

/// Free surface all around, walls of a tank that cuts cells, and a moving ball in it. Faces are float, of
/// about 1 m/s, like their divergence: rounding adds 1e-7 to the solver's 1e-6.
TEST(FlipProjection, RemovesTheDivergence) {
  const WallParameters tank{
      .shape = WallShape::box, .low = {0.217, 0.19, 0.23}, .high = {0.981, 0.801, 2}, .velocity = {0, 0, 0}};
  const WallParameters ball{.shape = WallShape::sphere,
                            .inside = false,
                            .point = {0.6, 0.5, 0.4},
                            .radius = 0.16,
                            .velocity = {1, 0, 2}};
  for (const auto& walls : {std::vector<WallParameters>{}, {tank}, {tank, ball}}) {
    Projection projection(walls, pool());
    const double before = projection.converge();
    const LinearSolveResult result = projection.project(1e-6);
    EXPECT_TRUE(result.tolerance_met);
    EXPECT_LE(result.residual, 1e-6);
    const double after = projection.converge();
    note("divergence %.3g -> %.2e of it in %d iterations\n", before, after / before, result.iterations);
    EXPECT_LT(after, 1.2e-6 * before);
    EXPECT_GT(before, 1);
  }
}
/// Water that follows a wall which pushes it at 1 m/s, beside a lid that slides at 5 m/s, is free of
/// divergence; against the same wall at rest it is not.
TEST(FlipProjection, WallsPushAlongTheirNormals) {
  for (float push : {1.0f, 0.0f}) {
    const WallParameters piston{
        .shape = WallShape::plane, .point = {0.2, 0, 0}, .direction = {1, 0, 0}, .velocity = {push, 0, 0}};
    const WallParameters lid{
        .shape = WallShape::plane, .point = {0, 0, 0.2}, .direction = {0, 0, 1}, .velocity = {0, 5, 0}};
    Projection projection({piston, lid}, pool());
    const int count = projection.u.axis[0].size();
    for (int a = 0; a < 3; ++a)
      projection.u.axis[a].assign(std::vector<float>(size_t(count), a == 0 ? 1.0f : 0.0f));
    if (push > 0) {
      EXPECT_LT(projection.converge(), 1e-5);
    } else {
      EXPECT_GT(projection.converge(), 1);
    }
  }
}
/// A tank that cuts cells and moves as a body, its water with it: no divergence, also in its edges, where
/// several of its planes are near. Beside a piston that moves alone the floor's share of the cells stands
/// still, so that water at the piston's speed is free of divergence, too. Rotations 1e-6 s long have the
/// velocities to 1e-9/1e-6.
TEST(FlipProjection, MovingWallsTakeAlongWhatIsBehindThem) {
  const Point3 v{1, 2, -0.5}, spin{0.3, -1, 2}, centre{0.6, 0.5, 0.4};
  WallParameters tank{.shape = WallShape::box, .low = {0.217, 0.19, 0.23}, .high = {0.981, 0.801, 0.47}};
  tank.motion.velocity = v, tank.motion.angular_velocity = spin, tank.motion.centre = centre;
  WallParameters floor{.shape = WallShape::plane, .point = {0, 0, 0.23}, .direction = {0, 0, 1}};
  WallParameters piston{.shape = WallShape::plane, .point = {0.217, 0, 0}, .direction = {1, 0, 0}};
  piston.motion.velocity = {1, 0, 0};
  for (bool whole : {true, false}) {
    Projection projection(whole ? std::vector<WallParameters>{tank} : std::vector{floor, piston}, pool());
    const FlipGrid& grid = projection.pressure.grid();
    for (int a = 0; a < 3; ++a) {
      std::vector<float> values(size_t(projection.u.axis[a].size()), 0.0f);
      for (int z = 0; z < grid.cells.z; ++z)
        for (int y = 0; y < grid.cells.y; ++y)
          for (int x = 0; x < grid.cells.x; ++x) {
            const Vec3 at = grid.face_centre(a, x, y, z);
            const Point3 arm{at.x - centre[0], at.y - centre[1], at.z - centre[2]};
            const size_t b = size_t(a + 1) % 3, c = size_t(a + 2) % 3;
            const double carried = v[size_t(a)] + spin[b] * arm[c] - spin[c] * arm[b];
            values[size_t(grid.flat(x, y, z))] = float(whole ? carried : a == 0 ? 1 : 0);
          }
      projection.u.axis[a].assign(values);
    }
    EXPECT_LT(projection.converge(), 5e-3) << whole;
  }
}
/// No iteration: the result says that the tolerance was not met.
TEST(FlipProjection, UnmetToleranceIsSaid) {
  Projection projection({}, pool());
  projection.converge();
  const LinearSolveResult result = projection.pressure.solve(projection.pressure.right_side(), 1e-6, 2, true);
  EXPECT_FALSE(result.tolerance_met);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_GT(result.residual, 1e-6);
}
/// [MS] sec. 6.2: cells of others are not empty. Beside the fluid they are part of the solve, elsewhere they
/// stay as they are.
TEST(FlipProjection, CellsOfOtherSystemsAreOccupied) {
  const std::vector<Vec3> others{{0.55f, 0.55f, 0.55f}, {0.55f, 0.55f, 0.65f}};
  const Projection alone({}, pool()), shared({}, pool(), others);
  EXPECT_EQ(alone.kind(4, 4, 4), fluid);  // lattice cell (3, 3, 3)
  EXPECT_EQ(alone.kind(6, 6, 6), air);
  EXPECT_EQ(shared.kind(6, 6, 6), fluid);
  EXPECT_EQ(shared.kind(6, 6, 7), solid);
  EXPECT_EQ(shared.kind(6, 6, 8), air);
  EXPECT_EQ(shared.kind(2, 6, 6), air);
}
/// Faces towards cells that others alone fill let through what they let through before.
TEST(FlipProjection, RemovesTheDivergenceBesideOthers) {
  std::vector<Vec3> body;
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i)
        body.push_back({0.425f + 0.05f * i, 0.425f + 0.05f * j, 0.375f + 0.05f * k});
  Projection projection({}, pool(), body);
  EXPECT_EQ(projection.kind(6, 6, 8), solid);
  const int face = projection.pressure.grid().flat(6, 6, 8);
  const double before = projection.converge();
  const float through = read_back(projection.u.axis[2].const_view(), face);
  EXPECT_TRUE(projection.project(1e-6).tolerance_met);
  EXPECT_LT(projection.converge(), 1.2e-6 * before);
  EXPECT_EQ(read_back(projection.u.axis[2].const_view(), face), through);
}

}  // namespace flip_pressure_test
MERGANSER_END
