/// Volume, centre and moments of solids, and masses of particles that have them.
#include "solvers/geometry/sampling/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/scene/mesh_file.h"
#include "solvers/methods/rigid/point_masses.h"
#include "tests/support/made_meshes.h"
#include "tests/support/note.h"
#include "tests/support/placed_mesh.h"
#include "tests/support/source_folder.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace mass_properties_test {

using std::numbers::pi;

void expect_equal(const MassProperties& found, const MassProperties& expected, double relative) {
  const double size = std::cbrt(expected.volume), moment = std::pow(size, 5);
  EXPECT_NEAR(found.volume, expected.volume, relative * expected.volume);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.centre[i], expected.centre[i], relative * size) << i;
    for (size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(found.second[i][j], expected.second[i][j], relative * moment) << i << ' ' << j;
  }
}

/// By counting lattice points, each with the second moment of its own cell.
MassProperties counted(const std::vector<Float3>& points, double spacing) {
  const double cell = std::pow(spacing, 3);
  MassProperties made;
  made.volume = cell * double(points.size());
  for (const Float3& x : points)
    for (size_t i = 0; i < 3; ++i) made.centre[i] += double(x[i]) / double(points.size());
  for (const Float3& x : points)
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j)
        made.second[i][j] += cell * ((double(x[i]) - made.centre[i]) * (double(x[j]) - made.centre[j]) +
                                     (i == j ? spacing * spacing / 12 : 0));
  return made;
}

TriangleMesh moved(TriangleMesh mesh) {
  test::transform(mesh, {.scale = {2, 1, 0.5},
                         .rotation_axis = {1, 2, 3},
                         .rotation_angle = 0.7,
                         .translation = {30, -20, 10}});
  return mesh;
}

/// The corner of a cube: V = 1/6, centre 1/4, integral of x^2 1/60 and of x y 1/120 about the corner. Both
/// ways round.
TEST(MassProperties, OfATetrahedron) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{1, 2, 0}, {1, 3, 2}, {1, 0, 3}, {0, 2, 3}};
  MassProperties expected{.volume = 1.0 / 6, .centre = {0.25, 0.25, 0.25}, .second = {}};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) expected.second[i][j] = (i == j ? 1.0 / 60 : 1.0 / 120) - 1.0 / 6 / 16;
  expect_equal(mass_properties(mesh), expected, 1e-12);
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  expect_equal(mass_properties(mesh), expected, 1e-12);
}

/// Turned and far from the origin: the moments of a 2 x 1 x 1/2 box, turned. Tolerance: float vertices.
TEST(MassProperties, OfABoxWhereverItLies) {
  const MassProperties found = mass_properties(moved(test::cube()));
  EXPECT_NEAR(found.volume, 1, 1e-5);
  const auto inertia = found.inertia();
  EXPECT_NEAR(inertia[0][0] + inertia[1][1] + inertia[2][2], (4 + 1 + 0.25) / 6, 1e-5);
  // v.S v along the turned long side is 2^2/12 V: the turn of (1, 0, 0) by Rodrigues' formula.
  const double c = std::cos(0.7), s = std::sin(0.7), n = std::sqrt(14.0), x = 1 / n, y = 2 / n, z = 3 / n;
  const Point3 side{c + x * x * (1 - c), y * x * (1 - c) + z * s, z * x * (1 - c) - y * s};
  double along = 0;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) along += side[i] * found.second[i][j] * side[j];
  EXPECT_NEAR(along, 4.0 / 12, 1e-5);
}

/// Semi-axes 1, 1/2, 1/4: S = V/5 diag(a^2, b^2, c^2). The faces cut off a share of (edge/radius)^2.
TEST(MassProperties, OfAnEllipsoid) {
  TriangleMesh mesh = test::ball_mesh({0, 0, 0}, 1.0, 5);
  test::transform(mesh, {.scale = {1, 0.5, 0.25}});
  const double volume = 4 * pi / 3 / 8;
  const MassProperties expected{
      .volume = volume,
      .centre = {0, 0, 0},
      .second = {Point3{volume / 5, 0, 0}, Point3{0, volume / 20, 0}, Point3{0, 0, volume / 80}}};
  expect_equal(mass_properties(mesh), expected, 5e-3);
}

