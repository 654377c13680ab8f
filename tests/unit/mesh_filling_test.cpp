/// Meshes: placement, what fills them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "device/errors.h"
#include "host/scene/mesh_file.h"
#include "solvers/geometry/sampling/closed_mesh.h"
#include "tests/support/made_meshes.h"
#include "tests/support/placed_mesh.h"
#include "tests/support/source_folder.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace mesh_filling_test {

namespace fs = std::filesystem;
using std::numbers::pi;
using test::cube;

TEST(MeshFilling, TransformsInTheStatedOrder) {
  TriangleMesh mesh = cube();
  test::transform(mesh, {.scale = {1, 1, 2},
                         .rotation_axis = {0, 0, 1},
                         .rotation_angle = pi / 2,
                         .translation = {0, 0, 5},
                         .fit_size = 3});
  EXPECT_NEAR(mesh_volume(mesh), 54, 1e-4);
  EXPECT_NEAR(mesh.vertices[1][0], 1.5, 1e-5);  // corner (1, 0, 0) -> (1.5, -1.5, -3) -> (1.5, 1.5, 2)
  EXPECT_NEAR(mesh.vertices[1][1], 1.5, 1e-5);
  EXPECT_NEAR(mesh.vertices[1][2], 2, 1e-5);
}

TEST(MeshFilling, ClosedMeshIsFilledToItsVolume) {
  const double spacing = 0.05;
  EXPECT_NEAR(sample_mesh(cube(), {.spacing = spacing}).size() * std::pow(spacing, 3), 1, 0.03);
}

/// Faces that look inwards, and a place far from the origin (float spacing there: 1e-3 of the particle
/// spacing), change nothing.
TEST(MeshFilling, FillingKnowsInsideWhicheverWayFacesLook) {
  TriangleMesh inverted = cube(), far = cube();
  for (Triangle& t : inverted.triangles) std::swap(t[1], t[2]);
  test::transform(far, {.translation = {1000, 1000, 1000}});
  const size_t expected = 20 * 20 * 20;
  EXPECT_EQ(sample_mesh(cube(), {.spacing = 0.05}).size(), expected);
  EXPECT_EQ(sample_mesh(inverted, {.spacing = 0.05}).size(), expected);
  EXPECT_EQ(sample_mesh(far, {.spacing = 0.05}).size(), expected);
}

/// One particle in the middle at the coarsest; never one outside.
/// Parts whose faces look the other way within the solid are cavities, also with a solid in them; parts that
/// overlap are filled once. Boxes on the faces of lattice cells: the numbers are exact.
TEST(MeshFilling, CavitiesStayEmpty) {
  const auto box = [](double low, double high) {
    return test::box_mesh({low, low, low}, {high, high, high});
  };
  const auto count = [](const TriangleMesh& mesh) { return sample_mesh(mesh, {.spacing = 0.1}).size(); };
  const TriangleMesh hollow = test::both(test::inverted(box(0.2, 0.8)), box(0, 1));
  EXPECT_EQ(count(hollow), 1000u - 216u);
  EXPECT_EQ(count(test::inverted(hollow)), 1000u - 216u);
  EXPECT_EQ(count(test::both(hollow, box(0.4, 0.6))), 1000u - 216u + 8u);
  EXPECT_EQ(count(test::both(box(0, 1), box(0.2, 0.8))), 1000u);                       // no cavity
  EXPECT_EQ(count(test::both(box(0, 1), box(0.5, 1.5))), 2000u - 125u);                // united
  EXPECT_EQ(count(test::both(box(0, 1), test::inverted(box(2, 2.5)))), 1000u + 125u);  // beside it
}

/// Down to the least particle radius of scenes, 1e-9 m. Lattices are scaled exactly by powers of two.
TEST(MeshFilling, SmallMeshesAreFilledAsLargeOnes) {
  const TriangleMesh hollow = test::both(test::inverted(test::box_mesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8})),
                                         test::box_mesh({0, 0, 0}, {1, 1, 1}));
  for (const TriangleMesh& mesh : {cube(), hollow, test::ball_mesh({3, 0, 0}, 0.5, 3)}) {
    const auto large = sample_mesh(mesh, {.spacing = 0.1});
    for (const float factor : {0x1p-10f, 0x1p-13f, 0x1p-20f, 0x1p-25f}) {
      std::vector<Float3> expected = large;
      for (Float3& p : expected)
        for (float& x : p) x *= factor;
      EXPECT_EQ(sample_mesh(test::scaled(mesh, factor), {.spacing = 0.1 * double(factor)}), expected)
          << factor;
    }
  }
}

