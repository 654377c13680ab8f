/// Frames as VTKHDF files (version 2.0, PolyData with one vertex cell per particle and the triangles of
/// cloth), which ParaView, PyVista and h5py open, behind a checksum (host/files/sealed_image.h). Topological
/// neighborhoods lie beside them, see host/output/README.md.
#include <fmt/format.h>

#include <numeric>

#include "host/files/sealed_image.h"
#include "host/output/exporters.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {

namespace {

template <class T>
void add_point_field(Hdf5Builder& file, const std::string& name, ElementType type,
                     const std::vector<T>& values, size_t particles, bool compress = false) {
  if (values.size() != particles)
    throw FileError(
        fmt::format("frame: field '{}' has {} values for {} particles", name, values.size(), particles));
  file.dataset("VTKHDF/PointData/" + name, type, {particles}, values.data(), compress);
}

class VtkhdfParticles final : public ParticleExporter {
 public:
  std::string word() const override { return "vtkhdf"; }
  std::vector<char> encode(const FrameData& frame) const override {
    const size_t particles = frame.position.size();
    Hdf5Builder file;
    begin_polydata(file, frame.position);
    std::vector<std::int64_t> numbers(particles);
    std::iota(numbers.begin(), numbers.end(), 0);
    add_cells(file, "VTKHDF/Vertices", numbers, 1);
    for (const char* none : {"VTKHDF/Lines", "VTKHDF/Strips"}) add_cells(file, none, {}, 1);
    add_triangles(file, frame.triangles);

    if (frame.velocity.size() != particles)
      throw FileError("frame: velocities and positions differ in number");
    file.dataset("VTKHDF/PointData/velocity", ElementType::float32, {particles, 3}, frame.velocity.data());
    add_point_field(file, "id", ElementType::int32, frame.id, particles);
    add_point_field(file, "body", ElementType::int32, frame.body, particles);
    add_point_field(file, "system", ElementType::int32, frame.system, particles);
    for (const auto& [name, values] : frame.fields)
      add_point_field(file, name, ElementType::float32, values, particles);
    for (const auto& [name, values] : frame.int_fields)
      add_point_field(file, name, ElementType::int32, values, particles);
    for (const auto& [name, values] : frame.steady_fields)
      add_point_field(file, name, ElementType::float32, values, particles, true);
    add_time(file, frame.time);
    add_names(file, "body_names", frame.body_names);
    add_names(file, "system_names", frame.system_names);
    if (!frame.wall_matrices.empty())
      file.dataset("VTKHDF/FieldData/wall_matrices", ElementType::float64, {frame.wall_matrices.size(), 16},
                   frame.wall_matrices.data());
    for (const FrameLinks& links : frame.links) {  // outside the group that VTK reads
      const std::string group = "Merganser/topology/" + links.system;
      file.dataset(group + "/first", ElementType::int32, {links.first.size()}, links.first.data(), true);
      file.dataset(group + "/neighbor", ElementType::int32, {links.neighbor.size()}, links.neighbor.data(),
                   true);
      file.dataset(group + "/age", ElementType::float32, {links.age.size()}, links.age.data(), true);
    }
    return sealed("frame", vtkhdf_format, file.finish());
  }
};

}  // namespace

const ParticleExporter& vtkhdf_particles_exporter() {
  static const VtkhdfParticles made;
  return made;
}

}  // namespace merganser
