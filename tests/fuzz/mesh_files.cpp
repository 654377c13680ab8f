#include "tests/fuzz/mesh_files.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "tests/support/inputs.h"
#include "tests/support/temporary_folder.h"

namespace merganser::fuzz {
namespace {

using Corner = std::array<float, 3>;
struct Ball {
  std::vector<Corner> vertices;
  std::vector<std::array<int, 3>> triangles;
};

/// An octahedron, each of whose triangles is cut into four.
Ball ball(int rounds) {
  Ball mesh{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
            {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int round = 0; round < rounds; ++round) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [entry, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (is_new) {
        Corner m{};
        float length = 0;
        for (size_t k = 0; k < 3; ++k) {
          m[k] = mesh.vertices[size_t(a)][k] + mesh.vertices[size_t(b)][k];
          length += m[k] * m[k];
        }
        for (float& x : m) x /= std::sqrt(length);
        mesh.vertices.push_back(m);
      }
      return entry->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = finer;
  }
  return mesh;
}

template <class Number>
void append(std::string& bytes, Number number, bool swap = false) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  if (swap) std::reverse(raw, raw + sizeof number);
  bytes.append(raw, sizeof number);
}

std::string ply_header(const Ball& mesh, const std::string& format) {
  return "ply\nformat " + format + " 1.0\ncomment a ball\nelement vertex " +
         std::to_string(mesh.vertices.size()) +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
         std::to_string(mesh.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
}

std::string binary_ply(const Ball& mesh, bool big) {
  std::string bytes = ply_header(mesh, big ? "binary_big_endian" : "binary_little_endian");
  const bool swap = big == (std::endian::native == std::endian::little);
  for (const Corner& v : mesh.vertices)
    for (const float x : v) append(bytes, x, swap);
  for (const auto& t : mesh.triangles) {
    bytes += '\3';
    for (const int corner : t) append(bytes, corner, swap);
  }
  return bytes;
}

std::string binary_stl(const Ball& mesh) {
  std::string bytes(80, ' ');
  append(bytes, static_cast<unsigned>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    bytes.append(12, '\0');
    for (const int corner : t)
      for (const float x : mesh.vertices[size_t(corner)]) append(bytes, x);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string glb(const Ball& mesh) {
  std::string binary;
  for (const Corner& v : mesh.vertices)
    for (const float x : v) append(binary, x);
  const std::string vertices = std::to_string(mesh.vertices.size()),
                    indices = std::to_string(3 * mesh.triangles.size()),
                    first = std::to_string(binary.size());
  for (const auto& t : mesh.triangles)
    for (const int corner : t) append(binary, corner);
  std::string json =
      R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "translation": [0, 0, 1]}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": )" +
      vertices + R"(}, {"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": )" + indices +
      R"(}], "bufferViews": [{"buffer": 0}, {"buffer": 0, "byteOffset": )" + first +
      R"(}], "buffers": [{}]})";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string bytes = "glTF";
  append(bytes, 2);
  append(bytes, static_cast<int>(28 + json.size() + binary.size()));
  append(bytes, static_cast<int>(json.size()));
  bytes += "JSON" + json;
  append(bytes, static_cast<int>(binary.size()));
  return bytes + std::string("BIN\0", 4) + binary;
}

}  // namespace

std::vector<MeshFile> ball_in_all_formats(int rounds) {
  const Ball mesh = ball(rounds);
  std::ostringstream obj, ply, stl, off;
  obj << "# a ball\no ball\n";
  ply << ply_header(mesh, "ascii");
  stl << "solid ball\n";
  off << "OFF\n" << mesh.vertices.size() << ' ' << mesh.triangles.size() << " 0\n";
  for (const auto& [x, y, z] : mesh.vertices) {
    obj << "v " << x << ' ' << y << ' ' << z << '\n';
    ply << x << ' ' << y << ' ' << z << '\n';
    off << x << ' ' << y << ' ' << z << '\n';
  }
  for (const auto& t : mesh.triangles) {
    obj << "f " << t[0] + 1 << "//1 " << t[1] + 1 << ' ' << t[2] + 1 << '\n';
    ply << "3 " << t[0] << ' ' << t[1] << ' ' << t[2] << '\n';
    off << "3 " << t[0] << ' ' << t[1] << ' ' << t[2] << '\n';
    stl << "facet normal 0 0 0\n outer loop\n";
    for (const int corner : t) {
      const auto& [x, y, z] = mesh.vertices[size_t(corner)];
      stl << "  vertex " << x << ' ' << y << ' ' << z << '\n';
    }
    stl << " endloop\nendfacet\n";
  }
  stl << "endsolid ball\n";
  return {{"mesh.obj", obj.str()},
          {"mesh.ply", ply.str()},
          {"mesh.ply", binary_ply(mesh, false)},
          {"mesh.ply", binary_ply(mesh, true)},
          {"mesh.stl", stl.str()},
          {"mesh.stl", binary_stl(mesh)},
          {"mesh.off", off.str()},
          {"mesh.glb", glb(mesh)}};
}

std::vector<MeshFile> mesh_corpus() {
  std::vector<MeshFile> meshes = ball_in_all_formats(1);
  for (const char* folder : {"meshes/closed", "meshes/cloth", "meshes/refused"})
    for (const auto& file : test::inputs(folder))
      meshes.push_back({"mesh" + file.extension().string(), test::text_of(file)});
  return meshes;
}

}  // namespace merganser::fuzz
