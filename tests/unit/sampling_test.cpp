/// Shapes, sheets and meshes: counts, volumes, file formats and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <numeric>

#include "device/errors.h"
#include "solvers/sampling/mesh.h"
#include "solvers/sampling/shapes.h"
#include "solvers/sampling/sheet.h"

namespace merganser {
namespace {

namespace fs = std::filesystem;
using std::numbers::pi;

fs::path temporary(const std::string& name) { return fs::path(testing::TempDir()) / name; }
void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::string message_of(const fs::path& file) {
  try {
    read_mesh(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A unit cube, all faces outwards.
TriangleMesh cube() {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.push_back({float(i & 1), float((i >> 1) & 1), float(i >> 2)});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

TEST(Sampling, BoxOfWholeSpacingsIsFilledExactly) {
  const auto points = sample_box({0, 0, 0}, {1, 0.5, 0.3}, {.spacing = 0.1});
  ASSERT_EQ(points.size(), 10u * 5u * 3u);
  EXPECT_NEAR(points.front()[0], 0.05, 1e-6);
  EXPECT_NEAR(points.back()[2], 0.25, 1e-6);
}

/// A lattice estimates a volume with an error of about surface * spacing / sqrt(points near the surface); 1 % is ample here.
TEST(Sampling, CurvedShapesHoldTheirVolume) {
  const double s = 0.02, v = s * s * s;
  for (Packing packing : {Packing::cubic, Packing::hexagonal}) {
    const Sampling sampling{.spacing = s, .packing = packing};
    EXPECT_NEAR(sample_sphere({0.1, 0, 0}, 0.5, sampling).size() * v, 4 * pi / 3 * 0.125, 0.01 * 0.52);
    EXPECT_NEAR(sample_cylinder({0, 0, 0}, {0.3, 0.6, 0.2}, 0.25, sampling).size() * v, pi * 0.0625 * 0.7, 0.01 * 0.1374);
    EXPECT_NEAR(sample_torus({0, 0, 0}, {0, 0, 1}, 0.5, 0.2, sampling).size() * v, 2 * pi * pi * 0.5 * 0.04, 0.01 * 0.395);
  }
  const double half_shell = 2 * pi / 3 * (0.125 - 0.064);
  EXPECT_NEAR(sample_bowl({0, 0, 0}, 0.5, 0.1, 0.5, {.spacing = s}).size() * v, half_shell, 0.02 * half_shell);
}

TEST(Sampling, JitterIsKeyedAndBounded) {
  const Sampling plain{.spacing = 0.1}, jittered{.spacing = 0.1, .jitter = 0.2, .seed = 3};
  const auto a = sample_box({0, 0, 0}, {1, 1, 1}, plain), b = sample_box({0, 0, 0}, {1, 1, 1}, jittered);
  EXPECT_EQ(b, sample_box({0, 0, 0}, {1, 1, 1}, jittered));
  ASSERT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < 3; ++k) largest = std::max(largest, std::abs(double(a[i][k]) - b[i][k]));
  EXPECT_GT(largest, 0.015);
  EXPECT_LE(largest, 0.0201);
}

TEST(Sampling, SheetHasItsAreaAndBorder) {
  const Sheet sheet = make_sheet({-1, 0, 2}, {2, 0, 0}, {0, 1, 0}, 0.1);
  EXPECT_EQ(sheet.nu, 21);
  EXPECT_EQ(sheet.nv, 11);
  EXPECT_NEAR(std::accumulate(sheet.area.begin(), sheet.area.end(), 0.0), 2, 1e-12);
  EXPECT_EQ(std::accumulate(sheet.border.begin(), sheet.border.end(), 0), 2 * 21 + 2 * 9);
  EXPECT_EQ(sheet.triangles.size(), 400u);
  EXPECT_THROW(make_sheet({0, 0, 0}, {1, 0, 0}, {2, 0, 0}, 0.1), InputError);
}

TEST(Mesh, ReadsEveryFormat) {
  const TriangleMesh mesh = cube();
  std::string obj = "# cube\n", ply = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
                    "property float z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n",
              stl = "solid cube\n", binary_ply = ply, binary_stl(84, '\0');
  binary_ply.replace(binary_ply.find("ascii"), 5, "binary_little_endian");
  auto raw = [](std::string& to, const auto& value) { to.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const std::uint32_t count = 12;
  std::memcpy(binary_stl.data() + 80, &count, 4);
  for (const Float3& v : mesh.vertices) {
    const std::string line = std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + "\n";
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
      stl += "vertex " + std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]) + "\n";
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

TEST(Mesh, ErrorsNameFileLineAndRemedy) {
  write(temporary("bad.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  EXPECT_NE(message_of(temporary("bad.obj")).find("bad.obj:4: a face names vertex 9"), std::string::npos);
  write(temporary("short.ply"), "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n..");
  EXPECT_NE(message_of(temporary("short.ply")).find("ends too early"), std::string::npos);
  write(temporary("mesh.abc"), "x");
  EXPECT_NE(message_of(temporary("mesh.abc")).find(".obj, .ply and .stl are read"), std::string::npos);
  EXPECT_NE(message_of(temporary("none.obj")).find("cannot be opened"), std::string::npos);
  TriangleMesh open = cube();
  open.triangles.pop_back();
  try {
    require_closed(open, "lid");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lid: the mesh is not closed: 3 of 33"), std::string::npos) << error.what();
  }
}

TEST(Mesh, TransformsInTheStatedOrder) {
  TriangleMesh mesh = cube();
  transform(mesh, {.scale = {1, 1, 2}, .rotation_axis = {0, 0, 1}, .rotation_angle = pi / 2, .translation = {0, 0, 5}, .fit_size = 3});
  EXPECT_NEAR(mesh_volume(mesh), 54, 1e-4);
  EXPECT_NEAR(mesh.vertices[1][0], 1.5, 1e-5);   // corner (1, 0, 0) -> (1.5, -1.5, -3) -> (1.5, 1.5, 2)
  EXPECT_NEAR(mesh.vertices[1][1], 1.5, 1e-5);
  EXPECT_NEAR(mesh.vertices[1][2], 2, 1e-5);
}

TEST(Mesh, ClosedMeshIsFilledToItsVolume) {
  const double spacing = 0.05;
  EXPECT_NEAR(sample_mesh(cube(), {.spacing = spacing}).size() * std::pow(spacing, 3), 1, 0.03);
}

TEST(Mesh, TestMeshesAreFilledToTheirVolume) {
  const char* named = std::getenv("MERGANSER_SHARED");
  const fs::path meshes = (named ? fs::path(named) : fs::path(__FILE__).parent_path() / "../../../shared") / "meshes";
  if (!fs::is_directory(meshes)) GTEST_SKIP() << "no folder of test meshes (MERGANSER_SHARED or ../shared)";
  for (const char* name : {"spot_low.obj", "bunny_7k.obj", "proc_torus.obj", "koala_low.obj"}) {
    TriangleMesh mesh = read_mesh(meshes / name);
    require_closed(mesh, name);
    transform(mesh, {.fit_size = 1});
    const auto points = sample_mesh(mesh, {.spacing = 0.02});
    EXPECT_NEAR(points.size() * std::pow(0.02, 3) / mesh_volume(mesh), 1, 0.03) << name;
  }
}

}  // namespace
}  // namespace merganser
