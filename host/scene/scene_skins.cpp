/// A resolved scene and its particles -> what skins need.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "device/errors.h"
#include "host/scene/scene.h"
#include "host/scene/scene_bodies.h"
#include "solvers/methods/all_methods.h"

namespace merganser {
namespace {

/// Sets the particles of a body, which follow each other in their system. `first_id`: of the system.
void add_particles(SkinBody& skin, const SystemState& system, int first_id) {
  const auto begin = std::find(system.body.begin(), system.body.end(), skin.body);
  const auto end = std::find_if(begin, system.body.end(), [&](int body) { return body != skin.body; });
  const std::vector<Float3>& rest =
      system.rest_position.size() == system.position.size() ? system.rest_position : system.position;
  skin.first_id = first_id + static_cast<int>(begin - system.body.begin());
  skin.rest.assign(rest.begin() + (begin - system.body.begin()), rest.begin() + (end - system.body.begin()));
}

/// The triangles among a body's particles, with these as vertices.
TriangleMesh sheet_of(const SkinBody& skin, const SystemState& system, int first_id) {
  TriangleMesh sheet{skin.rest, {}};
  const int first = skin.first_id - first_id, end = first + static_cast<int>(skin.rest.size());
  for (const Triangle& t : system.triangles)
    if (t[0] >= first && t[0] < end) sheet.triangles.push_back({t[0] - first, t[1] - first, t[2] - first});
  return sheet;
}

}  // namespace

SkinRecord skin_record(const Scene& scene, const InitialState& state) {
  const Json json = parse_json(scene.resolved_json, scene.file.string());
  BodySite site;
  site.particle_radius = state.particle_radius / state.resolution;
  SkinRecord record{.spacing = site.spacing(), .bodies = {}};
  int first_id = 0;
  for (size_t s = 0; s < state.systems.size(); ++s) {
    for (const Json& body : json["systems"][s]["bodies"]) {
      const auto parameters = read_body(body, *state.systems[s].method, body["name"], record.spacing);
      const std::optional<SkinBinding> binding = parameters->skin_binding(state.systems[s], site);
      if (!binding) continue;
      const auto named = std::find_if(state.bodies.begin(), state.bodies.end(),
                                      [&](const BodyInfo& info) { return info.name == body["name"]; });
      SkinBody skin;
      skin.body = static_cast<int>(named - state.bodies.begin());
      skin.system = static_cast<int>(s);
      skin.binding = *binding;
      add_particles(skin, state.systems[s], first_id);
      skin.surface = binding->motion == SkinMotion::sheet ? sheet_of(skin, state.systems[s], first_id)
                                                          : parameters->surface(record.spacing);
      record.bodies.push_back(std::move(skin));
    }
    first_id += static_cast<int>(state.systems[s].position.size());
  }
  return record;
}

}  // namespace merganser
