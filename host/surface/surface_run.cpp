#include "host/surface/surface_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/files/own_files.h"
#include "host/surface/surface_maker.h"

namespace merganser {
namespace {

nlohmann::ordered_json wanted(const SurfaceOptions& options) {
  return {{"method", options.method},      {"system", options.system},    {"perBody", options.per_body},
          {"cellSize", options.cell_size}, {"smooth", options.smoothing}, {"refine", options.refinements}};
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

}  // namespace

int make_surfaces(const SurfaceOptions& options, const Services& services) {
  const FrameRange range = parse_frame_range(options.frames);
  const SurfaceScene scene = read_surface_scene(options.run);
  expect_fluid(scene, options.run);
  const AskedFrames frames = asked_frames(options, range);
  const Device device = select_device(options.device, options.threads);
  SurfaceMaker maker(options, services, scene, device);
  maker.look_for_links(frames.files.front());
  if (maker.follows()) expect_frame_to_follow(options, frames.files);

  MeshSequence sequence(surface_kind, options, wanted(options));
  sequence.say(fmt::format("surfaces of {} frames ({}) on {}{}", frames.count, options.method,
                           device.description, device.note.empty() ? "" : "; " + device.note));
  if (maker.follows())
    sequence.say(
        "the run kept no topological neighborhoods; they are followed from frame to frame, so the closer the "
        "frames, the better");
  if (scene.periodic)
    sequence.say("the domain is periodic; surfaces are closed off where particles end, also at its borders");
  sequence.write(
      frames,
      [&](const FrameFile& frame) {
        SurfaceMaker::Made made = maker.make(frame);
        for (const auto& [part, bytes] : made.level_sets)  // first: the mesh says that the frame is done
          sequence.write_beside(frame.number, made.level_sets.size() > 1 ? "_" + part + ".vdb" : ".vdb",
                                bytes);
        return std::move(made.frame);
      },
      [&](const FrameFile& frame) {
        if (maker.follows()) maker.follow(frame);
      });
  return 0;
}

}  // namespace merganser