/// Closed forms against fine lattices.
TEST(MassProperties, OfShapesAsALatticeCountsThem) {
  const double h = 0.01;
  ShapeParameters s;
  s.translation = {0.3, 0.2, 0.1};
  s.start = {0.1, 0.2, 0.3};
  s.end = {0.6, 0.5, 0.8};
  s.centre = {0.1, 0, 0.2};
  s.axis = {1, 0, 2};
  s.radius = 0.3;
  s.major_radius = 0.4;
  s.minor_radius = 0.15;
  s.outer_radius = 0.5;
  s.thickness = 0.15;
  s.rim_height = 0.4;
  for (const char* word : {"box", "sphere", "cylinder", "torus", "bowl"}) {
    SCOPED_TRACE(word);
    s.word = word;
    expect_equal(mass_properties(s), counted(sample_shape(s.shape(), {.spacing = h}), h), 4e-3);
  }
}

TEST(MassProperties, OfABunnyAsALatticeCountsThem) {
  const auto file = shared_folder() / "meshes" / "bunny_7k.obj";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  TriangleMesh mesh = read_mesh(file);
  test::transform(mesh,
                  {.rotation_axis = {1, 1, 0}, .rotation_angle = 1, .translation = {1, 2, 3}, .fit_size = 1});
  const double h = 0.01;
  expect_equal(mass_properties(mesh), counted(sample_mesh(mesh, {.spacing = h}), h), 4e-3);
}

/// Sums over the particles of a coarse ring are the solid's.
TEST(PointMasses, HaveTheMomentsOfTheSolid) {
  ShapeParameters s;
  s.word = "torus";
  s.centre = {5, 1, 2};
  s.axis = {1, 1, 3};
  s.major_radius = 0.4;
  s.minor_radius = 0.15;
  const MassProperties solid = mass_properties(s);
  const std::vector<Float3> points = sample_shape(s.shape(), {.spacing = 0.1});
  const std::vector<double> masses = point_masses(points, solid, 7);
  MassProperties sums;
  for (size_t k = 0; k < points.size(); ++k) {
    sums.volume += masses[k];
    for (size_t i = 0; i < 3; ++i) {
      sums.centre[i] += masses[k] * double(points[k][i]) / 7;
      for (size_t j = 0; j < 3; ++j)
        sums.second[i][j] +=
            masses[k] * (double(points[k][i]) - solid.centre[i]) * (double(points[k][j]) - solid.centre[j]);
    }
  }
  EXPECT_NEAR(sums.volume, 7, 1e-12);
  const auto [least, most] = std::minmax_element(masses.begin(), masses.end());
  note("%zu particles, masses %g to %g of the mean", points.size(), *least * double(points.size()) / 7,
       *most * double(points.size()) / 7);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(sums.centre[i], solid.centre[i], 1e-10);
    for (size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(sums.second[i][j], 7 * solid.second[i][j] / solid.volume, 1e-10);
  }
}

/// A disc of two layers: every particle is h/2 from its middle, so the moment across it is the particles'
/// own; that about its axis, m r^2/2, is the solid's. (Equal masses: 1.6 % more.)
TEST(PointMasses, HaveTheMomentsThatPointsCanHave) {
  const double h = 0.02, r = 0.1;
  ShapeParameters s;
  s.word = "cylinder";
  s.start = {0.1, 0, 0.3};
  s.end = {0.1 + 2 * h, 0, 0.3};
  s.radius = r;
  const std::vector<Float3> points = sample_shape(s.shape(), {.spacing = h});
  const std::vector<double> masses = point_masses(points, mass_properties(s), 7);
  double sum = 0, along = 0, second[3]{};
  for (size_t k = 0; k < points.size(); ++k) {
    const double x = double(points[k][0]) - 0.1 - h, y = double(points[k][1]), z = double(points[k][2]) - 0.3;
    sum += masses[k];
    along += masses[k] * x;
    second[0] += masses[k] * x * x;
    second[1] += masses[k] * y * y;
    second[2] += masses[k] * z * z;
  }
  EXPECT_NEAR(sum, 7, 1e-10);
  EXPECT_NEAR(along, 0, 1e-8);
  EXPECT_NEAR(second[0], 7 * h * h / 4, 1e-7);
  EXPECT_NEAR(second[1], 7 * r * r / 4, 1e-8);
  EXPECT_NEAR(second[2], 7 * r * r / 4, 1e-8);
}

/// Points on a line, and one alone, keep equal masses.
TEST(PointMasses, AreEqualWhereNothingElseIsPossible) {
  ShapeParameters s;
  s.word = "sphere";
  s.radius = 0.1;
  for (const size_t count : {size_t(1), size_t(3)}) {
    std::vector<Float3> points;
    for (size_t k = 0; k < count; ++k) points.push_back({0.01f * float(k), 0, 0});
    for (const double m : point_masses(points, mass_properties(s), 6)) EXPECT_EQ(m, 6.0 / double(count));
  }
}

}  // namespace mass_properties_test
}  // namespace merganser
