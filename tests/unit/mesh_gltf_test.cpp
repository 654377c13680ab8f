/// glTF meshes: what is read, and errors.
#include <gtest/gtest.h>

#include "host/scene/mesh_file.h"
#include "tests/support/mesh_messages.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace mesh_gltf_test {

using test::cube_as_glb;
using test::message_of;
using test::temporary;
using test::write;

TEST(Mesh, ReadsGltf) {
  write(temporary("a.glb"), cube_as_glb());
  const TriangleMesh read = read_mesh(temporary("a.glb"));
  EXPECT_EQ(read.vertices.size(), 8u);
  EXPECT_NO_THROW(require_closed(read, "a.glb"));
  EXPECT_NEAR(mesh_volume(read), 1, 1e-6);
  // A node's place: mirrored, scaled, turned by a right angle about z, moved.
  write(temporary("b.glb"), cube_as_glb(R"("mesh": 0, "translation": [5, 0, 0], "scale": [2, -1, 1],
                                            "rotation": [0, 0, 0.70710678, 0.70710678])"));
  const TriangleMesh placed = read_mesh(temporary("b.glb"));
  EXPECT_NEAR(mesh_volume(placed), 2, 1e-5) << "faces of a mirrored mesh look outwards";
  for (const Float3& v : placed.vertices) {
    EXPECT_TRUE(v[0] > 4.99f && v[0] < 6.01f && v[1] > -0.01f && v[1] < 2.01f) << v[0] << " " << v[1];
  }
}

TEST(Mesh, GltfErrorsNameTheRemedy) {
  const auto said_of = [](std::string glb, const std::string& from, const std::string& to) {
    if (!from.empty()) glb.replace(glb.find(from), from.size(), to);
    write(temporary("bad.glb"), glb);
    return message_of(temporary("bad.glb"));
  };
  const std::string glb = cube_as_glb();
  EXPECT_NE(
      said_of(glb, "\"count\": 36", "\"count\": 99").find("bad.glb: accessors.1 reaches beyond its buffer"),
      std::string::npos);
  EXPECT_NE(said_of(glb, "\"indices\": 1", "\"indices\": 7")
                .find("meshes.0.primitives.0 names accessors.7, but there are 2"),
            std::string::npos);
  EXPECT_NE(said_of(glb, "\"componentType\": 5126", "\"componentType\": 5121").find("without quantization"),
            std::string::npos);
  EXPECT_NE(said_of(glb, "\"count\": 16", "\"count\": -6").find("is no whole number"), std::string::npos);
  EXPECT_NE(said_of(glb.substr(0, glb.size() - 9), "", "").find("ends too early"), std::string::npos);
  write(temporary("bad.gltf"), R"({"buffers": [{"uri": "a.bin"}]})");
  EXPECT_NE(message_of(temporary("bad.gltf")).find("save it as .glb"), std::string::npos);
  write(temporary("bad.gltf"), "{");
  EXPECT_NE(message_of(temporary("bad.gltf")).find("holds no JSON object"), std::string::npos);
}

/// Rotations that are rounded, or whose writer did not care, turn and do not scale.
TEST(Mesh, GltfRotationsNeedNotHaveLengthOne) {
  for (const char* rotation : {"[0, 0, 1, 1]", "[0, 0, 0.0001, 0.0001]", "[0, 0, -70, -70]"}) {
    write(temporary("turned.glb"),
          cube_as_glb(R"("mesh": 0, "translation": [5, 0, 0], "scale": [2, 1, 1], "rotation": )" +
                      std::string(rotation)));
    const TriangleMesh turned = read_mesh(temporary("turned.glb"));
    EXPECT_NEAR(mesh_volume(turned), 2, 1e-5) << rotation;
    for (const Float3& v : turned.vertices)
      EXPECT_TRUE(v[0] > 3.99f && v[0] < 5.01f && v[1] > -0.01f && v[1] < 2.01f) << v[0] << " " << v[1];
  }
}

/// What is wrong in a node, or missing in what it names, is told with its place and value.
TEST(Mesh, GltfErrorsNameNodeAndValue) {
  const auto said = [](const std::string& node, const std::string& from = "", const std::string& to = "") {
    std::string glb = cube_as_glb(node);
    if (!from.empty()) {
      EXPECT_NE(glb.find(from), std::string::npos) << from;
      glb.replace(glb.find(from), from.size(), to + std::string(from.size() - to.size(), ' '));
    }
    write(temporary("node.glb"), glb);
    return message_of(temporary("node.glb"));
  };
  const auto expect_says = [](const std::string& text, const std::vector<std::string>& pieces) {
    for (const std::string& piece : pieces)
      EXPECT_NE(text.find(piece), std::string::npos) << "no '" << piece << "' in: " << text;
  };
  expect_says(said(R"("mesh": 0, "name": "lid", "rotation": [0, 0, 0, 0])"),
              {"node.glb: nodes.0 (\"lid\").rotation is [0,0,0,0]", "length 1", "save it again"});
  expect_says(said(R"("mesh": 0, "rotation": [0, 0, 1])"), {"nodes.0.rotation is [0,0,1]", "4 numbers"});
  expect_says(said(R"("mesh": 0, "rotation": )" + std::string(100000, '[') + std::string(100000, ']')),
              {"nodes.0.rotation is a list of lists", "4 numbers"});
  expect_says(said(R"("mesh": 0, "scale": "big")"), {"nodes.0.scale is \"big\"", "3 numbers"});
  expect_says(said(R"("mesh": 0, "matrix": [1, 0])"), {"nodes.0.matrix is [1,0]", "16 numbers"});
  expect_says(said(R"("mesh": 0, "matrix": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1], "scale": [2, 2, 2])"),
              {"nodes.0 has a matrix and a scale", "save it again"});
  expect_says(said(R"("mesh": 3)"), {"nodes.0 names meshes.3, but there are 1"});
  expect_says(said(R"("mesh": "a")"), {"nodes.0.mesh is \"a\"", "no whole number"});
  expect_says(said(R"("children": [4])"), {"nodes.0 names nodes.4, but there are 1"});
  expect_says(said(R"("mesh": 0)", "\"POSITION\"", "\"NORMAL\""),
              {"meshes.0.primitives.0.attributes.POSITION is missing"});
  expect_says(said(R"("mesh": 0)", "\"count\": 16", "\"c\": 16"), {"accessors.0.count is missing"});
  expect_says(said(R"("mesh": 0)", "\"nodes\": [0]", "\"nodes\": 0"), {"scenes.0.nodes is 0", "a list"});
}

/// glTF 2.0, sec. 5.11.4. Without a stride a few bytes would be any number of elements.
TEST(Mesh, GltfStridesAreThoseOfTheStandard) {
  const auto said = [](const std::string& length, const std::string& stride) {
    std::string glb = cube_as_glb();
    glb.replace(glb.find(length), length.size(), stride + std::string(length.size() - stride.size(), ' '));
    write(temporary("stride.glb"), glb);
    return message_of(temporary("stride.glb"));
  };
  const std::string of_positions = "\"byteLength\": 192", of_indices = "\"byteLength\": 72";
  EXPECT_EQ(said(of_positions, "\"byteStride\": 12"), "");
  for (const char* stride : {"0", "8", "256"}) {
    const std::string text = said(of_positions, "\"byteStride\": " + std::string(stride));
    EXPECT_NE(text.find("stride.glb: bufferViews.0.byteStride is " + std::string(stride) +
                        ", must be 12 to 252 for elements of 12 bytes; save the file again"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(said(of_indices, "\"byteStride\": 0").find("bufferViews.1.byteStride is 0, must be 4 to 252"),
            std::string::npos);
}

/// A chain of nodes, each with a triangle and each a joint of a skin, whose deepest joint has a triangle too.
/// Every node's matrix is multiplied once: by their depth they would be 450 million products.
TEST(Mesh, GltfChainsMayBeLong) {
  constexpr int nodes = 30000;
  std::string chain, joints;
  for (int k = 0; k < nodes; ++k) {
    chain += R"({"mesh": 0, "translation": [0.0009765625, 0, 0])";
    if (k + 1 < nodes) chain += R"(, "children": [)" + std::to_string(k + 1) + "]";
    chain += "},";
    joints += (k > 0 ? "," : "") + std::to_string(nodes - 1 - k);
  }
  write(temporary("long.gltf"),
        R"({"scenes": [{"nodes": [0, )" + std::to_string(nodes) + R"(]}], "nodes": [)" + chain +
            R"({"mesh": 1, "skin": 0}], "skins": [{"joints": [)" + joints +
            R"(]}], "meshes": [
   {"primitives": [{"attributes": {"POSITION": 0}}]},
   {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}], "accessors": [
   {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
   {"componentType": 5123, "type": "VEC4", "count": 3},
   {"bufferView": 1, "componentType": 5126, "type": "VEC4", "count": 3}], "bufferViews": [
   {"buffer": 0}, {"buffer": 0, "byteOffset": 36}], "buffers": [{"uri": "data:;base64,)"
            "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/"
            "AAAAAAAAAAAAAAAA\"}]}");
  const TriangleMesh mesh = read_mesh(temporary("long.gltf"));
  ASSERT_EQ(mesh.triangles.size(), size_t{nodes + 1});
  EXPECT_EQ(mesh.vertices[size_t(mesh.triangles[0][0])], (Float3{1 / 1024.f, 0, 0}));
  EXPECT_EQ(mesh.vertices[size_t(mesh.triangles[nodes - 1][0])], (Float3{nodes / 1024.f, 0, 0}));
  EXPECT_EQ(mesh.triangles[nodes], mesh.triangles[nodes - 1]);
}

/// A file that requires an extension cannot be read rightly without it, unless that is about looks alone.
TEST(Mesh, GltfExtensionsThatAreRequiredAreReadOrRefused) {
  const auto said = [](const std::string& extension) {
    write(temporary("extended.glb"),
          cube_as_glb(R"("mesh": 0)", R"("extensionsRequired": [")" + extension + "\"], "));
    return message_of(temporary("extended.glb"));
  };
  for (const char* looks : {"KHR_materials_unlit", "KHR_texture_transform", "KHR_lights_punctual"})
    EXPECT_EQ(said(looks), "") << looks;
  for (const char* shape : {"KHR_draco_mesh_compression", "KHR_mesh_quantization", "EXT_meshopt_compression",
                            "EXT_mesh_gpu_instancing", "VENDOR_anything"}) {
    EXPECT_NE(said(shape).find("requires the extension \"" + std::string(shape) + "\""), std::string::npos)
        << said(shape);
    EXPECT_NE(said(shape).find("save it without"), std::string::npos) << said(shape);
  }
}

}  // namespace mesh_gltf_test
}  // namespace merganser
