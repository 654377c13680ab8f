/// Parts of faces in front of walls, and what comes through the rest.
#include <gtest/gtest.h>

#include "solvers/methods/flip/pressure_solver.h"
#include "tests/support/asked_walls.h"
#include "tests/support/note.h"
#include "tests/support/random_values.h"

MERGANSER_BEGIN
namespace flip_wall_faces_test {

/// Integrals of 1, s and t over the part of a triangle on which a linear function is positive.
Vec3 positive_part(float a, float b, float d) {
  CutTriangle triangle;
  triangle.keep_positive(a, b, d);
  return triangle.moments();
}

/// Cut through the middles of two edges: a quarter of the area on the side of the corner alone.
TEST(FlipWalls, OpenShareOfATriangle) {
  EXPECT_FLOAT_EQ(positive_part(1, 2, 3).x, 1);
  EXPECT_EQ(positive_part(-1, -2, 0).x, 0);
  EXPECT_FLOAT_EQ(positive_part(1, -1, -1).x, 0.25f);
  EXPECT_FLOAT_EQ(positive_part(-1, 1, -1).x, 0.25f);
  EXPECT_FLOAT_EQ(positive_part(-1, -1, 1).x, 0.25f);
  EXPECT_FLOAT_EQ(positive_part(-1, 1, 1).x, 0.75f);
  EXPECT_FLOAT_EQ(positive_part(1, -1, 1).x, 0.75f);
  EXPECT_FLOAT_EQ(positive_part(1, 1, -1).x, 0.75f);
  EXPECT_FLOAT_EQ(positive_part(1, 0, 0).x, 1);  // the level runs along the opposite edge
  const Vec3 corner = positive_part(-1, 1, -1);  // from (1/2, 0) to (1, 0) to (1/2, 1/2)
  EXPECT_FLOAT_EQ(corner.y / corner.x, 2 / 3.0f);
  EXPECT_FLOAT_EQ(corner.z / corner.x, 1 / 6.0f);
}

/// The faces of a cell of 0.1 m whose lower corner is (0.1, 0.2, 0.3).
OpenPart part_of(const std::vector<WallParameters>& parameters, int axis) {
  const Walls walls(parameters);
  FlipPressure pressure;
  pressure.place({0, 0, 0}, {4, 4, 4}, 0.1f, walls.view());
  const int c = pressure.grid().flat(2, 3, 4);
  const FaceOffset offset = read_back(pressure.offset().axis[axis], c);
  return {read_back(pressure.open().axis[axis], c), offset.u, offset.v};
}

/// The edge of a tank: three corners of a face lie in walls, its middle does not; the whole face is open. A
/// plane through the middles of two sides leaves half of it. A gap one cell wide between walls in planes of
/// the grid is open. Deep in a wall, or in its plane, a face is closed.
TEST(FlipWalls, OpenShareOfASquare) {
  for (const double low : {-1.0, 0.2})
    for (const double bottom : {-1.0, 0.3}) {
      const WallParameters tank{.shape = WallShape::box,
                                .low = {-1, low, bottom},
                                .high = {2, low == 0.2 ? 2 : 0.3, bottom == 0.3 ? 2 : 0.4}};
      EXPECT_EQ(part_of({tank}, 0).share, 1) << low << ", " << bottom;
    }
  const WallParameters gap{.shape = WallShape::box, .low = {-1, 0.2, 0.3}, .high = {2, 0.3, 0.4}};
  EXPECT_EQ(part_of({gap}, 0).share, 1);
  EXPECT_EQ(part_of({gap}, 1).share, 0) << "in the plane of a wall";
  EXPECT_EQ(part_of({{.shape = WallShape::box, .low = {-1, -1, -1}, .high = {2, 2, 0.1}}}, 0).share, 0)
      << "deep";
  const OpenPart half =
      part_of({{.shape = WallShape::plane, .point = {0, 0.25, 0}, .direction = {0, 1, 0}}}, 0);
  EXPECT_NEAR(half.share, 0.5, 2e-4);
  EXPECT_NEAR(half.u, 0.25, 2e-4);
  EXPECT_NEAR(half.v, 0, 1e-6);
  EXPECT_NEAR(
      part_of({{.shape = WallShape::plane, .point = {0.1, 0.25, 0.35}, .direction = {0, -0.6, 0.8}}}, 0)
          .share,
      0.5, 5e-4);
  const double d = std::sqrt(0.5);  // along the diagonal of the face
  EXPECT_NEAR(
      part_of({{.shape = WallShape::plane, .point = {0.1, 0.25, 0.35}, .direction = {0, d, d}}}, 0).share,
      0.5, 5e-4);
}

/// Two planes (40 draws), and round walls 4 to 20 cells wide from within and without: the share of points in
/// front of them, and their mean.
TEST(FlipWalls, OpenPartsAreThoseOfPoints) {
  constexpr int points = 200;
  double worst_share = 0, worst_offset = 0;
  int cut = 0;
  for (int draw = 0; draw < 120; ++draw) {
    const std::vector<Vec3> r = random_points(4, 2, draw);
    const int axis = draw % 3, kind = draw / 3 % 3;
    const Vec3 middle{axis == 0 ? 0.1f : 0.15f, axis == 1 ? 0.2f : 0.25f, axis == 2 ? 0.3f : 0.35f};
    const Vec3 near = middle + r[0] * 0.02f, normal = r[1] * (1 / norm(r[1]));
    const float radius = 0.1f * (6 + 4 * r[2].x), side = kind == 1 ? 1.0f : -1.0f;
    const auto place = [](const Vec3& v) { return Point3{v.x, v.y, v.z}; };
    std::vector<WallParameters> walls;
    if (kind == 0) {
      walls.push_back({.shape = WallShape::plane, .point = place(near), .direction = place(normal)});
      walls.push_back({.shape = WallShape::plane,
                       .point = place(middle + r[2] * 0.03f),
                       .direction = place(r[3] * (1 / norm(r[3])))});
    } else {
      walls.push_back({.shape = draw % 2 ? WallShape::sphere : WallShape::cylinder,
                       .inside = kind == 1,
                       .point = place(near + normal * (side * radius)),
                       .radius = radius});
      if (draw % 2 == 0)
        walls.back().direction =
            place(cross(normal, Vec3{0.6f, 0, 0.8f}) * (1 / norm(cross(normal, Vec3{0.6f, 0, 0.8f}))));
    }
    const std::vector<Wall> made = made_walls(walls);
    int open = 0;
    double u = 0, v = 0;
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j) {
        const float a = (float(i) + 0.5f) / points - 0.5f, b = (float(j) + 0.5f) / points - 0.5f;
        const Vec3 at = middle + FaceOffset{a, b}.along(axis) * 0.1f;
        bool before = true;
        for (const Wall& wall : made) before = before && wall.at(at).distance > 1e-5f;
        open += before;
        u += before ? double(a) : 0;
        v += before ? double(b) : 0;
      }
    const double share = double(open) / (points * points);
    const OpenPart part = part_of(walls, axis);
    if (share < 0.03) {
      EXPECT_EQ(part.share, 0) << draw;
      continue;
    }
    EXPECT_NEAR(part.share, share, 3e-3) << draw;
    worst_share = std::max(worst_share, std::abs(double(part.share) - share));
    if (share > 0.998) continue;
    ++cut;
    EXPECT_NEAR(part.u, u / open, 0.01) << draw;
    EXPECT_NEAR(part.v, v / open, 0.01) << draw;
    worst_offset =
        std::max({worst_offset, std::abs(double(part.u) - u / open), std::abs(double(part.v) - v / open)});
  }
  note("open parts of %d faces: share to %.4f, centroid to %.4f cells\n", cut, worst_share, worst_offset);
  EXPECT_GT(cut, 60);
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
  View<const FaceOffset> offset;
  View<float> through;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int c = closed.grid.flat(x, y, z);
    through[c] = closed.through(axis, x, y, z, open[c], offset[c]);
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
  launch_cells(grid.cells,
               ThroughClosedShares{{grid, walls.view()}, 0, open, pressure.offset().axis[0], through.view()});
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

}  // namespace flip_wall_faces_test
MERGANSER_END
