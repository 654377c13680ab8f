/// Meshes: file formats and errors; glTF: mesh_gltf_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "host/scene/mesh_file.h"
#include "tests/support/mesh_messages.h"
#include "tests/support/unit_cube.h"

namespace merganser {
namespace mesh_test {

namespace fs = std::filesystem;

using test::cube;
using test::cube_as_glb;
using test::message_of;
using test::temporary;
using test::write;

TEST(Mesh, ReadsEveryFormat) {
  const TriangleMesh mesh = cube();
  std::string obj = "# cube\n",
              ply =
                  "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n",
              stl = "solid cube\n", binary_ply = ply, binary_stl(84, '\0');
  binary_ply.replace(binary_ply.find("ascii"), 5, "binary_little_endian");
  auto raw = [](std::string& to, const auto& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::uint32_t count = 12;
  std::memcpy(binary_stl.data() + 80, &count, 4);
  for (const Float3& v : mesh.vertices) {
    const std::string line =
        std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + "\n";
    obj += "v " + line;
    ply += line;
    raw(binary_ply, v);
  }
  for (const Triangle& t : mesh.triangles) {
    obj += "f";
    ply += "3";
    stl += "facet normal 0 0 0\nouter loop\n";
    binary_ply += '\3';
    binary_stl.append(12, '\0');
    for (int corner : t) {
      const Float3& v = mesh.vertices[size_t(corner)];
      obj += " " + std::to_string(corner + 1) + "/1/1";
      ply += " " + std::to_string(corner);
      stl +=
          "vertex " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + "\n";
      raw(binary_ply, corner);
      raw(binary_stl, v);
    }
    obj += "\n";
    ply += "\n";
    stl += "endloop\nendfacet\n";
    binary_stl.append(2, '\0');
  }
  stl += "endsolid\n";
  const std::pair<const char*, std::string> files[] = {
      {"a.obj", obj}, {"a.ply", ply}, {"b.ply", binary_ply}, {"a.STL", stl}, {"b.stl", binary_stl}};
  for (const auto& [name, bytes] : files) {
    write(temporary(name), bytes);
    const TriangleMesh read = read_mesh(temporary(name));
    EXPECT_EQ(read.vertices.size(), 8u) << name;
    EXPECT_EQ(read.triangles.size(), 12u) << name;
    EXPECT_NO_THROW(require_closed(read, name));
    EXPECT_NEAR(mesh_volume(read), 1, 1e-6) << name;
  }
}

/// The format lets a long line go on in the next one after a backslash, with either end of line; a comment
/// that ends with one, as the path of a folder may, hides nothing.
TEST(Mesh, ObjLinesMayGoOnInTheNext) {
  for (const std::string end : {"\n", "\r\n"}) {
    std::string text;
    for (const char* line : {"# C:\\models\\", "v 0 0 \\", "7", "v 1 0 0", "v 0 1 0", "v 1 1 0", "f 1/1 \\",
                             " 2\\", "4 3", "  # C:\\"})
      text += line + end;
    write(temporary("continued.obj"), text);
    const TriangleMesh mesh = read_mesh(temporary("continued.obj"));
    ASSERT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.vertices[0], (Float3{0, 0, 7}));
    EXPECT_EQ(mesh.triangles.size(), 2u);
    write(temporary("continued.obj"), text + "f 1 2 9 \\");
    EXPECT_NE(message_of(temporary("continued.obj")).find("continued.obj:11: a face names vertex 9"),
              std::string::npos)
        << message_of(temporary("continued.obj"));
  }
}

/// A header may list faces before the vertices that they name.
TEST(Mesh, PlyFacesMayStandBeforeVertices) {
  const std::string
      head =
          "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int vertex_indices\n"
          "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
      vertices = "0 0 7\n1 0 0\n0 1 0\n1 1 0\n";
  write(temporary("early.ply"), head + "3 0 1 2\n3 3 2 1\n" + vertices);
  const TriangleMesh mesh = read_mesh(temporary("early.ply"));
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[0], (Float3{0, 0, 7}));
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.triangles[1], (Triangle{3, 2, 1}));
  write(temporary("early.ply"), head + "3 0 1 2\n3 3 2 4\n" + vertices);
  EXPECT_NE(message_of(temporary("early.ply")).find("early.ply: a face names vertex 5, but there are 4"),
            std::string::npos);
}

