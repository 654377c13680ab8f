/// Surfaces as binary PLY files, with velocity, texture coordinates (s, t), system and body of each vertex.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "host/output/exporters.h"

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

class PlyMeshes final : public MeshExporter {
 public:
  std::string word() const override { return "ply"; }
  std::vector<char> encode(const SurfaceFrame& frame) const override {
    const SurfaceMesh& mesh = frame.mesh;
    std::vector<char> bytes;
    std::string header =
        fmt::format("ply\nformat binary_little_endian 1.0\ncomment time {} s\nelement vertex {}\n",
                    frame.time, mesh.position.size());
    for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"})
      header += fmt::format("property float {}\n", name);
    if (!mesh.uv.empty()) header += "property float s\nproperty float t\n";
    header += "property int system\n";
    if (!frame.body.empty()) header += "property int body\n";
    header += fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                          mesh.triangles.size());
    bytes.reserve(header.size() + mesh.position.size() * 52 + mesh.triangles.size() * 13);
    append(bytes, header);
    for (size_t v = 0; v < mesh.position.size(); ++v) {
      append_raw(bytes, mesh.position[v]);
      append_raw(bytes, mesh.normal[v]);
      append_raw(bytes, mesh.velocity[v]);
      if (!mesh.uv.empty()) append_raw(bytes, mesh.uv[v]);
      append_raw(bytes, frame.system[v]);
      if (!frame.body.empty()) append_raw(bytes, frame.body[v]);
    }
    for (const Triangle& t : mesh.triangles) {
      append_raw(bytes, static_cast<unsigned char>(3));
      append_raw(bytes, t);
    }
    return bytes;
  }
};

}  // namespace

const MeshExporter& ply_meshes_exporter() {
  static const PlyMeshes made;
  return made;
}

}  // namespace merganser
