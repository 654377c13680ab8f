#include "host/surface/skin_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/output/skin_file.h"
#include "host/run/run_folder.h"
#include "host/scene/input_files.h"
#include "host/surface/skin_maker.h"
#include "host/surface/surface_scene.h"

namespace merganser {
namespace {

using Json = nlohmann::ordered_json;

/// Skins that the run kept. Where it kept none (a run of an older version), those of its scene and the meshes
/// that it names. Throws InputError where no body has a skin.
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
    record = services.skin_record(scene, services.build_initial_state(scene, {.threads = options.threads}));
  }
  if (record.bodies.empty())
    throw InputError(fmt::format(
        "'{}' has no body with a skin (cloth, soft, brittle and rigid solids have one, ropes have none); "
        "'merganser surface' makes the surfaces of fluids",
        folder.scene().string()));
  return record;
}

/// For scripts: what was made, body by body.
Json report(const SkinMaker& maker, const MeshSequence& sequence, const MeshSequence::Counts& counts) {
  constexpr const char* motions[] = {"deforming", "breaking", "rigid", "sheet"};
  Json bodies = Json::array();
  for (const SkinMaker::Body& body : maker.bodies())
    bodies.push_back({{"name", body.name},
                      {"motion", motions[int(body.made_of->binding.motion)]},
                      {"particles", body.made_of->rest.size()},
                      {"vertices", body.made_of->surface.vertices.size()},
                      {"triangles", body.made_of->surface.triangles.size()},
                      {"vertices_of_nearest_particle", body.skin->lone_vertices()}});
  return {{"folder", sequence.folder().string()},
          {"frames_made", counts.made},
          {"frames_there", counts.there},
          {"vertices_of_nearest_particle", maker.lone_vertices()},
          {"bodies", bodies}};
}

/// Sets the thickness of the sheets. Throws InputError where it is asked of a run without any.
void thicken_sheets(SkinRecord& record, double thickness) {
  bool found = false;
  for (SkinBody& body : record.bodies)
    if (body.binding.motion == SkinMotion::sheet) {
      body.binding.thickness = float(thickness);
      found = true;
    }
  if (thickness > 0 && !found)
    throw InputError(
        fmt::format("--thickness {:g}: the run has no cloth, and other bodies have a thickness of their own; "
                    "leave it out "
                    "(runs of older versions: delete skins.h5, which lacks the cloth)",
                    thickness));
}

/// What makes one sequence of skins differ from another.
Json wanted_skins(const SkinOptions& options) {
  Json wanted{{"body", options.body}};
  if (options.thickness > 0) wanted["thickness"] = options.thickness;
  return wanted;
}

}  // namespace

std::string make_skins(const SkinOptions& options, const Services& services) {
  const FrameRange range = parse_frame_range(options.frames);
  const SurfaceScene scene = read_surface_scene(options.run);
  const AskedFrames frames = asked_frames(options, range);
  const Device device = select_device(options.device, options.threads);
  SkinRecord record = record_of(options, services);
  thicken_sheets(record, options.thickness);
  const SkinMaker maker(std::move(record), scene.bodies, options.body, services, device);

  MeshSequence sequence(skin_kind, options, wanted_skins(options));
  sequence.say(fmt::format("skins of {} {} in {} frames on {}{}", maker.bodies().size(),
                           maker.bodies().size() == 1 ? "body" : "bodies", frames.count, device.description,
                           device.note.empty() ? "" : "; " + device.note));
  if (!scene.ropes.empty()) sequence.say("ropes have no skin, so these are left out: " + scene.ropes);
  if (maker.lone_vertices() > 0)
    sequence.say(
        fmt::format("{} vertices are more than two particle spacings from any particle and follow "
                    "the nearest one alone",
                    maker.lone_vertices()));
  const auto counts = sequence.write(
      frames, [&](const FrameFile& frame) { return maker.make(frame); }, [](const FrameFile&) {});
  return json_text(report(maker, sequence, counts));
}

}  // namespace merganser
