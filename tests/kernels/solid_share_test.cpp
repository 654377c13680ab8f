/// The share of a kernel within a solid: closed forms of planes and balls, quadrature at edges and thin
/// parts.
#include "solvers/geometry/signed_distance/solid_share.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "solvers/core/smoothing_kernels.h"
#include "solvers/coupling/boundary/wall_volume_map.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_distance_reference.h"

MERGANSER_BEGIN
namespace solid_share_test {

constexpr double h = 0.06, cell = 0.025;  // the smoothing length of a spacing of 0.05

/// lambda and its gradient: that of the tangent plane and what the table adds.
struct SampleShare {
  static constexpr const char* name = "test sample share";
  DistanceFieldView field;
  SolidShareView share;
  WallFillView fill;
  View<const Vec3> x;
  View<FieldSample> found;
  MERGANSER_METHOD void operator()(int i) const {
    const FieldCell cell = field.cell_of(x[i]);
    const FieldSample at = cell.interpolated(cell.near ? field.near : field.far, field.cell);
    const WallFillSample plane = fill.at(at.value);
    FieldSample sum = cell.near ? share.at(cell, field.cell).share : FieldSample{{0, 0, 0}, 0};
    sum.value += plane.fraction;
    sum.gradient += at.gradient * plane.slope;
    found[i] = sum;
  }
};

std::vector<Vec3> random_points(int count, double low, double high) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> draw{float(low), float(high)};
  std::vector<Vec3> points(static_cast<size_t>(count));
  for (Vec3& p : points) p = {draw(random), draw(random), draw(random)};
  return points;
}

std::vector<FieldSample> sample(const TriangleMesh& mesh, FieldParameters parameters,
                                const std::vector<Vec3>& points) {
  parameters.cell = cell;
  parameters.reach = 2 * h + cell;
  const DistanceField field(make_mesh_tree(mesh), parameters, "mesh");
  const SolidShare share(field.view(), WendlandC2<double>(1), float(h), field.is_sheet());
  const WallVolumeMap fill(WendlandC2<double>(1), float(h));
  const Array<Vec3> x(points);
  Array<FieldSample> found(x.size());
  launch(x.size(), SampleShare{field.view(), share.view(), fill.view(), x.const_view(), found.view()});
  return found.to_host();
}

/// int W dV over a ball of this radius at the distance D of its centre: shells of radius r around the
/// particle lie within the ball to the part (R^2 - (D - r)^2)/(4 D r) (spherical cap of the shell).
double share_of_ball(double radius, double distance) {
  const WendlandC2<double> kernel(h);
  constexpr int parts = 4000;
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    const double r = (k + 0.5) * 2 * h / parts;
    const double part = (radius * radius - (distance - r) * (distance - r)) / (4 * distance * r);
    const double within = r < radius - distance ? 1 : std::clamp(part, 0.0, 1.0);
    sum += kernel.value(r) * 4 * std::numbers::pi * r * r * within * 2 * h / parts;
  }
  return sum;
}

/// Cells of the midpoint rule along one axis around x: the support, cut where a face lies.
struct AxisCells {
  std::vector<double> middle, width;
  AxisCells(double x, const std::vector<double>& faces) {
    std::vector<double> ends{x - 2 * h};
    for (const double face : faces)
      if (face > x - 2 * h && face < x + 2 * h) ends.push_back(face);
    ends.push_back(x + 2 * h);
    constexpr int parts = 32;
    for (size_t k = 0; k + 1 < ends.size(); ++k)
      for (int part = 0; part < parts; ++part) {
        width.push_back((ends[k + 1] - ends[k]) / parts);
        middle.push_back(ends[k] + (part + 0.5) * width.back());
      }
  }
};

/// Of a solid whose faces lie at these coordinates of every axis.
struct SquareSolid {
  std::function<bool(const Vec3d&)> within;
  std::vector<double> faces[3];

  double share(const Vec3d& x) const {
    const WendlandC2<double> kernel(h);
    const AxisCells along[3] = {{x.x, faces[0]}, {x.y, faces[1]}, {x.z, faces[2]}};
    double sum = 0;
    for (size_t i = 0; i < along[0].middle.size(); ++i)
      for (size_t j = 0; j < along[1].middle.size(); ++j)
        for (size_t k = 0; k < along[2].middle.size(); ++k) {
          const Vec3d y{along[0].middle[i], along[1].middle[j], along[2].middle[k]};
          if (within(y))
            sum += kernel.value(norm(y - x)) * along[0].width[i] * along[1].width[j] * along[2].width[k];
        }
    return sum;
  }
};

struct SamplePlane {
  static constexpr const char* name = "test sample plane";
  WallFillView fill;
  View<const float> distance;
  View<WallFillSample> found;
  MERGANSER_METHOD void operator()(int i) const { found[i] = fill.at(distance[i]); }
};

