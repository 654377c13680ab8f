#include "host/surface/surface_files.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "host/files/hdf5_image.h"
#include "host/files/sealed_image.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {
namespace {

static_assert(std::endian::native == std::endian::little, "PLY files are written as memory holds them");

void append(std::vector<char>& bytes, const std::string& text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}
template <class T>
void append_raw(std::vector<char>& bytes, const T& value) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

std::vector<char> encode_ply(const SurfaceFrame& frame) {
  const SurfaceMesh& mesh = frame.mesh;
  std::vector<char> bytes;
  std::string header =
      fmt::format("ply\nformat binary_little_endian 1.0\ncomment time {} s\nelement vertex {}\n", frame.time,
                  mesh.position.size());
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"})
    header += fmt::format("property float {}\n", name);
  header += "property int system\n";
  if (!frame.body.empty()) header += "property int body\n";
  header += fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                        mesh.triangles.size());
  bytes.reserve(header.size() + mesh.position.size() * 44 + mesh.triangles.size() * 13);
  append(bytes, header);
  for (size_t v = 0; v < mesh.position.size(); ++v) {
    append_raw(bytes, mesh.position[v]);
    append_raw(bytes, mesh.normal[v]);
    append_raw(bytes, mesh.velocity[v]);
    append_raw(bytes, frame.system[v]);
    if (!frame.body.empty()) append_raw(bytes, frame.body[v]);
  }
  for (const Triangle& t : mesh.triangles) {
    append_raw(bytes, static_cast<unsigned char>(3));
    append_raw(bytes, t);
  }
  return bytes;
}

std::vector<char> encode_obj(const SurfaceFrame& frame) {
  const SurfaceMesh& mesh = frame.mesh;
  std::string text = fmt::format("# time {} s\n", frame.time);
  for (const Float3& x : mesh.position) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
  for (const Float3& n : mesh.normal) text += fmt::format("vn {} {} {}\n", n[0], n[1], n[2]);
  size_t part = 0;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (; part < frame.parts.size() && frame.parts[part].first_triangle == t; ++part)
      text += fmt::format("g {}\n", frame.parts[part].name);
    const Triangle& c = mesh.triangles[t];
    text += fmt::format("f {0}//{0} {1}//{1} {2}//{2}\n", c[0] + 1, c[1] + 1, c[2] + 1);
  }
  return {text.begin(), text.end()};
}

std::vector<char> encode_vtkhdf(const SurfaceFrame& frame) {
  const SurfaceMesh& mesh = frame.mesh;
  const size_t vertices = mesh.position.size();
  Hdf5Builder file;
  begin_polydata(file, mesh.position);
  for (const char* none : {"VTKHDF/Vertices", "VTKHDF/Lines", "VTKHDF/Strips"}) add_cells(file, none, {}, 1);
  std::vector<std::int64_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  add_cells(file, "VTKHDF/Polygons", corners, 3);
  file.dataset("VTKHDF/PointData/Normals", ElementType::float32, {vertices, 3}, mesh.normal.data());
  file.dataset("VTKHDF/PointData/velocity", ElementType::float32, {vertices, 3}, mesh.velocity.data());
  file.dataset("VTKHDF/PointData/system", ElementType::int32, {vertices}, frame.system.data(), true);
  if (!frame.body.empty())
    file.dataset("VTKHDF/PointData/body", ElementType::int32, {vertices}, frame.body.data(), true);
  add_time(file, frame.time);
  return sealed("surface", vtkhdf_format, file.finish());
}

}  // namespace

void SurfaceFrame::add(const SurfaceMesh& part, const std::string& name, int of_system, int of_body) {
  const int before = static_cast<int>(mesh.position.size());
  parts.push_back({name, mesh.triangles.size()});
  const auto join = [](auto& all, const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
  join(mesh.position, part.position);
  join(mesh.normal, part.normal);
  join(mesh.velocity, part.velocity);
  for (const Triangle& t : part.triangles)
    mesh.triangles.push_back({t[0] + before, t[1] + before, t[2] + before});
  system.resize(mesh.position.size(), of_system);
  if (of_body >= 0) body.resize(mesh.position.size(), of_body);
}

std::string extension(SurfaceFormat format) {
  return format == SurfaceFormat::ply ? ".ply" : format == SurfaceFormat::obj ? ".obj" : ".vtkhdf";
}

std::vector<char> encode_surface(const SurfaceFrame& frame, SurfaceFormat format) {
  return format == SurfaceFormat::ply   ? encode_ply(frame)
         : format == SurfaceFormat::obj ? encode_obj(frame)
                                        : encode_vtkhdf(frame);
}

}  // namespace merganser
