/// Meshes as others write them: the files of tests/inputs.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/geometry/sampling/closed_mesh.h"
#include "solvers/geometry/sampling/mesh_size.h"
#include "solvers/geometry/sampling/weld.h"
#include "tests/support/inputs.h"
#include "tests/support/mesh_messages.h"

namespace merganser {
namespace inputs_test {

std::filesystem::path mesh_input(const std::string& name) {
  return source_folder() / "tests/inputs/meshes" / name;
}

TEST(MeshInputs, ClosedOnesAreReadAndClosed) {
  const auto files = test::inputs("meshes/closed");
  EXPECT_GE(files.size(), 20u);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    TriangleMesh mesh = read_mesh(file, {.fit_size = 1});
    EXPECT_EQ(mesh.triangles.size(), 12u);
    EXPECT_NO_THROW(make_closed(mesh, "mesh"));
    EXPECT_EQ(mesh.vertices.size(), 8u);
    EXPECT_GT(mesh_volume(mesh), 0);
  }
}

TEST(MeshInputs, RefusedOnesAreNamed) {
  for (const auto& file : test::inputs("meshes/refused")) {
    SCOPED_TRACE(file);
    std::string said;
    try {
      TriangleMesh mesh = read_mesh(file);
      make_closed(mesh, file.string());
    } catch (const InputError& error) {
      said = error.what();
    }
    EXPECT_NE(said.find(file.filename().string()), said.npos) << said;
  }
}

/// A cube of 0.3 m at 5,411 km: float has half metres there.
TEST(MeshInputs, SurveyCoordinatesAreMovedBeforeTheyAreRounded) {
  const auto file = mesh_input("closed/survey_cube.obj");
  const Point3 to_origin{-448000, -5411000, -312};
  const TriangleMesh moved = read_mesh(file, {.translation = to_origin}),
                     fitted = read_mesh(file, {.fit_size = 1});
  EXPECT_NEAR(mesh_volume(moved), 0.027, 1e-6);
  EXPECT_NEAR(mesh_volume(fitted), 1, 1e-6);
  const MeshSize box = size_of(moved);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(box.low[k], (Point3{0.237, 0.511, 0.125})[k], 1e-6);
    EXPECT_NEAR(box.high[k], (Point3{0.537, 0.811, 0.425})[k], 1e-6);
  }
  // scale is applied before translation: in the unit that it makes.
  const TriangleMesh larger = read_mesh(
      file, {.scale = {2, 2, 2}, .translation = {2 * to_origin[0], 2 * to_origin[1], 2 * to_origin[2]}});
  EXPECT_NEAR(mesh_volume(larger), 0.216, 1e-6);
}

/// The volume of a mesh does not depend on where it lies, as far as float holds it there.
TEST(MeshInputs, VolumesAreThoseOfTheMeshFarFromTheOrigin) {
  const TriangleMesh far =
      read_mesh(mesh_input("closed/cube.obj"), {.translation = {8388608, -8388608, 4194304}});
  EXPECT_NEAR(mesh_volume(far), 1, 1e-9);
}

void expect_box(const TriangleMesh& mesh, const Point3& low, const Point3& high) {
  const MeshSize box = size_of(mesh);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(box.low[k], low[k], 1e-6) << k;
    EXPECT_NEAR(box.high[k], high[k], 1e-6) << k;
  }
}

