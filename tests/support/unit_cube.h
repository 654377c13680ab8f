#pragma once
/// A closed mesh.
#include <cstdint>
#include <string>

#include "solvers/geometry/sampling/mesh.h"

namespace merganser::test {

/// A unit cube, all faces outwards.
inline TriangleMesh cube() {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.push_back({float(i & 1), float((i >> 1) & 1), float(i >> 2)});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// The same as an OBJ file.
inline std::string cube_as_obj() {
  std::string text;
  const TriangleMesh mesh = cube();
  for (const Float3& v : mesh.vertices) {
    text += "v";
    for (const float x : v) text += x > 0 ? " 1" : " 0";
    text += "\n";
  }
  for (const Triangle& t : mesh.triangles) {
    text += "f";
    for (const int corner : t) text += " " + std::to_string(corner + 1);
    text += "\n";
  }
  return text;
}

/// A unit cube as .glb: positions twice, as exporters write them for corners with several normals.
inline std::string cube_as_glb(const std::string& node = R"("mesh": 0)", const std::string& more = "") {
  const TriangleMesh mesh = cube();
  std::string binary;
  const auto raw = [&](const auto& value) {
    binary.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (int copy = 0; copy < 2; ++copy)
    for (const Float3& v : mesh.vertices) raw(v);
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const int corner : mesh.triangles[t]) raw(static_cast<std::uint16_t>(corner + (t % 2 ? 8 : 0)));
  std::string json = R"({"asset": {"version": "2.0"}, )" + more +
                     R"("scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{)" + node +
                     R"(}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 16, "type": "VEC3"},
                  {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 192}, {"buffer": 0, "byteOffset": 192, "byteLength": 72}],
    "buffers": [{"byteLength": 264}]})";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string glb = "glTF" + std::string("\2\0\0\0", 4);
  const auto number = [&](size_t value) {
    const auto four = static_cast<std::uint32_t>(value);
    glb.append(reinterpret_cast<const char*>(&four), 4);
  };
  number(12 + 8 + json.size() + 8 + binary.size());
  number(json.size());
  glb += "JSON" + json;
  number(binary.size());
  return glb + std::string("BIN\0", 4) + binary;
}

}  // namespace merganser::test
