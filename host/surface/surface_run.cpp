#include "host/surface/surface_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/files/atomic_file.h"
#include "host/files/own_files.h"
#include "host/run/run_folder.h"
#include "host/surface/mesh_sequence.h"
#include "host/surface/surface_maker.h"

namespace merganser {
namespace {

/// What makes one surface differ from another; kept in the folder, so that no sequence is mixed from two.
std::string options_text(const SurfaceOptions& options) {
  using Json = nlohmann::ordered_json;
  const Json json{{"method", options.method},
                  {"system", options.system},
                  {"perBody", options.per_body},
                  {"cellSize", options.cell_size},
                  {"smooth", options.smoothing},
                  {"refine", options.refinements},
                  {"run", std::filesystem::absolute(options.run).lexically_normal().string()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";  // a path may be no UTF-8
}

void expect_fluid(const SurfaceScene& scene, const std::filesystem::path& run) {
  if (scene.fluids.empty())
    throw InputError(fmt::format(
        "'{}' has no fluid (no system of type sph, dfsph or flip), so there is no surface to make",
        (run / "scene.json").string()));
}

/// Throws InputError where the run lacks the frame that neighborhoods would be followed from.
void expect_frame_to_follow(const SurfaceOptions& options, const std::vector<FrameFile>& frames) {
  if (frames.front().number != 0)
    throw InputError(
        fmt::format("'{}' lacks frame 0, from which topological neighborhoods would be followed; use "
                    "--method sum, or run the scene with \"neighborhood\": \"topological\"",
                    (options.run / "frames").string()));
}

void write_made(const MeshSequence& sequence, int frame, const SurfaceMaker::Made& made) {
  for (const auto& [part, bytes] : made.level_sets) {
    const std::string name =
        mesh_name(sequence.kind, frame, made.level_sets.size() > 1 ? "_" + part + ".vdb" : ".vdb");
    write_file_atomically(sequence.folder / name, {{bytes.data(), bytes.size()}});
  }
  sequence.write(frame, made.frame);  // last: it says that the frame is done
}

}  // namespace

int make_surfaces(const SurfaceOptions& options, const Services& services) {
  const FrameRange range = parse_frame_range(options.frames);
  const MeshExporter& format = *find_exporter(mesh_exporters(), options.format);
  const SurfaceScene scene = read_surface_scene(options.run);
  expect_fluid(scene, options.run);
  const std::vector<FrameFile> frames = list_frames(options.run);
  const size_t wanted = count_frames(frames, range, options.frames);
  const Device device = select_device(options.device, options.threads);
  SurfaceMaker maker(options, services, scene, device);
  maker.look_for_links(frames.front());
  if (maker.follows()) expect_frame_to_follow(options, frames);

  const MeshSequence sequence{surface_kind, options.output.empty() ? options.run / "surface" : options.output,
                              format, options.overwrite};
  create_folder(sequence.folder);
  const FolderLock lock(sequence.folder);
  remove_temporary_files(sequence.folder, is_surface_file);
  sequence.claim_options(options_text(options));
  SequenceProgress progress(options.quiet, wanted);
  progress.say(fmt::format("surfaces of {} frames ({}) on {}{}", wanted, options.method, device.description,
                           device.note.empty() ? "" : "; " + device.note));
  if (maker.follows())
    progress.say(
        "the run kept no topological neighborhoods; they are followed from frame to frame, so the closer the "
        "frames, the better");
  if (scene.periodic)
    progress.say("the domain is periodic; surfaces are closed off where particles end, also at its borders");

  size_t done = 0, made_count = 0, triangles = 0;
  for (const FrameFile& frame : frames) {
    if (frame.number > range.last) break;
    const bool asked = range.holds(frame.number);
    if (asked && !sequence.holds(frame.number)) {
      const SurfaceMaker::Made made = maker.make(frame);
      write_made(sequence, frame.number, made);
      triangles = made.frame.mesh.triangles.size();
      ++made_count;
    } else if (maker.follows()) {
      maker.follow(frame);
    }
    done += asked;
    if (asked) progress.update(done, made_count, triangles);
  }
  sequence.write_series(frames);
  progress.say_finished(sequence, done, made_count);
  return 0;
}

}  // namespace merganser
