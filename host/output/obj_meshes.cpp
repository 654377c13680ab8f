/// Surfaces as OBJ files: positions, texture coordinates, normals and one group a part.
#include <fmt/format.h>

#include "host/output/exporters.h"

namespace merganser {

namespace {

class ObjMeshes final : public MeshExporter {
 public:
  std::string word() const override { return "obj"; }
  std::vector<char> encode(const SurfaceFrame& frame) const override {
    const SurfaceMesh& mesh = frame.mesh;
    std::string text = fmt::format("# time {} s\n", frame.time);
    for (const Float3& x : mesh.position) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
    for (const Float3& n : mesh.normal) text += fmt::format("vn {} {} {}\n", n[0], n[1], n[2]);
    for (const Float2& t : mesh.uv) text += fmt::format("vt {} {}\n", t[0], t[1]);
    const auto corner = mesh.uv.empty() ? "{0}//{0}" : "{0}/{0}/{0}";
    size_t part = 0;
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (; part < frame.parts.size() && frame.parts[part].first_triangle == t; ++part)
        text += fmt::format("g {}\n", frame.parts[part].name);
      const Triangle& c = mesh.triangles[t];
      text += "f";
      for (const int v : c) text += " " + fmt::format(fmt::runtime(corner), v + 1);
      text += "\n";
    }
    return {text.begin(), text.end()};
  }
};

}  // namespace

const MeshExporter& obj_meshes_exporter() {
  static const ObjMeshes made;
  return made;
}

}  // namespace merganser
