/// Surface files read back, frames read back, parts of a fluid, ranges of frames.
#include <gtest/gtest.h>

#include <cstring>

#include "host/cli/cli.h"
#include "host/files/hdf5_image.h"
#include "host/output/frame_writer.h"
#include "host/output/run_frames.h"
#include "host/scene/mesh_file.h"
#include "host/surface/mesh_sequence.h"
#include "host/surface/surface_fluid_parts.h"
#include "host/surface/surface_run.h"
#include "solvers/geometry/level_set/level_set_surface.h"
#include "tests/support/fake_simulation.h"
#include "tests/support/fake_surfaces.h"
#include "tests/support/mesh_checks.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace host_surface_test {

using test::TemporaryFolder;

/// Two tetrahedra of two systems.
SurfaceFrame example() {
  SurfaceFrame frame;
  frame.time = 0.25;
  for (int part = 0; part < 2; ++part) {
    const float x = 3.0f * float(part);
    SurfaceMesh mesh;
    mesh.position = {{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}, {x, 0, 1.25f}};
    mesh.normal = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6f, 0.8f, 0}};
    mesh.velocity = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {x, 0, -1}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    frame.add(mesh, part == 0 ? "sea" : "rain", part, part + 4);
  }
  return frame;
}
std::vector<char> encode_surface(const std::string& format) {
  return find_exporter(mesh_exporters(), format)->encode(example());
}
std::filesystem::path write(const TemporaryFolder& folder, const std::string& format) {
  const std::vector<char> bytes = encode_surface(format);
  const std::filesystem::path file = folder / ("mesh." + format);
  test::write_text(file, {bytes.data(), bytes.size()});
  return file;
}
template <class T>
std::vector<T> values(const std::vector<NamedArray>& arrays, const std::string& name) {
  StateArchive archive;
  for (const NamedArray& array : arrays) archive.add(array);
  return archive.get<T>(name);
}

TEST(HostSurface, PlyAndObjReadBack) {
  const TemporaryFolder folder;
  const SurfaceFrame frame = example();
  for (const char* format : {"ply", "obj"}) {
    const TriangleMesh mesh = read_mesh(write(folder, format));
    EXPECT_EQ(mesh.vertices, frame.mesh.position);
    EXPECT_EQ(mesh.triangles, frame.mesh.triangles);
  }
  const std::string obj = test::text_of(folder / "mesh.obj");
  EXPECT_NE(obj.find("g sea\nf 1//1 3//3 2//2\n"), obj.npos);
  EXPECT_NE(obj.find("g rain\nf 5//5 7//7 6//6\n"), obj.npos);
  EXPECT_NE(obj.find("vn 0.6 0.8 0\n"), obj.npos);
}

/// The bytes of a vertex, as the header lists them.
TEST(HostSurface, PlyHoldsNormalsAndVelocities) {
  const std::vector<char> bytes = encode_surface("ply");
  const std::string_view text(bytes.data(), bytes.size());
  const size_t body = text.find("end_header\n") + 11;
  ASSERT_EQ(bytes.size(), body + 8 * 44 + 8 * 13);
  float floats[9];
  std::int32_t integers[2];
  std::memcpy(floats, bytes.data() + body + 7 * 44, sizeof floats);
  std::memcpy(integers, bytes.data() + body + 7 * 44 + sizeof floats, sizeof integers);
  const float expected[9] = {3, 0, 1.25f, 0.6f, 0.8f, 0, 3, 0, -1};
  for (int k = 0; k < 9; ++k) EXPECT_EQ(floats[k], expected[k]);
  EXPECT_EQ(integers[0], 1);
  EXPECT_EQ(integers[1], 5);
}

TEST(HostSurface, VtkHdfReadsBack) {
  const TemporaryFolder folder;
  const SurfaceFrame frame = example();
  const std::filesystem::path file = write(folder, "vtkhdf");
  EXPECT_EQ(read_surface_time(file), 0.25);
  const std::string bytes = test::text_of(file);
  const auto arrays = Hdf5Reader(bytes).datasets("VTKHDF");
  EXPECT_EQ(values<std::int64_t>(arrays, "NumberOfPoints"), (std::vector<std::int64_t>{8}));
  EXPECT_EQ(values<std::int64_t>(arrays, "Polygons/NumberOfCells"), (std::vector<std::int64_t>{8}));
  EXPECT_EQ(values<std::int64_t>(arrays, "Polygons/NumberOfConnectivityIds"),
            (std::vector<std::int64_t>{24}));
  const auto corners = values<std::int64_t>(arrays, "Polygons/Connectivity");
  const auto offsets = values<std::int64_t>(arrays, "Polygons/Offsets");
  ASSERT_EQ(offsets.size(), 9u);
  for (size_t t = 0; t < 8; ++t) {
    EXPECT_EQ(offsets[t + 1], 3 * std::int64_t(t + 1));
    for (size_t c = 0; c < 3; ++c) EXPECT_EQ(corners[3 * t + c], frame.mesh.triangles[t][c]);
  }
  EXPECT_EQ(values<float>(arrays, "PointData/Normals")[3 * 7 + 1], 0.8f);
  EXPECT_EQ(values<float>(arrays, "PointData/velocity")[3 * 7 + 2], -1);
  EXPECT_EQ(values<std::int32_t>(arrays, "PointData/system"), frame.system);
  EXPECT_EQ(values<std::int32_t>(arrays, "PointData/body"), frame.body);
}

