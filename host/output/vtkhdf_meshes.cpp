/// Surfaces as VTKHDF files behind a checksum, with velocity, texture coordinates, system and body of
/// each vertex.
#include "host/files/sealed_image.h"
#include "host/output/exporters.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {

namespace {

class VtkhdfMeshes final : public MeshExporter {
 public:
  std::string word() const override { return "vtkhdf"; }
  bool has_series() const override { return true; }
  std::vector<char> encode(const SurfaceFrame& frame) const override {
    const SurfaceMesh& mesh = frame.mesh;
    const size_t vertices = mesh.position.size();
    Hdf5Builder file;
    begin_polydata(file, mesh.position);
    for (const char* none : {"VTKHDF/Vertices", "VTKHDF/Lines", "VTKHDF/Strips"})
      add_cells(file, none, {}, 1);
    add_triangles(file, mesh.triangles);
    file.dataset("VTKHDF/PointData/Normals", ElementType::float32, {vertices, 3}, mesh.normal.data());
    file.dataset("VTKHDF/PointData/velocity", ElementType::float32, {vertices, 3}, mesh.velocity.data());
    file.dataset("VTKHDF/PointData/system", ElementType::int32, {vertices}, frame.system.data(), true);
    if (!frame.body.empty())
      file.dataset("VTKHDF/PointData/body", ElementType::int32, {vertices}, frame.body.data(), true);
    if (!mesh.uv.empty())
      file.dataset("VTKHDF/PointData/TextureCoordinates", ElementType::float32, {vertices, 2},
                   mesh.uv.data());
    add_time(file, frame.time);
    return sealed("surface", vtkhdf_format, file.finish());
  }
};

}  // namespace

const MeshExporter& vtkhdf_meshes_exporter() {
  static const VtkhdfMeshes made;
  return made;
}

}  // namespace merganser
