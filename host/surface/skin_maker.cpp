#include "host/surface/skin_maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/errors.h"
#include "host/memory_limit.h"

namespace merganser {
namespace {

/// Bytes a vertex (about 30 particles with their weights, positions, normals, rows and copies), a triangle
/// (also its sorted corners) and a particle take at most, on the host and on the device.
constexpr double vertex_bytes = 500, triangle_bytes = 250, particle_bytes = 250;

std::string name_of(const std::vector<std::string>& names, int body) {
  return size_t(body) < names.size() ? names[size_t(body)] : std::to_string(body);
}

/// Bodies that have not started yet are in no frame.
bool is_there(const SkinBody& body, const FrameParticles& frame) {
  const auto first = std::lower_bound(frame.id.begin(), frame.id.end(), body.first_id);
  return first != frame.id.end() && *first < body.first_id + int(body.rest.size());
}

/// The particles of a body: their ids follow each other, and a frame is ordered by id.
SkinParticles particles_of(const SkinBody& body, const FrameParticles& frame, const std::string& name,
                           const FrameFile& file) {
  const size_t first =
      size_t(std::lower_bound(frame.id.begin(), frame.id.end(), body.first_id) - frame.id.begin());
  const size_t count = body.rest.size();
  bool whole = first + count <= frame.id.size();
  for (size_t k = 0; whole && k < count; ++k)
    whole = frame.id[first + k] == body.first_id + int(k) && frame.body[first + k] == body.body;
  if (!whole)
    throw InputError(
        fmt::format("'{}' does not hold the {} particles of body '{}' that skins.h5 speaks of; make the "
                    "frames and skins.h5 by one run",
                    file.path.string(), count, name));
  const auto part = [&](const auto& all) {
    return std::vector(all.begin() + long(first), all.begin() + long(first + count));
  };
  SkinParticles now{part(frame.position), part(frame.velocity), {}};
  const bool may_break =
      body.binding.motion == SkinMotion::breaking || body.binding.motion == SkinMotion::sheet;
  if (may_break && !frame.fragment.empty()) now.fragment = part(frame.fragment);
  return now;
}

}  // namespace

void expect_room_for_skins(const SkinRecord& record, const Device& device) {
  double bytes = 0;
  for (const SkinBody& body : record.bodies)
    bytes += vertex_bytes * double(body.surface.vertices.size()) +
             triangle_bytes * double(body.surface.triangles.size()) +
             particle_bytes * double(body.rest.size());
  MemoryLimit limit = host_memory();
  if (device.backend == Backend::cuda)
    if (const MemoryLimit own = device_memory(device); own.bytes < limit.bytes) limit = own;
  if (bytes > limit.bytes)
    throw DeviceError(fmt::format("the skins take about {}, more than the {} of {}; choose one with --body",
                                  bytes_text(bytes), bytes_text(limit.bytes), limit.source));
}

SkinMaker::SkinMaker(SkinRecord record, const std::vector<std::string>& names, const std::string& only,
                     const Services& services, const Device& device)
    : record_(std::move(record)) {
  if (!only.empty()) {
    std::string known;
    for (const SkinBody& body : record_.bodies)
      known += (known.empty() ? "" : ", ") + name_of(names, body.body);
    std::erase_if(record_.bodies, [&](const SkinBody& body) { return name_of(names, body.body) != only; });
    if (record_.bodies.empty())
      throw InputError("--body " + only + ": the run has no such body with a skin; there are: " + known);
  }
  expect_room_for_skins(record_, device);
  for (const SkinBody& body : record_.bodies)
    bodies_.push_back(
        {name_of(names, body.body), &body, services.make_body_skin(device, body, record_.spacing)});
}

size_t SkinMaker::lone_vertices() const {
  size_t count = 0;
  for (const Body& body : bodies_) count += size_t(body.skin->lone_vertices());
  return count;
}

SurfaceFrame SkinMaker::make(const FrameFile& file) const {
  const FrameParticles frame = read_frame(file.path);
  SurfaceFrame made;
  made.time = frame.time;
  for (const Body& body : bodies_)
    if (is_there(*body.made_of, frame))
      made.add(body.skin->follow(particles_of(*body.made_of, frame, body.name, file)), body.name,
               body.made_of->system, body.made_of->body);
  return made;
}

}  // namespace merganser