/// The same as of a plane wall, to rounding, wherever the grid's nodes lie.
TEST(SolidShare, PlaneIsTheClosedForm) {
  std::vector<Vec3> points;
  std::vector<float> heights;
  for (int k = -20; k < 65; ++k) {
    heights.push_back(0.002f * float(k));
    points.push_back({0.013f * float(k % 7), 0.01f * float(k % 5), heights.back()});
  }
  const auto found = sample(test::box_mesh({-0.6, -0.6, -0.6}, {0.6, 0.6, 0}), {}, points);
  const WallVolumeMap fill(WendlandC2<double>(1), float(h));
  const Array<float> height(heights);
  Array<WallFillSample> plane(height.size());
  launch(height.size(), SamplePlane{fill.view(), height.const_view(), plane.view()});
  const auto expected = plane.to_host();
  for (size_t k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(found[k].value, expected[k].fraction, 1e-5) << heights[k];
    EXPECT_NEAR(found[k].gradient.z * h, expected[k].slope * h, 1e-4) << heights[k];
    EXPECT_NEAR(found[k].gradient.x * h, 0, 1e-4);
  }
}

/// A ball of three to eight smoothing lengths. Of the error, interpolation has (cell/h)^2/8 = 2 % of the
/// second derivative, which the closed form of the plane takes away but for the curvature.
TEST(SolidShare, BallIsTheClosedForm) {
  for (const double radius : {0.18, 0.48}) {
    std::vector<Vec3> points;
    for (const Vec3& x : random_points(400, -radius - 2.2 * h, radius + 2.2 * h))
      if (norm(x) > radius - 0.2 * h && norm(x) < radius + 2 * h) points.push_back(x);
    const auto found = sample(test::ball_mesh({0, 0, 0}, radius, 6), {}, points);
    for (size_t k = 0; k < points.size(); ++k) {
      const double distance = norm(points[k]);
      EXPECT_NEAR(found[k].value, share_of_ball(radius, distance), 0.012) << distance - radius;
      const double slope =
          (share_of_ball(radius, distance + 1e-4) - share_of_ball(radius, distance - 1e-4)) / 2e-4;
      EXPECT_NEAR(dot(found[k].gradient, points[k]) / distance * h, slope * h, 0.04) << distance - radius;
    }
  }
}

/// Against midpoint sums over the support, error below 1e-3. What edges and corners add is tabulated, so they
/// are to 1.5 % of the kernel, and to 3.5 % along the creases of a tank, where the nearest face changes
/// within a cell. (The tangent plane alone is wrong by a quarter at an edge.)
void expect_quadrature(const TriangleMesh& mesh, const FieldParameters& field, const SquareSolid& solid,
                       const std::vector<Vec3>& points, double tolerance) {
  const auto found = sample(mesh, field, points);
  for (size_t k = 0; k < points.size(); ++k)
    EXPECT_NEAR(found[k].value, solid.share(to_double(points[k])), tolerance)
        << points[k].x << " " << points[k].y << " " << points[k].z;
}

TEST(SolidShare, EdgesAndCornersOfObstacles) {
  const SquareSolid corner{[](const Vec3d& x) { return x.x < 0 && x.y < 0 && x.z < 0; }, {{0}, {0}, {0}}};
  expect_quadrature(test::box_mesh({-0.5, -0.5, -0.5}, {0, 0, 0}), {}, corner, random_points(60, -0.02, 0.09),
                    0.015);
}

TEST(SolidShare, EdgesAndCornersOfTanks) {
  const SquareSolid corner{[](const Vec3d& x) { return x.x < 0 || x.y < 0 || x.z < 0; }, {{0}, {0}, {0}}};
  expect_quadrature(test::box_mesh({0, 0, 0}, {0.5, 0.5, 0.5}), {.inside = true}, corner,
                    random_points(60, 0, 0.1), 0.035);
}

/// One spacing thick: the support reaches through it. Of a sheet that is open, what lies behind it counts as
/// well.
TEST(SolidShare, ThinPlates) {
  const SquareSolid plate{[](const Vec3d& x) { return std::abs(x.z) < 0.025; }, {{}, {}, {-0.025, 0.025}}};
  TriangleMesh sheet;
  sheet.vertices = {{-0.4f, -0.4f, 0}, {0.4f, -0.4f, 0}, {0.4f, 0.4f, 0}, {-0.4f, 0.4f, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const auto points = random_points(60, -0.12, 0.12);
  expect_quadrature(test::box_mesh({-0.4, -0.4, -0.025}, {0.4, 0.4, 0.025}), {}, plate, points, 0.012);
  const SquareSolid below{[](const Vec3d& x) { return x.z < 0.025; }, {{}, {}, {0.025}}};
  auto above = points;
  for (Vec3& x : above) x.z = std::abs(x.z) + 0.005f;  // within it, its middle decides
  expect_quadrature(sheet, {.thickness = 0.05}, below, above, 0.012);
}

/// Two sheets that meet at a right angle, one spacing thick: what is outside of both counts as solid for
/// whoever is between them, and what both leave free does not.
TEST(SolidShare, CornerOfASheet) {
  TriangleMesh sheet;
  sheet.vertices = {{0, -0.4f, 0}, {0.4f, -0.4f, 0}, {0.4f, 0.4f, 0},
                    {0, 0.4f, 0},  {0, -0.4f, 0.4f}, {0, 0.4f, 0.4f}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {0, 5, 4}};
  const SquareSolid outside{[](const Vec3d& x) { return x.x < 0.025 || x.z < 0.025; },
                            {{0.025}, {}, {0.025}}};
  auto between = random_points(60, 0.03, 0.12);
  for (Vec3& x : between) x.y -= 0.07f;
  expect_quadrature(sheet, {.thickness = 0.05}, outside, between, 0.035);
}

}  // namespace solid_share_test
MERGANSER_END