TEST(HostSurface, EqualFramesGiveEqualBytes) {
  for (const char* format : {"ply", "obj", "vtkhdf"})
    EXPECT_EQ(encode_surface(format), encode_surface(format));
}

/// A format that counts triangles. One more in the list is all that the command line, names of files and
/// whoever encodes need.
class CountOfTriangles final : public MeshExporter {
 public:
  std::string word() const override { return "count"; }
  std::vector<char> encode(const SurfaceFrame& frame) const override {
    const std::string text = std::to_string(frame.mesh.triangles.size());
    return {text.begin(), text.end()};
  }
};

TEST(HostSurface, AFormatMoreIsALineInTheList) {
  EXPECT_FALSE(is_surface_file("surface_000012.count"));
  const CountOfTriangles toy;
  mesh_exporters().push_back(&toy);
  EXPECT_TRUE(is_surface_file("surface_000012.count"));
  EXPECT_EQ(encode_surface("count"), (std::vector<char>{'8'}));
  testing::internal::CaptureStdout();
  char program[] = "merganser", command[] = "surface", help[] = "--help";
  char* arguments[] = {program, command, help};
  Services services = fake::services();
  fake::add_surface_services(services);
  EXPECT_EQ(run_command_line(3, arguments, services), 0);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("ply | obj | vtkhdf | count"), std::string::npos);
  mesh_exporters().pop_back();
}

FrameData two_fluids() {
  FrameData frame;
  frame.time = 1.5;
  for (int i = 0; i < 6; ++i) {
    frame.position.push_back({float(i), 0.5f, -1});
    frame.velocity.push_back({0, float(i), 0});
    frame.id.push_back(i);
    frame.system.push_back(i % 2);
    frame.body.push_back(i / 3);
  }
  // Links of system 1, particles 1, 3 and 5 of the frame.
  frame.links.push_back({"rain", {0, 0, 1, 1, 3, 3, 4}, {3, 1, 5, 3}, {0.5f, 0.5f, 1, 1}});
  return frame;
}

TEST(HostSurface, FramesReadBack) {
  const TemporaryFolder folder;
  FrameWriter writer(folder.path(), {});
  const FrameData frame = two_fluids();
  writer.write(frame.time, [frame] { return frame; });
  writer.write(frame.time, [frame] { return frame; });
  writer.finish();
  const auto files = list_frames(folder.path());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].number, 1);
  const FrameParticles read = read_frame(files[1].path);
  EXPECT_EQ(read.time, 1.5);
  EXPECT_EQ(read.position, frame.position);
  EXPECT_EQ(read.velocity, frame.velocity);
  EXPECT_EQ(read.id, frame.id);
  EXPECT_EQ(read.body, frame.body);
  EXPECT_EQ(read.system, frame.system);
  EXPECT_TRUE(read_links(files[1].path, "sea").first.empty());
  EXPECT_EQ(read_links(files[1].path, "rain").neighbor, frame.links[0].neighbor);
}

