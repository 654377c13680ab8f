#include "host/surface/surface_maker.h"

#include <fmt/format.h>

#include "device/errors.h"
#include "host/memory_limit.h"
#include "solvers/geometry/surface/surface_estimate.h"

namespace merganser {
namespace {

SurfaceParameters parameters_for(const SurfaceOptions& options, const SurfaceFluid& fluid) {
  return {.method = options.method == "topological" ? SurfaceMethod::topological : SurfaceMethod::sum,
          .h = fluid.h,
          .spacing = fluid.spacing,
          .cell_factor = options.cell_size,
          .refinements = options.refinements,
          .smoothing = options.smoothing};
}

std::vector<SurfaceFluid> chosen_fluids(const SurfaceScene& scene, const std::string& name) {
  if (name.empty()) return scene.fluids;
  std::string known;
  for (const SurfaceFluid& fluid : scene.fluids) {
    if (fluid.name == name) return {fluid};
    known += (known.empty() ? "" : ", ") + fluid.name;
  }
  throw InputError("--system " + name + ": the run has no such fluid; there are: " + known);
}

}  // namespace

void expect_room_for_surface(const FluidPoints& points, const SurfaceParameters& parameters,
                             const Device& device, const std::string& frame) {
  const SurfaceEstimate estimate = estimate_surface(points, parameters);
  MemoryLimit limit = host_memory();
  if (device.backend == Backend::cuda)
    if (const MemoryLimit own = device_memory(device); own.bytes < limit.bytes) limit = own;
  if (estimate.bytes <= limit.bytes) return;
  throw DeviceError(
      fmt::format("'{}': the surface of {} particles at cells of {:g} h takes about {:.3g} cells and {}, "
                  "more than the {} "
                  "of {}; raise --cell-size",
                  frame, points.position.size(), parameters.cell_factor, 64 * estimate.bricks,
                  bytes_text(estimate.bytes), bytes_text(limit.bytes), limit.source));
}

SurfaceMaker::SurfaceMaker(const SurfaceOptions& options, const Services& services, const SurfaceScene& scene,
                           const Device& device)
    : options_(options),
      services_(services),
      device_(device),
      fluids_(chosen_fluids(scene, options.system)),
      bodies_(scene.bodies),
      builder_(services.make_surface_builder(device)) {}

void SurfaceMaker::look_for_links(const FrameFile& file) {
  if (options_.method != "topological") return;
  for (const SurfaceFluid& fluid : fluids_)
    if (read_links(file.path, fluid.name).first.empty()) {
      follows_ = true;
      trackers_[fluid.system] = services_.make_topology_tracker(device_);
    }
}

void SurfaceMaker::follow(const FrameFile& file) {
  const FrameParticles frame = read_frame(file.path);
  for (const SurfaceFluid& fluid : fluids_) {
    const auto tracker = trackers_.find(fluid.system);
    if (tracker == trackers_.end()) continue;
    const FluidPart part = select_part(frame, fluid);
    tracker->second->next_frame(part.points, part.id, part.body, fluid.h, frame.time - last_time_,
                                fluid.fusion_time);
  }
  last_time_ = frame.time;
}

std::vector<TopologyLinks> SurfaceMaker::links_of(const FrameFile& file, const FrameParticles& frame,
                                                  const std::vector<FluidPart>& parts) {
  std::vector<TopologyLinks> links;
  if (options_.method != "topological") return links;
  for (size_t f = 0; f < fluids_.size(); ++f) {
    const SurfaceFluid& fluid = fluids_[f];
    const FluidPart& part = parts[f];
    if (const auto tracker = trackers_.find(fluid.system); tracker != trackers_.end()) {
      links.push_back(tracker->second->next_frame(part.points, part.id, part.body, fluid.h,
                                                  frame.time - last_time_, fluid.fusion_time));
      continue;
    }
    const TopologyLinks stored = read_links(file.path, fluid.name);
    if (stored.first.size() != frame.position.size() + 1)
      throw InputError(
          "'" + file.path.string() + "' holds neighborhoods of system '" + fluid.name +
          "' that do not fit its particles, or none although the first frame does; use --method sum");
    links.push_back(select_links(stored, part.index));
  }
  last_time_ = frame.time;
  return links;
}

void SurfaceMaker::add_surface(Made& made, const FluidPart& part, const TopologyLinks* links,
                               const SurfaceFluid& fluid, int body) const {
  const SurfaceParameters parameters = parameters_for(options_, fluid);
  const std::string name = body < 0                        ? fluid.name
                           : size_t(body) < bodies_.size() ? bodies_[size_t(body)]
                                                           : std::to_string(body);
  if (options_.method != "levelSet") {
    made.frame.add(builder_->build(part.points, links, parameters), name, fluid.system, body);
    return;
  }
  LevelSetSurface surface = services_.make_level_set(part.points, parameters, device_.threads);
  SurfaceParameters finish = parameters;
  finish.smoothing = 0;  // the level set was smoothed
  builder_->complete(surface.mesh, part.points, finish);
  made.frame.add(surface.mesh, name, fluid.system, body);
  made.level_sets.emplace_back(name, std::move(surface.vdb));
}

SurfaceMaker::Made SurfaceMaker::make(const FrameFile& file) {
  const FrameParticles frame = read_frame(file.path);
  std::vector<FluidPart> parts;
  for (const SurfaceFluid& fluid : fluids_) {
    parts.push_back(select_part(frame, fluid));
    expect_room_for_surface(parts.back().points, parameters_for(options_, fluid), device_,
                            file.path.string());
  }
  const std::vector<TopologyLinks> links = links_of(file, frame, parts);
  Made made;
  made.frame.time = frame.time;
  for (size_t f = 0; f < fluids_.size(); ++f) {
    const TopologyLinks* whole = links.empty() ? nullptr : &links[f];
    if (!options_.per_body) {
      add_surface(made, parts[f], whole, fluids_[f], -1);
      continue;
    }
    for (const int body : bodies_of(parts[f])) {
      const FluidPart own = select_part(frame, fluids_[f], body);
      std::vector<int> place;  // in the fluid's particles
      for (size_t k = 0; k < parts[f].body.size(); ++k)
        if (parts[f].body[k] == body) place.push_back(static_cast<int>(k));
      const TopologyLinks among = whole ? select_links(*whole, place) : TopologyLinks{};
      add_surface(made, own, whole ? &among : nullptr, fluids_[f], body);
    }
  }
  return made;
}

}  // namespace merganser