/// Vertices that no triangle names, of a helper point or of another object, do not widen the bounds.
TEST(MeshInputs, VerticesThatNoTriangleNamesDoNotCount) {
  for (const char* name : {"closed/stray_vertex.obj", "closed/shared_positions.gltf"}) {
    SCOPED_TRACE(name);
    const TriangleMesh mesh = read_mesh(mesh_input(name), {.fit_size = 0.2});
    EXPECT_EQ(mesh.vertices.size(), 8u);
    EXPECT_NEAR(mesh_volume(mesh), 0.008, 1e-8);
    expect_box(mesh, {-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1});
  }
  test::write(test::temporary("stray_nan.obj"), "v nan 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n");
  EXPECT_EQ(read_mesh(test::temporary("stray_nan.obj")).vertices.size(), 3u);
  test::write(test::temporary("points.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  EXPECT_NE(test::message_of(test::temporary("points.obj")).find("points.obj: no triangles found"),
            std::string::npos);
}

/// glTF 2.0, sec. 3.7.3: half of a joint at rest, half of one that moves by 4 in x; the node of the mesh, at
/// x = 100, does not count.
TEST(MeshInputs, SkinsHaveThePoseOfTheirJoints) {
  expect_box(read_mesh(mesh_input("closed/skinned.gltf")), {2, 0, 0}, {3, 1, 1});
  EXPECT_NE(
      test::message_of(mesh_input("refused/skin_of_missing_joint.gltf")).find("names joint 9 of its skin"),
      std::string::npos);
  EXPECT_NE(
      test::message_of(mesh_input("refused/skin_without_joints.gltf")).find("no JOINTS_0 and WEIGHTS_0"),
      std::string::npos);
}

/// glTF 2.0, sec. 3.7.2.2: one target moves all vertices by 2 in z, a sparse one vertex 7 by 1 in x. Weights
/// are the mesh's, 0.5 and 1, or those of its node, 1 and 0.
TEST(MeshInputs, MorphTargetsHaveTheirDefaultWeights) {
  expect_box(read_mesh(mesh_input("closed/morphed.gltf")), {0, 0, 1}, {2, 1, 2});
  expect_box(read_mesh(mesh_input("closed/morphed_by_node.gltf")), {0, 0, 2}, {1, 1, 3});
}

/// 100 nodes deep: bones of a rope.
TEST(MeshInputs, NodesMayBeDeep) {
  expect_box(read_mesh(mesh_input("closed/chain.gltf")), {1, 0, 0}, {2, 1, 1});
}

TEST(MeshInputs, NodesAreTrees) {
  const auto said = [](const std::string& name) { return test::message_of(mesh_input("refused/" + name)); };
  EXPECT_NE(said("two_parents.gltf")
                .find("nodes.3 (\"shared\") is a child of both nodes.1 (\"left\") and nodes.2 (\"right\")"),
            std::string::npos)
      << said("two_parents.gltf");
  EXPECT_NE(said("child_twice.gltf").find("a node has one parent at most"), std::string::npos);
  EXPECT_NE(said("circle.gltf").find("go in a circle"), std::string::npos);
  EXPECT_NE(said("child_in_scene.gltf").find("scenes.0 names nodes.1, a child of nodes.0"),
            std::string::npos);
  EXPECT_NE(said("instancing.gltf").find("EXT_mesh_gpu_instancing"), std::string::npos);
}

/// A mesh of a million triangles, without data of its own, at eleven nodes.
TEST(MeshInputs, InstancesAreBounded) {
  std::string nodes, roots;
  for (int k = 0; k < 11; ++k) {
    nodes += R"({"mesh": 0},)";
    roots += std::to_string(k) + ",";
  }
  nodes.pop_back(), roots.pop_back();
  test::write(test::temporary("many.gltf"),
              R"({"scenes": [{"nodes": [)" + roots + R"(]}], "nodes": [)" + nodes +
                  R"(], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
   "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3000000}]})");
  const std::string said = test::message_of(test::temporary("many.gltf"));
  EXPECT_NE(
      said.find("11 nodes with meshes make 11000000 triangles of the 1000000 in the file, at most 10000000"),
      std::string::npos)
      << said;
}

/// Four meshes of three million triangles, all without data: none of them is in the file.
TEST(MeshInputs, MeshesWithoutDataAreBounded) {
  std::string nodes, roots, meshes;
  for (int k = 0; k < 4; ++k) {
    const std::string number = std::to_string(k), comma = k > 0 ? "," : "";
    nodes += comma + R"({"mesh": )" + number + "}";
    roots += comma + number;
    meshes += comma + R"({"primitives": [{"attributes": {"POSITION": 0}}]})";
  }
  test::write(test::temporary("zeros.gltf"),
              R"({"scenes": [{"nodes": [)" + roots + R"(]}], "nodes": [)" + nodes + R"(], "meshes": [)" +
                  meshes + R"(], "accessors": [{"componentType": 5126, "type": "VEC3", "count": 9000000}]})");
  const std::string said = test::message_of(test::temporary("zeros.gltf"));
  EXPECT_NE(said.find("4 nodes with meshes make 12000000 triangles"), std::string::npos) << said;
}

/// The seam's vertices stand twice, in the rounded one 3 micrometres apart; 8 x 4 are left.
TEST(MeshInputs, SeamsAreWelded) {
  for (const char* name : {"cloth/seam_tube.obj", "cloth/seam_tube.ply", "cloth/rounded_seam_tube.obj"}) {
    TriangleMesh mesh = read_mesh(mesh_input(name));
    EXPECT_EQ(mesh.vertices.size(), 36u) << name;
    EXPECT_EQ(weld(mesh, weld_tolerance), 4u) << name;
    EXPECT_EQ(mesh.vertices.size(), 32u) << name;
    EXPECT_EQ(mesh.triangles.size(), 48u) << name;
  }
}

/// All pairs within the tolerance and no other, on both sides of cells of the search.
TEST(Weld, MergesWhatLiesWithinTheTolerance) {
  for (const double gap : {0.0, 0.5e-5, 0.99e-5, 1.01e-5, 2e-5, 3e-5})
    for (int place = 0; place < 50; ++place) {
      FileMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 1, 3}}};
      const double x = 0.3 + place * 0.123456e-5;
      mesh.vertices.push_back({x, 0.5, 0.5});
      mesh.vertices.push_back({x + gap, 0.5, 0.5});
      mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {1, 2, 4}};
      EXPECT_EQ(weld(mesh, 1e-5), gap < 1e-5 ? 1u : 0u) << gap << " " << place;
      EXPECT_EQ(mesh.triangles[2][2], gap < 1e-5 ? 3 : 4);
    }
  FileMesh exact{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, 0}, {1e-300, 0, 0}},
                 {{0, 1, 2}, {3, 1, 2}, {4, 1, 2}}};
  EXPECT_EQ(weld(exact, 0), 1u) << "0 equals -0, and nothing else";
  EXPECT_EQ(exact.triangles[1], exact.triangles[0]);
}

TEST(MeshInputs, OfStlIsSaidWhatItsSizeMeans) {
  const std::string said = test::message_of(mesh_input("refused/cut_binary.stl"));
  EXPECT_NE(said.find("for the 12 facets that its header counts it has 664 bytes and needs 684"),
            std::string::npos)
      << said;
}

}  // namespace inputs_test
}  // namespace merganser