TEST(Mesh, ReadsOff) {
  const std::string cube =
      "OFF # a cube\n\n8 6 0\n0 0 0\n1 0 0\n1 1 0 # a corner\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
      "4 0 3 2 1 255 0 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
  write(temporary("a.off"), cube);
  const TriangleMesh read = read_mesh(temporary("a.off"));
  EXPECT_EQ(read.triangles.size(), 12u);
  EXPECT_NO_THROW(require_closed(read, "a.off"));
  EXPECT_NEAR(mesh_volume(read), 1, 1e-6);
  const auto said_of = [](const std::string& text) {
    write(temporary("bad.off"), text);
    return message_of(temporary("bad.off"));
  };
  EXPECT_NE(said_of("COFF\n1 0 0\n").find("bad.off:1: this is no OFF file"), std::string::npos);
  EXPECT_NE(said_of(cube.substr(0, 60)).find("ends too early"), std::string::npos);
  EXPECT_NE(said_of("OFF 1 1 0\n0 0 0\n3 0 0 9\n").find("bad.off:3: a face names vertex 10"),
            std::string::npos);
  EXPECT_NE(said_of("OFF 1 1 0\n0 0 0\n3 0 0\n").find("fewer corners than it says"), std::string::npos);
  EXPECT_NE(said_of("OFF x\n").find("ends too early"), std::string::npos);
}