TEST(MeshFilling, SmallPartsAreUnitedAsLargeOnes) {
  const TriangleMesh parts =
      test::both(test::ball_mesh({0, 0, 0}, 0.5, 3), test::ball_mesh({0.6, 0, 0}, 0.5, 3));
  const double volume = mesh_volume(united_mesh(parts, 0.03));
  // Balls of radius r whose centres are a apart have pi (4 r + a) (2 r - a)^2 / 12 in common.
  EXPECT_NEAR(volume, pi * (8 * 0.125 / 3 - (2 + 0.6) * 0.4 * 0.4 / 12), 0.04);
  for (const float factor : {0x1p-12f, 0x1p-20f, 0x1p-25f}) {
    const double scale = factor;
    const double small = mesh_volume(united_mesh(test::scaled(parts, factor), 0.03 * scale));
    // Tolerances of OpenVDB: some 1e-6 of a voxel.
    EXPECT_NEAR(small / (scale * scale * scale), volume, 1e-4) << factor;
  }
}

/// Faces with corners of their own are joined where a closed mesh is needed.
TEST(MeshFilling, VerticesAtEqualPlacesAreJoinedToCloseAMesh) {
  TriangleMesh soup;
  for (const Triangle& t : cube().triangles) {
    const int first = static_cast<int>(soup.vertices.size());
    for (const int v : t) soup.vertices.push_back(cube().vertices[size_t(v)]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_THROW(require_closed(soup, "soup"), InputError);
  make_closed(soup, "soup");
  EXPECT_EQ(soup.vertices.size(), 8u);
  EXPECT_NEAR(mesh_volume(soup), 1, 1e-6);
  TriangleMesh kept = cube();
  kept.vertices.push_back(kept.vertices[0]);  // unused
  make_closed(kept, "kept");
  EXPECT_EQ(kept.vertices.size(), 9u) << "a closed mesh stays as it is";
  TriangleMesh open = cube();
  open.triangles.pop_back();
  EXPECT_THROW(make_closed(open, "open"), InputError);
}

/// Closed, but nothing is inside: faces lie upon one another. Thin ones are no such, nor parts of which one
/// is inside out.
TEST(MeshFilling, MeshesThatEncloseNothingAreErrors) {
  TriangleMesh flat = test::box_mesh({0, 0, 0}, {1, 1, 0}), thin = test::box_mesh({0, 0, 0}, {1, 1, 1e-5}),
               needle = test::box_mesh({0, 0, 0}, {1, 1e-5, 1e-5}),
               opposite = test::both(cube(), test::inverted(test::box_mesh({2, 0, 0}, {3, 1, 1})));
  try {
    make_closed(flat, "flat.obj");
    FAIL() << "is taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("flat.obj: the mesh encloses no volume"), std::string::npos)
        << error.what();
  }
  for (TriangleMesh* mesh : {&thin, &needle, &opposite}) EXPECT_NO_THROW(make_closed(*mesh, "mesh"));
}

TEST(MeshFilling, CoarseLatticesStayInside) {
  for (double spacing : {0.3, 0.7, 1.0, 1.9})
    for (const Float3& p : sample_mesh(cube(), {.spacing = spacing}))
      for (float x : p) EXPECT_TRUE(x > 0 && x < 1) << spacing;
  EXPECT_EQ(sample_mesh(cube(), {.spacing = 1.0}).size(), 1u);
}

TEST(MeshFilling, TestMeshesAreFilledToTheirVolume) {
  const fs::path meshes = shared_folder() / "meshes";
  if (!fs::is_directory(meshes)) GTEST_SKIP() << "no folder of test meshes (MERGANSER_SHARED or ../shared)";
  for (const char* name : {"spot_low.obj", "bunny_7k.obj", "proc_torus.obj", "koala_low.obj"}) {
    TriangleMesh mesh = read_mesh(meshes / name);
    require_closed(mesh, name);
    test::transform(mesh, {.fit_size = 1});
    const auto points = sample_mesh(mesh, {.spacing = 0.02});
    EXPECT_NEAR(points.size() * std::pow(0.02, 3) / mesh_volume(mesh), 1, 0.03) << name;
  }
}

}  // namespace mesh_filling_test
}  // namespace merganser
