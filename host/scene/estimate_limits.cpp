/// Estimates against what the machine has.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "device/errors.h"
#include "host/memory_limit.h"
#include "host/scene/estimate.h"
#include "host/scene/scene_bodies.h"
#include "solvers/core/body.h"

namespace merganser {
namespace {

/// "108 million"
std::string count_text(double count) {
  if (count >= 0.9995e15) return fmt::format("{:.3g}", count);
  for (const auto& [size, word] : {std::pair(1e12, "10^12"), {1e9, "billion"}, {1e6, "million"}})
    if (count >= 0.9995 * size) return fmt::format("{:.3g} {}", count / size, word);
  return fmt::format("{:.0f}", count);
}

/// The body or the emitters that most of the bytes go to, for the message.
std::string largest_part(const SceneEstimate& estimate) {
  const SystemEstimate* most = nullptr;
  for (const SystemEstimate& system : estimate.systems)
    if (!most || system.host_bytes + system.device_bytes > most->host_bytes + most->device_bytes)
      most = &system;
  if (!most) return "";
  const std::string bytes = bytes_text(most->host_bytes + most->device_bytes);
  const auto body = std::max_element(
      most->bodies.begin(), most->bodies.end(),
      [](const BodyEstimate& a, const BodyEstimate& b) { return a.particles < b.particles; });
  if (body == most->bodies.end() || most->emitted + most->layer >= most->particles)
    return fmt::format("systems.{}.emitters: {} particles, {} a layer; system: {}", most->name,
                       count_text(most->emitted), count_text(most->layer), bytes);
  return fmt::format("systems.{}.bodies.{}: {} particles, system: {}", most->name, body->name,
                     count_text(body->particles), bytes);
}

/// The folder, or the nearest one above it that is there.
std::filesystem::path existing(std::filesystem::path folder) {
  std::error_code none;
  folder = std::filesystem::absolute(folder, none);
  while (!std::filesystem::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

}  // namespace

std::string why_too_large(const Scene& scene, const SceneEstimator& estimator, const SceneEstimate& estimate,
                          const Device& device) {
  const bool separate = device.backend == Backend::cuda;
  const MemoryLimit host = host_memory(), own = separate ? device_memory(device) : MemoryLimit{};
  const double on_host = estimate.host_bytes + (separate ? 0 : estimate.device_bytes);
  const bool too_much_there = separate && estimate.device_bytes > own.bytes;
  const double count = estimate.particles + estimate.emitted;
  const bool too_many = count > most_particles, too_much_here = on_host > host.bytes;
  if (!too_many && !too_much_here && !too_much_there) return "";
  const double fitting = estimator.resolution_within(host.bytes, separate ? own.bytes : 0);
  const double bytes = too_much_there && !too_much_here ? estimate.device_bytes : on_host;
  const MemoryLimit& limit = too_much_there && !too_much_here ? own : host;
  const std::string than = too_much_here || too_much_there
                               ? fmt::format("the {} of {}", bytes_text(limit.bytes), limit.source)
                               : fmt::format("the {} that can be numbered", count_text(most_particles));
  const std::string mesh = estimator.largest_mesh();
  return fmt::format("{}: about {} particles at resolution {:g} take about {} ({}), more than {}; {}{}",
                     scene.file.string(), count_text(count), estimate.resolution, bytes_text(bytes),
                     largest_part(estimate), than,
                     fitting > 0 ? fmt::format("--resolution {:g} would fit", fitting)
                                 : "no --resolution would fit; make its bodies, meshes or emitters smaller",
                     mesh.empty() ? "" : ". " + mesh);
}

std::vector<std::string> expect_resources(const Scene& scene, const Device& device,
                                          const std::filesystem::path& folder) {
  const SceneEstimator estimator(scene);
  const SceneEstimate estimate = estimator.estimate();
  if (const std::string why = why_too_large(scene, estimator, estimate, device); !why.empty())
    throw DeviceError(why);
  std::error_code none;
  const std::filesystem::path there = existing(folder);
  const auto space = std::filesystem::space(there, none);
  if (none || estimate.disk_bytes <= double(space.available)) return {};
  return {fmt::format(
      "all {:.0f} frames of the run take about {}, but '{}' has {} left; free space, lower "
      "simulation.frameRate or choose another disk with -o",
      estimate.frames, bytes_text(estimate.disk_bytes), there.string(), bytes_text(double(space.available)))};
}

void expect_room_for(const TriangleMesh& mesh, const SampleOptions& options) {
  const MeshSize size = size_of(mesh);
  const double bytes = options.method == SamplingMethod::relaxed ? bytes_of_relaxing(size, options.spacing)
                                                                 : bytes_of_filling(size, options.spacing);
  const MemoryLimit limit = host_memory();
  if (bytes <= limit.bytes) return;
  throw DeviceError(fmt::format(
      "{}: about {} particles of spacing {:g} m take about {}, more than the {} of {}; raise --spacing",
      options.mesh.string(), count_text(size.volume / std::pow(options.spacing, 3)), options.spacing,
      bytes_text(bytes), bytes_text(limit.bytes), limit.source));
}

}  // namespace merganser
