/// Cell marks and the projection of a FLIP fluid.
#include <gtest/gtest.h>

#include "solvers/methods/flip/pressure_solver.h"
#include "tests/support/asked_walls.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace flip_pressure_test {

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
  double converge(const GatheredFluids& fluids = {}) {
    launch_cells(pressure.grid().cells, Convergence{.grid = pressure.grid(),
                                                    .walls = walls.view(),
                                                    .kind = pressure.kind(),
                                                    .fluids = fluids,
                                                    .open = pressure.open(),
                                                    .passage = pressure.open(),
                                                    .u = u.const_view(),
                                                    .offset = pressure.offset(),
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

/// Particles that move as a rigid body.
struct RigidWater {
  Vec3 velocity, spin, centre;
  Array<Vec3> velocities, rows[3];

  RigidWater(const std::vector<Vec3>& x, Vec3 v, Vec3 turns, Vec3 about)
      : velocity(v), spin(turns), centre(about) {
    std::vector<Vec3> all;
    for (const Vec3& at : x) all.push_back(of(at));
    velocities.assign(all);
    rows[0].assign(std::vector<Vec3>(x.size(), {0, -spin.z, spin.y}));
    rows[1].assign(std::vector<Vec3>(x.size(), {spin.z, 0, -spin.x}));
    rows[2].assign(std::vector<Vec3>(x.size(), {-spin.y, spin.x, 0}));
  }
  Vec3 of(const Vec3& at) const { return velocity + cross(spin, at - centre); }
  GatheredFluids fluids(const UniformGrid& sorted) const {
    const FaceViews<const Vec3> affine{{rows[0].const_view(), rows[1].const_view(), rows[2].const_view()}};
    return {.of = {{sorted.view(), velocities.const_view(), affine, 1}}, .count = 1};
  }
  void set_faces(Projection& t) const {
    const FlipGrid& grid = t.pressure.grid();
    for (int a = 0; a < 3; ++a) {
      std::vector<float> u(size_t(grid.box.count()), 0);
      for (int z = 1; z <= grid.cells.z + 1; ++z)
        for (int y = 1; y <= grid.cells.y + 1; ++y)
          for (int k = 1; k <= grid.cells.x + 1; ++k)
            u[size_t(grid.flat(k, y, z))] = component(of(grid.face_centre(a, k, y, z)), a);
      t.u.axis[a].assign(u);
    }
  }
};

/// Water that turns rigidly in a round tank goes along its wall: faces behind the wall have nothing to stop.
TEST(FlipWalls, ClosedFacesLetRotationBe) {
  const Vec3 axis{0.6f, 0.5f, 0};
  std::vector<Vec3> x;
  for (const Vec3& p : random_points(6000, 1)) {
    const Vec3 at = p + Vec3{0.6f, 0.5f, 0.4f};
    if (norm(Vec3{at.x - axis.x, at.y - axis.y, 0}) < 0.36f && at.z > 0.1f && at.z < 0.6f) x.push_back(at);
  }
  Projection t({{.shape = WallShape::plane, .point = {0, 0, 0.1}, .direction = {0, 0, 1}},
                {.shape = WallShape::cylinder, .point = {0.6, 0.5, 0}, .radius = 0.37}},
               x);
  const RigidWater water(x, {0, 0, 0}, {0, 0, 1}, axis);
  Array<float> still(t.pressure.right_side().count);
  still.zero();
  t.pressure.solve(still.const_view(), 1e-6, 10, true);
  t.pressure.extrapolate(t.walls.view(), water.fluids(t.sorted_own));
  for (int a = 0; a < 3; ++a)
    for (float c : to_host(t.pressure.change().axis[a])) ASSERT_NEAR(c, 0, 1e-5f) << a;
}

/// Cells with a face that a wall cuts.
int cells_at_walls(const FlipPressure& pressure) {
  const FlipGrid& grid = pressure.grid();
  std::vector<float> open[3];
  for (int axis = 0; axis < 3; ++axis) open[axis] = to_host(pressure.open().axis[axis]);
  int count = 0;
  for (int cell = 0; cell < grid.inner_cells(); ++cell) {
    const auto [x, y, z] = grid.inner_cell(cell);
    const int c = grid.flat(x, y, z);
    bool cut = false;
    for (int axis = 0; axis < 3; ++axis)
      for (const int face : {c, c + grid.stride(axis)}) {
        const float share = open[axis][size_t(face)];
        cut = cut || (share > 0 && share < 1);
      }
    count += cut;
  }
  return count;
}

/// Water that turns as a rigid body: in front of round walls wherever they cut the grid, and in a tank that
/// turns with it. Nothing is left for the projection, which would take angular momentum with it.
TEST(FlipProjection, RotationHasNoDivergence) {
  const float spin = 2;
  double worst = 0;
  for (int draw = 0; draw < 12; ++draw) {
    const Vec3 r = random_vector(draw), axis = Vec3{0.6f, 0.5f, 0.45f} + r * 0.1f;
    const float radius = 0.3f + 0.1f * random_vector(draw, 1).x;
    const Point3 centre{axis.x, axis.y, axis.z};
    std::vector<WallParameters> walls;
    if (draw % 3 == 0)
      walls = {{.shape = WallShape::cylinder, .point = centre, .radius = radius},
               {.shape = WallShape::plane, .point = {0, 0, 0.1}, .direction = {0, 0, 1}}};
    else if (draw % 3 == 1)
      walls = {{.shape = WallShape::sphere, .point = centre, .radius = radius}};
    else
      walls = {{.shape = WallShape::box,
                .low = {axis.x - radius, axis.y - 0.8 * radius, axis.z - radius},
                .high = {axis.x + radius, axis.y + 0.8 * radius, axis.z + radius},
                .rotation_angle = r.z,
                .motion = {.angular_velocity = {0, 0, spin}, .centre = centre}}};
    std::vector<Vec3> x;
    const std::vector<Wall> made = made_walls(walls);
    for (int k = 0; k < 24 * 20 * 16; ++k) {
      const Vec3 at = 0.05f * Vec3{float(k % 24) + 0.5f, float(k / 24 % 20) + 0.5f, float(k / 480) + 0.5f};
      const bool before =
          std::all_of(made.begin(), made.end(), [&](const Wall& wall) { return wall.at(at).distance > 0; });
      if (before) x.push_back(at);
    }
    Projection t(walls, x);
    const RigidWater water(x, {0, 0, 0}, {0, 0, spin}, axis);
    water.set_faces(t);
    const double norm = t.converge(water.fluids(t.sorted_own));
    const int at_walls = cells_at_walls(t.pressure);
    const double mean = norm / (double(spin * t.pressure.grid().dx) * std::sqrt(at_walls));
    EXPECT_GT(at_walls, 60);
    EXPECT_LT(mean, 0.015) << draw;
    worst = std::max(worst, mean);
  }
  note("divergence of a rotation: root mean square %.4f of spin dx\n", worst);
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
  const RigidWater carried(pool(), {1, 2, -0.5f}, {0.3f, -1, 2}, {0.6f, 0.5f, 0.4f}),
      pushed(pool(), {1, 0, 0}, {0, 0, 0}, {0, 0, 0});
  for (bool whole : {true, false}) {
    Projection projection(whole ? std::vector<WallParameters>{tank} : std::vector{floor, piston}, pool());
    const RigidWater& water = whole ? carried : pushed;
    water.set_faces(projection);
    EXPECT_LT(projection.converge(water.fluids(projection.sorted_own)), 5e-3) << whole;
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
/// [MS] sec. 6.2: cells of others are not empty. Beside the fluid they are part of the solve, elsewhere p =
/// 0.
TEST(FlipProjection, CellsOfOtherSystemsAreOccupied) {
  const std::vector<Vec3> others{{0.55f, 0.55f, 0.55f}, {0.55f, 0.55f, 0.65f}};
  const Projection alone({}, pool()), shared({}, pool(), others);
  EXPECT_EQ(alone.kind(4, 4, 4), fluid);  // lattice cell (3, 3, 3)
  EXPECT_EQ(alone.kind(6, 6, 6), air);
  EXPECT_EQ(shared.kind(6, 6, 6), fluid);
  EXPECT_EQ(shared.kind(6, 6, 7), CellKind::others);
  EXPECT_EQ(shared.kind(6, 6, 8), air);
  EXPECT_EQ(shared.kind(2, 6, 6), air);
}
/// Cells that others alone fill have p = 0, and what is before them is free of divergence.
TEST(FlipProjection, RemovesTheDivergenceBesideOthers) {
  std::vector<Vec3> body;
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i)
        body.push_back({0.425f + 0.05f * i, 0.425f + 0.05f * j, 0.375f + 0.05f * k});
  Projection projection({}, pool(), body);
  EXPECT_EQ(projection.kind(6, 6, 8), CellKind::others);
  const FlipGrid& grid = projection.pressure.grid();
  int z = 8;
  while (projection.kind(6, 6, z - 1) == CellKind::others) --z;
  ASSERT_EQ(projection.kind(6, 6, z - 1), fluid);
  const int face = grid.flat(6, 6, z);
  const double before = projection.converge();
  const float through = read_back(projection.u.axis[2].const_view(), face);
  EXPECT_TRUE(projection.project(1e-6).tolerance_met);
  EXPECT_LT(projection.converge(), 1.2e-6 * before);
  const double p = read_back(projection.pressure.pressure(), grid.box.slot(face - grid.stride(2)));
  const float mobility = read_back(projection.pressure.mobility().axis[2], face);
  EXPECT_GT(std::fabs(p), 0.01);
  EXPECT_NEAR(read_back(projection.u.axis[2].const_view(), face) - through, p * double(mobility), 1e-5);
}

}  // namespace flip_pressure_test
MERGANSER_END
