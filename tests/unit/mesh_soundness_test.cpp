/// Meshes that are to enclose a solid: what is refused, what is repaired, what is thin.
#include "solvers/geometry/signed_distance/mesh_soundness.h"

#include <gtest/gtest.h>

#include "device/errors.h"
#include "solvers/geometry/signed_distance/mesh_overlaps.h"
#include "tests/support/made_meshes.h"
#include "tests/support/mesh_walls.h"

namespace merganser {
namespace mesh_soundness_test {

using test::box_mesh;

std::string refusal(TriangleMesh mesh) {
  try {
    make_sound(mesh, "mesh");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
std::string wall_refusal(const TriangleMesh& mesh, const WallParameters& wall = {}) {
  try {
    test::mesh_wall(mesh, 0.1, wall);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MeshSoundness, WholeMeshesPass) {
  EXPECT_EQ(refusal(box_mesh({0, 0, 0}, {1, 1, 1})), "");
  EXPECT_EQ(refusal(test::torus_mesh(1, 0.3, 24, 12)), "");
  EXPECT_EQ(refusal(test::both(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({2, 0, 0}, {3, 1, 1}))), "");
  EXPECT_EQ(refusal(test::both(box_mesh({0, 0, 0}, {1, 1, 1}),
                               test::inverted(box_mesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8})))),
            "")
      << "a cavity";
}

TEST(MeshSoundness, FacesThatLookInwardsAreTurned) {
  TriangleMesh mesh = test::inverted(box_mesh({0, 0, 0}, {1, 1, 1}));
  make_sound(mesh, "mesh");
  EXPECT_NEAR(mesh_volume(mesh), 1, 1e-6);
}

TEST(MeshSoundness, MeshesThatCutThemselvesAreErrors) {
  const std::string crossed =
      refusal(test::both(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({0.5, 0.3, 0.2}, {1.5, 0.7, 0.8})));
  EXPECT_NE(crossed.find("mesh: the mesh intersects itself, for example its triangles"), std::string::npos);
  EXPECT_NE(crossed.find("unite its parts"), std::string::npos);
  // One corner of a ball pulled through the other side.
  TriangleMesh folded = test::ball_mesh({0, 0, 0}, 1, 2);
  folded.vertices[0] = {-1.5f, 0.1f, 0};
  EXPECT_NE(refusal(folded).find("intersects itself"), std::string::npos);
}

/// Cuts of which no triangle's inside tells: in common planes, along edges, through corners.
TEST(MeshSoundness, CutsAlongEdgesAndInPlanesAreErrors) {
  const auto refused = [](const TriangleMesh& one, const TriangleMesh& other) {
    return refusal(test::both(one, other)) != "";
  };
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  EXPECT_TRUE(refused(cube, box_mesh({0.5, 0, 0}, {1.5, 1, 1})));
  EXPECT_TRUE(refused(cube, box_mesh({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5})));
  EXPECT_TRUE(refused(cube, cube));
  EXPECT_TRUE(refused(cube, box_mesh({0.25, 0.25, 1}, {0.75, 0.75, 2}))) << "faces that lie on each other";
  // Its sides pass through the upper face of the other one along the edges of triangles only.
  TriangleMesh gridded = test::box_of_squares(4);
  EXPECT_EQ(refusal(gridded), "");
  EXPECT_TRUE(refused(gridded, box_mesh({0.25, 0.25, 0.6}, {0.75, 0.75, 1.4})));
  EXPECT_TRUE(refused(gridded, box_mesh({0.25, 0.25, -0.4}, {0.75, 0.75, 1.4})));
}

TEST(MeshSoundness, PartsThatMeetInPointsOrLinesPass) {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(refusal(test::both(cube, box_mesh({1, 1, 1}, {2, 2, 2}))), "") << "in a corner";
  EXPECT_EQ(refusal(test::both(cube, box_mesh({1, 1, 0}, {2, 2, 1}))), "") << "in an edge";
  EXPECT_EQ(refusal(test::both(cube, box_mesh({1, 1, 0.3}, {2, 2, 0.7}))), "") << "in a part of an edge";
  EXPECT_EQ(refusal(test::both(cube, test::ball_mesh({0.5, 0.5, 2}, 1, 3))), "") << "a ball on it";
}

TEST(MeshSoundness, PartsWithinOthersThatLookOutwardsAreErrors) {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1}),
                     inner = box_mesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}),
                     core = box_mesh({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6});
  EXPECT_NE(refusal(test::both(cube, inner)).find("lies within another part of it or looks the other way"),
            std::string::npos);
  EXPECT_EQ(refusal(test::both(test::both(cube, test::inverted(inner)), core)), "") << "a solid in a cavity";
  EXPECT_NE(refusal(test::both(test::both(cube, test::inverted(inner)), test::inverted(core))), "");
  EXPECT_NE(refusal(test::both(cube, test::inverted(box_mesh({2, 0, 0}, {2.5, 0.5, 0.5})))), "");
}

