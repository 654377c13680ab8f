#include "host/output/exporters.h"

#include "host/files/own_files.h"

namespace merganser {

#define MERGANSER_PARTICLES(name) const ParticleExporter& name##_exporter();
#define MERGANSER_MESHES(name) const MeshExporter& name##_exporter();
#include "host/output/all_exporters.def"
#undef MERGANSER_PARTICLES
#undef MERGANSER_MESHES

std::vector<const ParticleExporter*>& particle_exporters() {
  static std::vector<const ParticleExporter*> all = {
#define MERGANSER_PARTICLES(name) &name##_exporter(),
#define MERGANSER_MESHES(name)
#include "host/output/all_exporters.def"
#undef MERGANSER_PARTICLES
#undef MERGANSER_MESHES
  };
  return all;
}

std::vector<const MeshExporter*>& mesh_exporters() {
  static std::vector<const MeshExporter*> all = {
#define MERGANSER_PARTICLES(name)
#define MERGANSER_MESHES(name) &name##_exporter(),
#include "host/output/all_exporters.def"
#undef MERGANSER_PARTICLES
#undef MERGANSER_MESHES
  };
  return all;
}

namespace {
bool is_mesh_file(const std::string& kind, std::string_view name) {
  if (name == mesh_options_name(kind) || name == mesh_series_name(kind)) return true;
  const std::optional<std::string_view> end = mesh_name_end(kind, name);
  if (!end || end->empty()) return false;
  if (end->ends_with(".vdb")) return end->size() == 4 || end->front() == '_';  // of one of several parts
  return end->front() == '.' && find_exporter(mesh_exporters(), end->substr(1));
}
}  // namespace

bool is_surface_file(std::string_view name) { return is_mesh_file(surface_kind, name); }
bool is_skin_file(std::string_view name) { return is_mesh_file(skin_kind, name); }

void SurfaceFrame::add(const SurfaceMesh& part, const std::string& name, int of_system, int of_body) {
  const int before = static_cast<int>(mesh.position.size());
  parts.push_back({name, mesh.triangles.size()});
  const auto join = [](auto& all, const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
  join(mesh.position, part.position);
  join(mesh.normal, part.normal);
  join(mesh.velocity, part.velocity);
  if (!part.uv.empty() || !mesh.uv.empty()) {
    mesh.uv.resize(size_t(before));
    join(mesh.uv, part.uv);
    mesh.uv.resize(mesh.position.size());
  }
  for (const Triangle& t : part.triangles)
    mesh.triangles.push_back({t[0] + before, t[1] + before, t[2] + before});
  system.resize(mesh.position.size(), of_system);
  if (of_body >= 0) body.resize(mesh.position.size(), of_body);
}

}  // namespace merganser