TEST(HostSurface, PartsKeepTheirLinks) {
  const TemporaryFolder folder;
  FrameWriter(folder.path(), {}).write(two_fluids().time, two_fluids);
  const auto file = list_frames(folder.path())[0].path;
  const FrameParticles frame = read_frame(file);
  const SurfaceFluid rain{.name = "rain", .system = 1, .h = 1, .spacing = 1, .mass = 2};
  const FluidPart part = select_part(frame, rain);
  EXPECT_EQ(part.index, (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(part.points.mass, (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(bodies_of(part), (std::vector<int>{0, 1}));
  const TopologyLinks links = select_links(read_links(file, "rain"), part.index);
  EXPECT_EQ(links.first, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(links.neighbor, (std::vector<int>{1, 0, 2, 1}));
  EXPECT_EQ(links.age, (std::vector<float>{0.5f, 0.5f, 1, 1}));
  const TopologyLinks second_body = select_links(links, {1, 2});  // particles 3 and 5
  EXPECT_EQ(second_body.first, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(second_body.neighbor, (std::vector<int>{1, 0}));
  EXPECT_EQ(select_part(frame, rain, 0).index, (std::vector<int>{1}));
}

TEST(HostSurface, DamagedFramesAreNamed) {
  const TemporaryFolder folder;
  const auto message = [&](const FrameData& frame) -> std::string {
    const std::vector<char> bytes = encode_frame(frame);
    test::write_text(folder / "frame_000000.vtkhdf", {bytes.data(), bytes.size()});
    try {
      read_frame(folder / "frame_000000.vtkhdf");
      read_links(folder / "frame_000000.vtkhdf", "rain");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(two_fluids()), "");
  FrameData broken = two_fluids();
  broken.position[4][1] = std::nanf("");
  EXPECT_NE(message(broken).find("particle 4"), std::string::npos);
  broken = two_fluids();
  broken.links[0].neighbor[2] = 6;
  EXPECT_NE(message(broken).find("links of system 'rain'"), std::string::npos);
  test::write_text(folder / "frame_000000.vtkhdf", "no frame");
  EXPECT_THROW(read_frame(folder / "frame_000000.vtkhdf"), InputError);
}

TEST(HostSurface, RangesOfFrames) {
  EXPECT_TRUE(parse_frame_range("").holds(7));
  const auto range = [](const char* text) {
    const FrameRange r = parse_frame_range(text);
    return std::pair(r.first, r.last);
  };
  EXPECT_EQ(range("3:5"), (std::pair{3, 5}));
  EXPECT_EQ(range("4"), (std::pair{4, 4}));
  EXPECT_EQ(range(":5"), (std::pair{0, 5}));
  EXPECT_EQ(range("3:").first, 3);
  for (const char* wrong : {"a", "5:3", "1:2:3", "-1", "1.5"})
    EXPECT_THROW(parse_frame_range(wrong), InputError);
}

/// A lone ball, and a block of particles, whose volume is known.
TEST(LevelSet, SurfacesAreClosedAndKeepTheirVolume) {
  FluidPoints ball;
  ball.position = {{2.5f, -1, 0.25f}};
  SurfaceParameters parameters{.h = 1.2, .spacing = 1, .cell_factor = 0.2};
  const LevelSetSurface one = level_set_surface(ball, parameters, 1);
  const MeshFacts lone = mesh_facts(one.mesh);
  EXPECT_EQ(lone.faulty_edges, 0);
  EXPECT_EQ(lone.euler, 2);
  // Curvature flow for two steps, each of a cell^2/6 or so, takes some percent off the radius of h/2.
  EXPECT_NEAR(std::cbrt(lone.volume / 4.18879), 0.6, 0.09);
  EXPECT_GT(one.vdb.size(), 1000u);
  EXPECT_EQ(std::string(one.vdb.data(), 3), " BD");  // "VDB " backwards: OpenVDB's magic number

  FluidPoints block;
  for (int i = 0; i < 1000; ++i) {
    const int layer = i / 100;
    block.position.push_back({float(i % 10), float(i / 10 % 10), float(layer)});
  }
  const MeshFacts facts = mesh_facts(level_set_surface(block, parameters, 2).mesh);
  EXPECT_EQ(facts.faulty_edges, 0);
  EXPECT_EQ(facts.components, 1);
  EXPECT_NEAR(facts.volume, 1000, 60);
  parameters.cell_factor = 0.9;
  EXPECT_THROW(level_set_surface(ball, parameters, 1), InputError);
}

/// OpenVDB has no voxels below 1.4e-5 m; particles may be as small as 1e-9 m.
TEST(LevelSet, SmallFluidsHaveTheSurfacesOfLargeOnes) {
  const auto volume_of_block = [](float spacing) {
    FluidPoints block;
    for (int i = 0; i < 125; ++i) {
      const int layer = i / 25;
      block.position.push_back({float(i % 5) * spacing, float(i / 5 % 5) * spacing, float(layer) * spacing});
    }
    const LevelSetSurface made =
        level_set_surface(block, {.h = 1.2 * double(spacing), .spacing = spacing, .cell_factor = 0.2}, 1);
    const MeshFacts facts = mesh_facts(made.mesh);
    EXPECT_EQ(facts.faulty_edges, 0) << spacing;
    EXPECT_EQ(std::string(made.vdb.data(), 3), " BD") << spacing;
    return facts.volume / std::pow(double(spacing), 3);
  };
  const double large = volume_of_block(1);
  EXPECT_NEAR(large, 125, 20);  // its edges are round
  for (const float spacing : {0x1p-17f, 0x1p-22f, 0x1p-28f})
    EXPECT_NEAR(volume_of_block(spacing), large, 1e-3 * large);
}

}  // namespace host_surface_test
}  // namespace merganser