/// Where nothing is amiss the mesh stays; else its edges are chamfered by a cell or so, of volumes of 1 m^3.
TEST(MeshSoundness, TheSolidOfAMeshThatOverlapsItselfIsTheUnion) {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(solid_surface(test::inverted(cube), 0.02), cube);
  const auto volume = [](const TriangleMesh& mesh) {
    const TriangleMesh united = solid_surface(mesh, 0.02);
    EXPECT_FALSE(find_overlap(united, make_mesh_tree(united)).found());
    return mesh_volume(united);
  };
  const TriangleMesh inner = box_mesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8});
  EXPECT_NEAR(volume(test::both(cube, box_mesh({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}))), 1.875, 0.005);
  EXPECT_NEAR(volume(test::both(cube, box_mesh({0.5, 0, 0}, {1.5, 1, 1}))), 1.5, 0.005);
  EXPECT_NEAR(volume(test::both(cube, inner)), 1, 0.005);
  EXPECT_NEAR(volume(test::both(test::both(cube, test::inverted(inner)), box_mesh({0.9, 0, 0}, {1.5, 1, 1}))),
              1.5 - 0.216, 0.005)
      << "the cavity stays";
  EXPECT_NEAR(volume(test::both(cube, box_mesh({1, 0, 0}, {2, 1, 1}))), 2, 0.005) << "side by side";
  TriangleMesh folded = test::ball_mesh({0, 0, 0}, 1, 3);
  folded.vertices[0] = {-1.5f, 0.1f, 0};
  EXPECT_GT(volume(folded), 3);
}

TEST(MeshSoundness, OpenWallsNeedAThickness) {
  TriangleMesh open = box_mesh({0, 0, 0}, {1, 1, 1});
  open.triangles.pop_back();
  const std::string said = wall_refusal(open);
  EXPECT_NE(said.find("walls.0.geometryFile (test): the mesh is not closed"), std::string::npos) << said;
  EXPECT_NE(said.find("needs a thickness"), std::string::npos) << said;
  EXPECT_EQ(wall_refusal(open, {.thickness = 0.1}), "");
}

TEST(MeshSoundness, ThinPartsAreFound) {
  const ThinParts plate = find_thin_parts(make_mesh_tree(box_mesh({0, 0, 0}, {1, 1, 0.02})), 0.05);
  EXPECT_NEAR(plate.least, 0.02, 1e-6);
  EXPECT_NEAR(plate.area_share, 2 / 2.08, 1e-6);
  EXPECT_EQ(find_thin_parts(make_mesh_tree(box_mesh({0, 0, 0}, {1, 1, 0.06})), 0.05).area_share, 0);
  EXPECT_EQ(find_thin_parts(make_mesh_tree(test::torus_mesh(1, 0.3, 24, 12)), 0.3).area_share, 0);
}

TEST(MeshSoundness, ThinWallsAreNoted) {
  const auto note = [](const TriangleMesh& mesh, const WallParameters& wall) {
    return note_on_thin_parts(*test::mesh_wall(mesh, 0.1, wall).mesh, 0.1);
  };
  const TriangleMesh plate = box_mesh({0, 0, 0}, {1, 1, 0.02});
  EXPECT_NE(note(plate, {.inside = false}).find("thinner than the particle spacing, 0.1 m, down to 0.02"),
            std::string::npos);
  const TriangleMesh board = box_mesh({0, 0, 0}, {1, 1, 0.2});
  EXPECT_NE(note(board, {.inside = false}).find("thinner than a fluid's kernel reaches, 0.24 m, down to 0.2"),
            std::string::npos);
  EXPECT_EQ(note(board, {.thickness = 0.2}), "") << "what a sheet hides counts as solid";
  EXPECT_EQ(note(plate, {}), "") << "a tank is as thick as one likes";
  EXPECT_NE(
      note(plate, {.thickness = 0.05}).find("the thickness of 0.05 m is less than the particle spacing"),
      std::string::npos);
  EXPECT_EQ(note(plate, {.thickness = 0.1}), "");
  EXPECT_EQ(note(box_mesh({0, 0, 0}, {1, 1, 1}), {.inside = false}), "");
}

}  // namespace mesh_soundness_test
}  // namespace merganser