/// An L of 2 x 2 x 1 without a quarter, whose caps have six corners, the reentrant one at each place once: a
/// fan from the first corner would lay triangles over the notch.
TEST(Mesh, TextsMayBeginWithAByteOrderMark) {
  const fs::path obj = temporary("mark.obj"), off = temporary("mark.off");
  write(obj, "\xEF\xBB\xBFv 0 0 7\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write(off, "\xEF\xBB\xBFOFF\n3 1 0\n0 0 7\n1 0 0\n0 1 0\n3 0 1 2\n");
  for (const fs::path& file : {obj, off}) {
    const TriangleMesh mesh = read_mesh(file);
    ASSERT_EQ(mesh.vertices.size(), 3u) << file;
    EXPECT_EQ(mesh.vertices[0], (Float3{0, 0, 7})) << file;
  }
}

TEST(Mesh, ConcaveFacesBecomeTrianglesThatDoNotOverlap) {
  const std::vector<std::array<int, 2>> outline{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (int first = 0; first < 6; ++first) {
    SCOPED_TRACE(first);
    std::vector<std::string> points;
    for (int z = 0; z < 2; ++z)
      for (size_t k = 0; k < 6; ++k) {
        const auto& [x, y] = outline[(k + size_t(first)) % 6];
        points.push_back(std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z));
      }
    std::vector<std::vector<int>> faces{{5, 4, 3, 2, 1, 0}, {6, 7, 8, 9, 10, 11}};
    for (int k = 0; k < 6; ++k) faces.push_back({k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6});
    std::string obj,
        off = "OFF 12 8 0\n",
        ply =
            "ply\nformat ascii 1.0\nelement vertex 12\nproperty float x\nproperty float y\n"
            "property float z\nelement face 8\nproperty list uchar int vertex_indices\nend_header\n";
    for (const std::string& point : points) {
      obj += "v " + point + "\n";
      off += point + "\n";
      ply += point + "\n";
    }
    for (const auto& face : faces) {
      std::string from_zero = std::to_string(face.size());
      obj += "f";
      for (const int corner : face) {
        obj += " " + std::to_string(corner + 1);
        from_zero += " " + std::to_string(corner);
      }
      obj += "\n";
      off += from_zero + "\n";
      ply += from_zero + "\n";
    }
    for (const auto& [name, text] : {std::pair{"l.obj", obj}, {"l.off", off}, {"l.ply", ply}}) {
      SCOPED_TRACE(name);
      write(temporary(name), text);
      const TriangleMesh read = read_mesh(temporary(name));
      EXPECT_EQ(read.triangles.size(), 20u);
      EXPECT_NO_THROW(require_closed(read, name));
      EXPECT_NEAR(mesh_volume(read), 3, 1e-6);
      double area = 0;  // triangles that overlap have the volume of the polygon, but more area
      for (const Triangle& t : read.triangles) {
        const auto at = [&](int corner, size_t c) {
          return double(read.vertices[size_t(t[size_t(corner)])][c]);
        };
        Point3 u, v;
        for (size_t c = 0; c < 3; ++c) u[c] = at(1, c) - at(0, c), v[c] = at(2, c) - at(0, c);
        area +=
            std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
      }
      EXPECT_NEAR(area, 2 * 3 + 8, 1e-6);
    }
  }
}

/// Faces without area, and such as cross themselves, still become two triangles fewer than corners.
TEST(Mesh, DegenerateFacesBecomeTriangles) {
  const std::string head = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nv 1 1 0\nv 0 1 0\n";
  for (const char* face : {"f 1 2 3 4", "f 1 1 1 1 1", "f 1 5 2 6", "f 1 2 3 5 6", "f 1 2 1 2 5"}) {
    write(temporary("flat.obj"), head + face + "\n");
    const TriangleMesh read = read_mesh(temporary("flat.obj"));
    EXPECT_EQ(read.triangles.size(), size_t(std::count(face, face + std::strlen(face), ' ')) - 2) << face;
  }
}

TEST(Mesh, ErrorsNameFileLineAndRemedy) {
  write(temporary("bad.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  EXPECT_NE(message_of(temporary("bad.obj")).find("bad.obj:4: a face names vertex 9"), std::string::npos);
  write(temporary("short.ply"),
        "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty float y\n"
        "property float z\nend_header\n..");
  EXPECT_NE(message_of(temporary("short.ply")).find("ends too early"), std::string::npos);
  write(temporary("mesh.abc"), "x");
  EXPECT_NE(message_of(temporary("mesh.abc")).find(".obj, .ply, .stl, .off, .glb and .gltf are read"),
            std::string::npos);
  EXPECT_NE(message_of(temporary("none.obj")).find("no such file"), std::string::npos);
  TriangleMesh open = cube();
  open.triangles.pop_back();
  try {
    require_closed(open, "lid");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lid: the mesh is not closed: 3 of 33"), std::string::npos)
        << error.what();
  }
}

TEST(Mesh, MessagesStayShortAndPrintable) {
  write(temporary("long.obj"), "v \x1b[2J\xff" + std::string(1000000, 'x') + "\n");
  const std::string message = message_of(temporary("long.obj"));
  EXPECT_NE(message.find("long.obj:1: a vertex needs three numbers, found 'v ?[2J?xxx"), std::string::npos)
      << message.substr(0, 300);
  EXPECT_LT(message.size(), 600u);
}

TEST(Mesh, PlyHeadersThatCannotBeRightAreErrors) {
  const std::string head = "ply\nformat ascii 1.0\n";
  write(temporary("endless.ply"), head + "element junk 999999999999999\nend_header\n");
  EXPECT_NE(message_of(temporary("endless.ply")).find("'junk' has no properties"), std::string::npos);
  write(temporary("flat.ply"),
        head + "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n");
  EXPECT_NE(message_of(temporary("flat.ply")).find("no properties x, y and z"), std::string::npos);
  write(temporary("list.ply"),
        head + "element face 1\nproperty list float float vertex_indices\nend_header\n1e9 0\n");
  EXPECT_NE(message_of(temporary("list.ply")).find("0 to 1e6 are allowed"), std::string::npos);
  write(temporary("entry.ply"),
        head + "element face 1\nproperty list int double vertex_indices\nend_header\n3 0 1 1e300\n");
  EXPECT_NE(message_of(temporary("entry.ply")).find("a face names vertex"), std::string::npos);
}

TEST(Mesh, AsciiStlMayHaveBlankLines) {
  write(temporary("blank.stl"), "solid a\n\nvertex 0 0 0\n\nvertex 1 0 0\n \nvertex 0 1 0\n\nendsolid\n");
  EXPECT_EQ(read_mesh(temporary("blank.stl")).triangles.size(), 1u);
}

/// Words may stand on any lines; names of solids may be any words.
TEST(Mesh, AsciiStlIsAStreamOfWords) {
  const std::string facet =
      "facet normal 0 0 1 outer loop vertex 0 0 7 vertex 1\n0 0\nvertex 0 1 0 endloop endfacet ";
  const auto triangles = [](const std::string& text) {
    write(temporary("words.stl"), text);
    return read_mesh(temporary("words.stl")).triangles.size();
  };
  EXPECT_EQ(triangles("solid " + facet + "endsolid"), 1u);
  EXPECT_EQ(triangles("solid vertex facet 1 " + facet + "endsolid vertex\nsolid vertex\n" + facet), 2u);
  write(temporary("words.stl"), "solid a\n" + facet + "\nfacet vertex 0 0\nvertex 1 0 0");
  EXPECT_NE(message_of(temporary("words.stl"))
                .find("words.stl:5: a vertex needs three numbers, found 'vertex 0 0 vertex'"),
            std::string::npos)
      << message_of(temporary("words.stl"));
}

TEST(Mesh, ObjCommentsMayStandBehindFaces) {
  write(temporary("behind.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 # C:\\models\\\nf 2 4 3 #4\nf 1 2 x\n");
  EXPECT_NE(
      message_of(temporary("behind.obj")).find("behind.obj:7: a face's corner is a vertex number, found 'x'"),
      std::string::npos)
      << message_of(temporary("behind.obj"));
}

/// Data whose first byte is a line feed, behind headers with each end of line.
TEST(Mesh, BinaryPlyBeginsBehindTheEndOfItsHeader) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string bytes;
    for (const char* line :
         {"ply", "format binary_little_endian 1.0", "element vertex 3", "property uchar quality",
          "property float x", "property float y", "property float z", "element face 1",
          "property list uchar int vertex_indices", "end_header"})
      bytes += line + end;
    const auto raw = [&](const auto& value) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const Float3& v : {Float3{0, 0, 7}, Float3{1, 0, 0}, Float3{0, 1, 0}}) {
      bytes += '\n';
      raw(v);
    }
    bytes += '\3';
    for (const int corner : {0, 1, 2}) raw(corner);
    write(temporary("body.ply"), bytes);
    const TriangleMesh mesh = read_mesh(temporary("body.ply"));
    ASSERT_EQ(mesh.vertices.size(), 3u);
    EXPECT_EQ(mesh.vertices[0], (Float3{0, 0, 7}));
    EXPECT_EQ(mesh.triangles.size(), 1u);
  }
}

/// Cut, duplicated and overwritten bytes of sound files: a mesh or an InputError, never anything else.
TEST(Mesh, DamagedFilesNeverCrash) {
  const std::string ply_head =
      "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n";
  const std::string numbers(
      "\0\0\200?\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200?\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200?\3\0\0\0\0\1\0\0\0\2\0\0\0",
      49);
  const std::pair<const char*, std::string> files[] = {
      {"fuzz.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2//2 -1\n"},
      {"fuzz.ply", "ply\nformat ascii 1.0\n" + ply_head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
      {"fuzz.stl", "solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\nendsolid\n"},
      {"binary.ply", "ply\nformat binary_little_endian 1.0\n" + ply_head + numbers},
      {"binary.stl", std::string(80, ' ') + std::string("\1\0\0\0", 4) + numbers + '\0'},
      {"fuzz.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
      {"fuzz.glb", cube_as_glb()}};
  std::mt19937 random(1);
  for (const auto& [name, sound] : files) {
    int read = 0;
    for (int trial = 0; trial < 150; ++trial) {
      std::string bytes = sound;
      for (unsigned change = random() % 3; change-- > 0;) {
        const size_t at = random() % bytes.size();
        switch (random() % 3) {
          case 0:
            bytes[at] = static_cast<char>(random() % 4 ? "0 9-\nv.e"[random() % 8] : random() % 256);
            break;
          case 1:
            bytes.erase(at, 1 + random() % 5);
            break;
          default:
            bytes.insert(at, bytes.substr(at, 1 + random() % 5));
        }
        if (bytes.empty()) bytes = " ";
      }
      write(temporary(name), bytes);
      try {
        read_mesh(temporary(name));
        ++read;
      } catch (const InputError&) {
      }
    }
    EXPECT_GT(read, 45) << name;  // a third is not changed at all
    EXPECT_LT(read, 150) << name;
  }
}

}  // namespace mesh_test
}  // namespace merganser
