#include "host/surface/skin_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/skin_file.h"
#include "host/run/run_folder.h"
#include "host/scene/input_files.h"
#include "host/surface/mesh_sequence.h"
#include "host/surface/skin_maker.h"
#include "host/surface/surface_scene.h"

namespace merganser {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // a path may be no UTF-8
}

std::string options_text(const SkinOptions& options) {
  return text_of(
      {{"body", options.body}, {"run", std::filesystem::absolute(options.run).lexically_normal().string()}});
}

/// What the run kept, or, where it kept nothing (a run of an older version), what its scene and the meshes
/// that it names give. Throws InputError where no body has a skin.
SkinRecord record_of(const SkinOptions& options, const Services& services) {
  const RunFolder folder{options.run};
  SkinRecord record;
  std::error_code none;
  if (std::filesystem::exists(folder.root / skin_record_name, none)) {
    record = read_skin_file(folder.root / skin_record_name);
  } else {
    const std::vector<char> text = read_file(folder.scene());
    compare_input_files({text.begin(), text.end()}, folder.scene());
    const Scene scene = services.load_scene(folder.scene(), {});
    record = services.skin_record(scene, services.build_initial_state(scene, {}));
  }
  if (record.bodies.empty())
    throw InputError(fmt::format(
        "'{}' has no body with a skin (soft, brittle or rigid solids have one); 'merganser surface' makes "
        "the surfaces of fluids",
        folder.scene().string()));
  return record;
}

/// For scripts: what was made, body by body.
Json report(const SkinMaker& maker, const MeshSequence& sequence, size_t done, size_t made) {
  constexpr const char* motions[] = {"deforming", "breaking", "rigid"};
  Json bodies = Json::array();
  for (const SkinMaker::Body& body : maker.bodies())
    bodies.push_back({{"name", body.name},
                      {"motion", motions[int(body.made_of->binding.motion)]},
                      {"particles", body.made_of->rest.size()},
                      {"vertices", body.made_of->surface.vertices.size()},
                      {"triangles", body.made_of->surface.triangles.size()},
                      {"vertices_of_nearest_particle", body.skin->lone_vertices()}});
  return {{"folder", sequence.folder.string()},
          {"frames_made", made},
          {"frames_there", done - made},
          {"vertices_of_nearest_particle", maker.lone_vertices()},
          {"bodies", bodies}};
}

}  // namespace

std::string make_skins(const SkinOptions& options, const Services& services) {
  const FrameRange range = parse_frame_range(options.frames);
  const MeshExporter& format = *find_exporter(mesh_exporters(), options.format);
  const SurfaceScene scene = read_surface_scene(options.run);
  const std::vector<FrameFile> frames = list_frames(options.run);
  const size_t wanted = count_frames(frames, range, options.frames);
  const Device device = select_device(options.device, options.threads);
  const SkinMaker maker(record_of(options, services), scene.bodies, options.body, services, device);

  const MeshSequence sequence{skin_kind, options.output.empty() ? options.run / "skin" : options.output,
                              format, options.overwrite};
  create_folder(sequence.folder);
  const FolderLock lock(sequence.folder);
  remove_temporary_files(sequence.folder, is_skin_file);
  sequence.claim_options(options_text(options));
  SequenceProgress progress(options.quiet, wanted);
  progress.say(fmt::format("skins of {} {} in {} frames on {}{}", maker.bodies().size(),
                           maker.bodies().size() == 1 ? "body" : "bodies", wanted, device.description,
                           device.note.empty() ? "" : "; " + device.note));
  if (maker.lone_vertices() > 0)
    progress.say(
        fmt::format("{} vertices are more than two particle spacings from any particle and follow "
                    "the nearest one alone",
                    maker.lone_vertices()));
  size_t done = 0, made_count = 0, triangles = 0;
  for (const FrameFile& frame : frames) {
    if (!range.holds(frame.number)) continue;
    if (!sequence.holds(frame.number)) {
      const SurfaceFrame made = maker.make(frame);
      sequence.write(frame.number, made);
      triangles = made.mesh.triangles.size();
      ++made_count;
    }
    progress.update(++done, made_count, triangles);
  }
  sequence.write_series(frames);
  progress.say_finished(sequence, done, made_count);
  return text_of(report(maker, sequence, done, made_count));
}

}  // namespace merganser
