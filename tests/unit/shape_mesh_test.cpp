/// Surfaces of shapes: closed, outwards, at their place, and of the shape's volume.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/geometry/sampling/mass_properties.h"
#include "solvers/geometry/sampling/shape_mesh.h"
#include "solvers/geometry/signed_distance/mesh_soundness.h"
#include "tests/support/mesh_checks.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace shape_mesh_test {

ShapeParameters shape(const std::string& word) {
  ShapeParameters s;
  s.word = word;
  s.start = {-0.3, 0.1, 0.2}, s.end = {0.9, 0.5, 1.1};
  s.centre = {1, -2, 3};
  s.axis = {1, 1, -2};
  s.radius = 0.5, s.major_radius = 0.7, s.minor_radius = 0.2;
  s.outer_radius = 0.8, s.thickness = 0.15, s.rim_height = 0.9;
  s.translation = {0.1, 0.2, -0.3};
  return s;
}

MeshFacts facts_of(const ShapeParameters& s, double edge) {
  const TriangleMesh mesh = surface_of(s, {.edge = edge});
  return mesh_facts({.position = mesh.vertices, .normal = {}, .velocity = {}, .triangles = mesh.triangles});
}

/// Polyhedra with sides of e inside curved surfaces of radius r lack about (e/r)^2 of the volume.
void expect_surface(const ShapeParameters& s, int components, int euler) {
  const MassProperties exact = mass_properties(s);
  for (const double edge : {0.05, 0.5}) {
    const MeshFacts facts = facts_of(s, edge);
    EXPECT_EQ(facts.faulty_edges, 0) << s.word;
    EXPECT_EQ(facts.faulty_vertices, 0) << s.word;
    EXPECT_EQ(facts.components, components) << s.word;
    EXPECT_EQ(facts.euler, euler) << s.word;
    EXPECT_GT(facts.least_area, 0) << s.word;
    EXPECT_LT(facts.volume, exact.volume * (1 + 1e-6)) << s.word;
    const double share = s.word == "box" ? 1e-6 : edge < 0.1 ? 0.05 : 0.12;
    EXPECT_GT(facts.volume, exact.volume * (1 - share)) << s.word << " with sides of " << edge;
  }
  const MassProperties of_mesh = mass_properties(surface_of(s, {.edge = 0.05}));
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(of_mesh.centre[k], exact.centre[k], 0.01) << s.word;
}

TEST(ShapeMesh, IsClosedAndHoldsTheShape) {
  for (const char* word : {"box", "sphere", "cylinder", "bowl"}) expect_surface(shape(word), 1, 2);
  expect_surface(shape("torus"), 1, 0);
}

/// Rims below, at and above the hollow, and a bowl without one.
TEST(ShapeMesh, BowlsWithRimsAtAllHeights) {
  ShapeParameters bowl = shape("bowl");
  for (const double rim : {0.1, 0.15, 0.4, 0.8, 1.3}) {
    bowl.rim_height = rim;
    const MeshFacts facts = facts_of(bowl, 0.05);
    EXPECT_EQ(facts.faulty_edges + facts.faulty_vertices, 0) << rim;
    EXPECT_EQ(facts.components, 1) << rim;
    EXPECT_NEAR(facts.volume, bowl.shape().volume, 0.05 * bowl.shape().volume) << rim;
  }
  bowl.rim_height = 1.7;  // above the top: a shell
  EXPECT_EQ(facts_of(bowl, 0.05).components, 2);
  EXPECT_EQ(facts_of(bowl, 0.05).faulty_edges, 0);
  EXPECT_NEAR(facts_of(bowl, 0.05).volume, 4.0 / 3 * M_PI * (std::pow(0.8, 3) - std::pow(0.65, 3)), 0.05);
  bowl.rim_height = 0.5, bowl.thickness = 0.8;
  EXPECT_EQ(facts_of(bowl, 0.05).faulty_edges, 0);
}

TEST(ShapeMesh, AMeshIsItsOwnSurface) {
  ShapeParameters s = shape("mesh");
  s.file = "cube.obj";
  s.mesh = test::cube();
  s.scale = {2, 2, 2};
  EXPECT_EQ(surface_of(s, {.edge = 0.05}), s.mesh);
  EXPECT_EQ(surface_of(s, {.edge = 0.05}).triangles, s.mesh.triangles);
}

/// And the surface is one that meshes of users may have.
TEST(ShapeMesh, ChordsLieWithinTheirDeviation) {
  std::vector<ShapeParameters> shapes;
  for (const char* word : {"box", "sphere", "cylinder", "torus", "bowl"}) shapes.push_back(shape(word));
  for (const double rim : {0.1, 1.0, 1.5, 1.7}) {  // no hollow, deep, hollow below the rim, closed ball
    shapes.push_back(shape("bowl"));
    shapes.back().rim_height = rim;
  }
  shapes.push_back(shape("bowl"));
  shapes.back().thickness = 0.8;  // solid
  for (const ShapeParameters& s : shapes) {
    TriangleMesh mesh = surface_of(s, {.deviation = 1e-4});
    EXPECT_NO_THROW(make_sound(mesh, s.word)) << s.word << " " << s.rim_height;
    const MeshSize size = size_of(mesh);
    // Two thirds of the deviation, for each of two curvatures.
    EXPECT_NEAR(mesh_volume(surface_of(s, {.deviation = 1e-4})), s.shape().volume, 1.4e-4 * size.area)
        << s.word << " " << s.rim_height;
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_GE(size.low[k], s.shape().low[k] - 1e-6);
      EXPECT_LE(size.high[k], s.shape().high[k] + 1e-6);
    }
  }
}

}  // namespace shape_mesh_test
}  // namespace merganser
